import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { idleView } from '#renderer/conversation/conversation-store.ts';
import { noSound } from '#renderer/window/sound.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { lookAtMedia, lookAtMicrophone, type WindowCheckParts } from './window-looks.ts';

test('a session that was refused leaves no conversation running in the eyes of main', async () => {
	const asked: unknown[] = [];
	const parts = {
		host: {
			async ask(name: string, input: unknown) {
				asked.push([name, input]);
				return err({ kind: 'api-key-rejected', status: 401 });
			},
		},
		clock: createManualClock(),
		conversation: { store: createStore(() => idleView) },
	} as unknown as WindowCheckParts;
	expect((await lookAtMedia(parts, new AbortController().signal)).state).toBe('failed');
	expect(asked).toContainEqual(['conversation.phase', { phase: 'idle', muted: false }]);
});

test.each([
	[0.4, 'ok'],
	[0, 'warning'],
] as const)('a microphone listened to at level %d is %s, and closed again', async (level, state) => {
	const clock = createManualClock();
	let open = 0;
	const parts = {
		clock,
		conversation: { store: createStore(() => idleView) },
		sound: {
			store: createStore(() => noSound),
			microphoneLevel: () => level,
			async listenIn() {
				open += 1;
				return ok(() => {
					open -= 1;
				});
			},
		},
	} as unknown as WindowCheckParts;
	const looking = lookAtMicrophone(parts, new AbortController().signal);
	await clock.run(0);
	expect(open).toBe(1);
	await clock.run(1500);
	expect([(await looking).state, open]).toEqual([state, 0]);
});
