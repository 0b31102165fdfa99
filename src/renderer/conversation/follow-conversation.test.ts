import { expect, test } from 'vitest';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { followConversation } from './follow-conversation.ts';

async function setUp() {
	const shown = createFakeWindow({ settings: { mode: 'type' } });
	await shown.ready;
	let silences = 0;
	const silence = () => {
		silences += 1;
	};
	const end = followConversation({ ...shown.parts, typing: { silence } });
	return { ...shown, end, silences: () => silences };
}

test('a conversation takes the loudspeaker', async () => {
	const { conversation, silences } = await setUp();
	conversation.show({ phase: 'preparing' });
	conversation.show({ phase: 'live' });
	expect(silences()).toBe(1);
});

test('turning to something else ends what is being said', async () => {
	const { parts, silences } = await setUp();
	await parts.settings.write({ voiceVolume: 0.5 });
	expect(silences()).toBe(0);
	await parts.settings.write({ mode: 'solo' });
	expect(silences()).toBe(1);
});

test('what failed in one mode is not said in the next; what runs is left alone', async () => {
	const { parts, conversation } = await setUp();
	const stops = () => conversation.calls.filter(([name]) => name === 'stop').length;
	conversation.show({ phase: 'failed', problem: { kind: 'session-limit', detail: '' } });
	await parts.settings.write({ voiceVolume: 0.5 });
	expect(stops()).toBe(0);
	await parts.settings.write({ mode: 'meeting' });
	expect(stops()).toBe(1);
	expect(conversation.calls).toContainEqual(['dismissNotice']);
	conversation.show({ phase: 'live' });
	await parts.settings.write({ mode: 'solo' });
	expect(stops()).toBe(1);
});

test.each([
	['account.leaving', { revision: 2 }],
	['app.closing', { reason: 'quit' }],
])('%s ends what is being said, until nobody listens any more', async (name, payload) => {
	const { announce, end, silences } = await setUp();
	announce(name, payload);
	expect(silences()).toBe(1);
	end();
	announce(name, payload);
	expect(silences()).toBe(1);
});
