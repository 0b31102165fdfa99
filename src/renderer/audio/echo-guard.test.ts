import { expect, test } from 'vitest';
import { ECHO_PERIOD_MS } from '#shared/audio/echo-detector.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { speech } from '#test/support/murmur.ts';
import { createEchoGuard, type GateWish } from './echo-guard.ts';
import type { Microphone } from './microphone.ts';
import type { Mixer, MixerEvent } from './mixer.ts';

const SILENCE = -90;
/** 160 ms from the loudspeaker to the microphone. */
const WAY = 4;

/** A voice that speaks all the time, in the room, and a microphone that hears what the test says. */
async function setUp(wish: { gate?: GateWish } = {}) {
	const clock = createManualClock();
	const voice = speech(1, 20_000);
	let at = 0;
	let say = (_db: number) => {};
	let tell = (_event: MixerEvent) => {};
	let gate = wish.gate ?? 'auto';
	const mutes: boolean[] = [];
	const guard = createEchoGuard({
		clock,
		log: silentLogger,
		gate: () => gate,
		wanted: () => true,
		tap(_track, heard) {
			say = (rmsDb) => heard({ rmsDb, peakDb: rmsDb });
			return () => {};
		},
	});
	const mixer = guard.hear(
		{
			listen: (heard: typeof tell) => {
				tell = heard;
				return () => {};
			},
			setVoice() {},
			selectVoice() {},
		} as unknown as Mixer,
		() => true,
	);
	const microphone = guard.guard({
		open: async () => ({ ok: true, value: {} }),
		setMuted: (muted: boolean) => void mutes.push(muted),
	} as unknown as Microphone);
	await microphone.open();
	mixer.selectVoice('de');
	mixer.setVoice('de', {} as MediaStreamTrack);
	tell({ type: 'voice-active', active: true });
	return {
		guard,
		microphone,
		isOff: () => mutes.at(-1),
		setGate(next: GateWish) {
			gate = next;
			guard.apply();
		},
		run(seconds: number, heard: (at: number) => number) {
			for (const end = at + (1000 * seconds) / ECHO_PERIOD_MS; at < end; at += 1) {
				say(voice[at] ?? SILENCE);
				guard.heard(heard(at));
				clock.advance(ECHO_PERIOD_MS);
			}
		},
		echo: (at: number) => (voice[at - WAY] ?? SILENCE) - 10,
	};
}

test('an echo is said, one that goes on shuts the microphone, and one that is over opens it again', async () => {
	const { guard, isOff, run, echo } = await setUp();
	run(6, echo);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: true, gated: false }, false]);
	run(6, echo);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: true, gated: true }, true]);
	run(120, echo);
	expect(isOff()).toBe(true);
	run(20, () => SILENCE);
	expect(isOff()).toBe(true);
	run(60, () => SILENCE);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: false, gated: false }, false]);
});

test('what somebody says while the voice speaks shuts nothing', async () => {
	const { guard, isOff, run } = await setUp();
	const said = speech(77, 10_000);
	run(300, (at) => said[at] ?? SILENCE);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: false, gated: false }, false]);
});

test('an echo once in a while is no loop', async () => {
	const { guard, isOff, run, echo } = await setUp();
	for (let times = 0; times < 4; times += 1) {
		for (let tries = 0; tries < 20 && !guard.store.getState().heard; tries += 1) run(0.4, echo);
		expect([guard.store.getState().heard, isOff()]).toEqual([true, false]);
		run(150, () => SILENCE);
	}
});

test('a gate that is asked for stays, echo or not, and one that is refused does not come', async () => {
	const { isOff, run, echo, setGate } = await setUp({ gate: 'on' });
	run(120, () => SILENCE);
	expect(isOff()).toBe(true);
	setGate('off');
	run(1, () => SILENCE);
	expect(isOff()).toBe(false);
	run(60, echo);
	expect(isOff()).toBe(false);
});

test('a microphone that the user has muted is not judged, and stays muted', async () => {
	const { guard, microphone, isOff, run, echo } = await setUp();
	microphone.setMuted(true);
	run(60, echo);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: false, gated: false }, true]);
	microphone.setMuted(false);
	run(20, echo);
	expect([guard.store.getState(), isOff()]).toEqual([{ heard: true, gated: true }, true]);
	microphone.setMuted(true);
	run(200, () => SILENCE);
	expect(isOff()).toBe(true);
});
