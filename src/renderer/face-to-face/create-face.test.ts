import { expect, test } from 'vitest';
import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { FaceSide } from '#shared/face-to-face/turn-rules.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createFakeReplay, createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createFace } from './create-face.ts';

/** Two people hold buttons; the legs given listen. */
async function setUp(settings: Partial<Settings>, legs: readonly ('outgoing' | 'incoming')[]) {
	const window = createFakeWindow({ settings: { mode: 'face', faceTalk: 'hold', ...settings } });
	await window.ready;
	const copy = () => ({ enabled: true, readyState: 'live', stop() {} }) as Partial<MediaStreamTrack>;
	const microphone: Microphone = {
		open: async () => ok({ clone: copy } as unknown as MediaStreamTrack),
		listen: () => () => {},
		apply: async () => {},
		setMuted() {},
		close() {},
		device: '',
	};
	const face = createFace({
		settings: window.parts.settings,
		clock: createManualClock(),
		log: silentLogger,
		microphone,
		engine: {} as AudioEngine,
	});
	const heard: MediaStreamTrack[] = [];
	for (const leg of legs) {
		const opened = await face.microphoneOf(leg, microphone).open();
		if (opened.ok) heard.push(opened.value);
	}
	const turns = face.takeTurns(window.conversation, createFakeReplay());
	window.conversation.show({ phase: 'live' });
	return {
		/** Whether each leg hears anything while this side's button is held. */
		hold(side: FaceSide) {
			turns.down(side);
			const open = heard.map(({ enabled }) => enabled);
			turns.letGo();
			return open;
		},
		open: () => heard.map(({ enabled }) => enabled),
	};
}

test('each direction hears only the side that holds its button', async () => {
	const { hold, open } = await setUp({}, ['outgoing', 'incoming']);
	expect(hold('me')).toEqual([true, false]);
	expect(hold('partner')).toEqual([false, true]);
	expect(open()).toEqual([false, false]);
});

test('one session for both directions hears each side that holds its button', async () => {
	const { hold, open } = await setUp({ faceOneSession: true }, ['outgoing']);
	expect(hold('me')).toEqual([true]);
	expect(hold('partner')).toEqual([true]);
	expect(open()).toEqual([false]);
});
