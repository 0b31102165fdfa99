import { expect, test } from 'vitest';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createJustStopped, SLIP_MS } from './follow-conversation.ts';

function started() {
	const conversation = createFakeConversation();
	const clock = createManualClock();
	const justStopped = createJustStopped(conversation, clock);
	conversation.show({ phase: 'starting' });
	conversation.show({ phase: 'live' });
	return { conversation, clock, justStopped };
}

test.each(['idle', 'failed'] as const)('for a moment after the end a press is none for Start: %s', (end) => {
	const { conversation, clock, justStopped } = started();
	expect(justStopped.getState()).toBe(false);
	conversation.show({ phase: 'ending' });
	expect(justStopped.getState()).toBe(false);
	conversation.show({ phase: end });
	expect(justStopped.getState()).toBe(true);
	clock.advance(SLIP_MS - 1);
	expect(justStopped.getState()).toBe(true);
	clock.advance(1);
	expect(justStopped.getState()).toBe(false);
});

test('a conversation that begins by itself can be stopped at once', () => {
	const { conversation, clock, justStopped } = started();
	conversation.show({ phase: 'failed' });
	clock.advance(SLIP_MS / 2);
	conversation.show({ phase: 'preparing' });
	expect(justStopped.getState()).toBe(false);
	conversation.show({ phase: 'failed' });
	clock.advance(SLIP_MS - 1);
	expect(justStopped.getState()).toBe(true);
});
