import { expect, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { followPlan } from './create-directions.ts';

const limit: Problem = { kind: 'session-limit', detail: '' };

async function fails(settings: Partial<Settings>, problem: Problem = limit) {
	const window = createFakeWindow({ settings: { mode: 'face', ...settings } });
	await window.ready;
	followPlan(window.conversation, window.parts.settings);
	window.conversation.show({ phase: 'preparing' });
	window.conversation.show({ phase: 'failed', problem });
	return window;
}

const starts = ({ conversation }: Awaited<ReturnType<typeof fails>>) =>
	conversation.calls.filter(([name]) => name === 'start');

test('face to face begins again with one session when the plan refuses the second, once', async () => {
	const window = await fails({});
	expect(starts(window)).toEqual([['start', expect.objectContaining({ bothWays: true })]]);
	expect(window.parts.settings.store.getState().values.faceOneSession).toBe(true);
	window.conversation.show({ phase: 'preparing' });
	window.conversation.show({ phase: 'failed', problem: limit });
	expect(starts(window)).toHaveLength(1);
});

test('the next Start asks for two sessions again: what the plan refused once is no choice of the user', async () => {
	const window = await fails({});
	const { store } = window.parts.settings;
	window.conversation.show({ phase: 'preparing' });
	window.conversation.show({ phase: 'live', liveSinceMs: 0 });
	expect(store.getState().values.faceOneSession).toBe(true);
	window.conversation.show({ phase: 'idle', liveSinceMs: null });
	expect(store.getState().values.faceOneSession).toBe(false);
	window.conversation.show({ phase: 'preparing' });
	window.conversation.show({ phase: 'failed', problem: limit });
	expect(starts(window)).toHaveLength(2);
});

test('one session that was chosen stays chosen', async () => {
	const window = await fails({ faceOneSession: true });
	window.conversation.show({ phase: 'idle' });
	expect(window.parts.settings.store.getState().values.faceOneSession).toBe(true);
});

test.each([
	['another problem', {}, { kind: 'connection-lost', reason: '' }],
	['a meeting, which needs both', { mode: 'meeting' }, limit],
	['automatic, which has one already', { faceTalk: 'automatic' }, limit],
] as const)('nothing of the kind for %s', async (_, settings, problem) => {
	const window = await fails(settings, problem);
	expect(starts(window)).toEqual([]);
	expect(window.parts.settings.store.getState().values.faceOneSession).toBe(false);
});
