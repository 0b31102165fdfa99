import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { idleView } from '#renderer/conversation/conversation.ts';
import { noSound } from '#renderer/sound/sound.ts';
import { err, ok } from '#shared/lib/result.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { lookAtMedia, lookAtMicrophone, lookAtOutput, type WindowCheckParts } from './window-looks.ts';

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

const devices = [
	{ id: 'l', label: 'Laptop' },
	{ id: 'h', label: 'Headset' },
];
const chosen = (values: Partial<Settings>) => ({
	store: createStore(() => ({ values: { ...defaultSettings, ...values } })),
});

test.each([
	[-20, 'ok'],
	// A quiet room.
	[-70, 'ok'],
	[-100, 'warning'],
] as const)('a microphone that peaks at %d dBFS is %s, and closed again', async (peakDb, state) => {
	const clock = createManualClock();
	let open = 0;
	const parts = {
		clock,
		settings: chosen({ microphone: { id: 'h', label: 'Headset' } }),
		conversation: { store: createStore(() => idleView) },
		sound: {
			store: createStore(() => ({ ...noSound, microphones: devices, systemMicrophone: 'Laptop' })),
			microphonePeakDb: () => peakDb,
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
	const found = await looking;
	expect([found.state, open]).toEqual([state, 0]);
	// Named is the one that was opened.
	expect(found).toMatchObject({ facts: { device: 'Headset' } });
});

test.each([
	[{ id: 'h', label: 'Headset' }, 'Headset'],
	[{ id: 'x', label: 'Unplugged' }, 'Laptop'],
	[null, 'Laptop'],
])('the output that is used is named: chosen %o, used %s', (output, device) => {
	const parts = {
		settings: chosen({ output }),
		sound: { store: createStore(() => ({ ...noSound, outputs: devices, systemOutput: 'Laptop' })) },
	} as unknown as WindowCheckParts;
	expect(lookAtOutput(parts)).toMatchObject({ state: 'ok', facts: { number: 2, device } });
});
