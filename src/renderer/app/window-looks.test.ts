import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { idleView } from '#renderer/conversation/conversation-store.ts';
import { err } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { lookAtMedia, type WindowCheckParts } from './window-looks.ts';

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
