import { expect, test } from 'vitest';
import { ECHO_PERIOD_MS } from '#renderer/sound/echo-guard.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { speech } from '#test/support/murmur.ts';
import { createEchoGuard, type GateWish } from './echo-guard.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import type { Mixer, MixerEvent } from './mixer.ts';

const SILENCE = -90;
/** Delay from the loudspeaker to the microphone, in periods of 40 ms. */
const WAY = 4;

interface Wish {
	readonly gate?: GateWish;
	readonly inRoom?: boolean;
}

/** A voice that speaks all the time, and a microphone that hears the levels that the test passes to `run`. */
async function setUp(wish: Wish = {}) {
	const clock = createManualClock();
	const voice = speech(1, 20_000);
	const said = speech(77, 20_000);
	let at = 0;
	let say = (_db: number) => {};
	let mixerTells = (_event: MixerEvent) => {};
	let microphoneTells = (_event: MicrophoneEvent) => {};
	let gate = wish.gate ?? 'auto';
	const mutes: { muted: boolean; atMs: number }[] = [];
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
			listen: (heard: typeof mixerTells) => {
				mixerTells = heard;
				return () => {};
			},
			setVoice() {},
			selectVoice() {},
			setVoiceVolume() {},
			setOutput: async () => ({ ok: true }),
		} as unknown as Mixer,
		() => wish.inRoom ?? true,
	);
	const microphone = guard.guard({
		open: async () => ({ ok: true, value: {} }),
		setMuted: (muted: boolean) => void mutes.push({ muted, atMs: clock.now() }),
		listen: (heard: typeof microphoneTells) => {
			microphoneTells = heard;
			return () => {};
		},
	} as unknown as Microphone);
	const told: string[] = [];
	microphone.listen(({ type }) => void told.push(type));
	await microphone.open();
	mixer.selectVoice('de');
	mixer.setVoice('de', {} as MediaStreamTrack);
	mixerTells({ type: 'voice-active', active: true });
	return {
		clock,
		guard,
		mixer,
		microphone,
		mutes,
		told,
		speaksWhileOff: () => microphoneTells({ type: 'speaking-while-muted' }),
		isOff: () => mutes.at(-1)?.muted,
		seen: () => guard.store.getState(),
		setGate(next: GateWish) {
			gate = next;
			guard.apply();
		},
		voiceEnds: () => mixerTells({ type: 'voice-active', active: false }),
		outputSwitched: () => mixerTells({ type: 'output-switched', from: 'Headset', to: '' }),
		replaced: () =>
			microphoneTells({ type: 'replaced', track: {} as MediaStreamTrack, from: 'one', to: 'other' }),
		run(seconds: number, heard: (at: number) => number) {
			for (const end = at + (1000 * seconds) / ECHO_PERIOD_MS; at < end; at += 1) {
				say(voice[at] ?? SILENCE);
				guard.heard(heard(at));
				clock.advance(ECHO_PERIOD_MS);
			}
		},
		echo: (at: number) => (voice[at - WAY] ?? SILENCE) - 10,
		talk: (at: number) => said[at] ?? SILENCE,
		silence: () => SILENCE,
	};
}

const nothing = { heard: false, gated: false };

test('an echo is said, one that goes on shuts the microphone, and one that is over opens it again', async () => {
	const { seen, isOff, run, echo, silence } = await setUp();
	run(6, echo);
	expect([seen(), isOff()]).toEqual([{ heard: true, gated: false }, false]);
	run(6, echo);
	expect([seen(), isOff()]).toEqual([{ heard: true, gated: true }, true]);
	run(120, echo);
	expect(isOff()).toBe(true);
	run(20, silence);
	expect(isOff()).toBe(true);
	run(60, silence);
	expect([seen(), isOff()]).toEqual([nothing, false]);
});

test('a warning that was put away stays away while the microphone is shut as it should be', async () => {
	const auto = await setUp();
	auto.run(12, auto.echo);
	auto.guard.dismiss();
	auto.run(200, auto.echo);
	expect([auto.seen(), auto.isOff()]).toEqual([{ heard: false, gated: true }, true]);

	const asked = await setUp({ gate: 'on' });
	asked.run(200, asked.echo);
	expect([asked.seen().heard, asked.isOff()]).toEqual([false, true]);
});

test('speech during the voice does not close the microphone, nor open it if there is an echo', async () => {
	const quiet = await setUp();
	quiet.run(300, quiet.talk);
	expect([quiet.seen(), quiet.isOff()]).toEqual([nothing, false]);

	const loud = await setUp();
	loud.run(12, loud.echo);
	expect(loud.isOff()).toBe(true);
	loud.run(300, (at) => Math.max(loud.echo(at), loud.talk(at)));
	expect(loud.isOff()).toBe(true);
});

test('an echo once in a while is no loop', async () => {
	const { seen, isOff, run, echo, silence } = await setUp();
	for (let times = 0; times < 4; times += 1) {
		for (let tries = 0; tries < 20 && !seen().heard; tries += 1) run(0.4, echo);
		expect([seen().heard, isOff()]).toEqual([true, false]);
		run(150, silence);
	}
});

test('a gate that is asked for stays, echo or not, and one that is refused does not come', async () => {
	const { isOff, run, echo, silence, setGate } = await setUp({ gate: 'on' });
	run(20, echo);
	run(200, silence);
	expect(isOff()).toBe(true);
	setGate('off');
	run(1, silence);
	expect(isOff()).toBe(false);
	run(60, echo);
	expect(isOff()).toBe(false);
});

test('a microphone that the user has muted is not judged, and stays muted', async () => {
	const { seen, microphone, isOff, run, echo, silence } = await setUp();
	microphone.setMuted(true);
	run(60, echo);
	expect([seen(), isOff()]).toEqual([nothing, true]);
	microphone.setMuted(false);
	run(20, echo);
	expect([seen(), isOff()]).toEqual([{ heard: true, gated: true }, true]);
	microphone.setMuted(true);
	run(200, silence);
	expect(isOff()).toBe(true);
});

test('reports speech while muted, but not while only the voice keeps the microphone closed', async () => {
	const { microphone, told, isOff, speaksWhileOff, voiceEnds } = await setUp({ gate: 'on' });
	microphone.setMuted(false);
	expect(isOff()).toBe(true);
	speaksWhileOff();
	expect(told).toEqual([]);
	microphone.setMuted(true);
	speaksWhileOff();
	expect(told).toEqual(['speaking-while-muted']);
	voiceEnds();
	speaksWhileOff();
	expect(told).toHaveLength(2);
});

test('after the voice the microphone is on as soon as the room has died away, also when the echo is found once more', async () => {
	const { clock, mutes, isOff, run, echo, voiceEnds } = await setUp();
	run(20, echo);
	expect(isOff()).toBe(true);
	const endedMs = clock.now();
	voiceEnds();
	run(4, echo);
	expect(mutes.at(-1)).toEqual({ muted: false, atMs: endedMs + 250 + WAY * ECHO_PERIOD_MS });
});

test('another microphone or another output is judged anew', async () => {
	const { seen, mixer, isOff, run, echo, silence, replaced } = await setUp();
	run(20, echo);
	replaced();
	run(1, silence);
	expect([seen(), isOff()]).toEqual([nothing, false]);
	run(20, echo);
	expect(isOff()).toBe(true);
	await mixer.setOutput(null);
	run(1, silence);
	expect([seen(), isOff()]).toEqual([nothing, false]);
});

test('a voice that nobody hears, here or at all, is neither an echo nor the end of one', async () => {
	const elsewhere = await setUp({ inRoom: false });
	elsewhere.run(60, elsewhere.echo);
	expect([elsewhere.seen(), elsewhere.isOff()]).toEqual([nothing, false]);

	const { seen, mixer, isOff, run, echo, silence } = await setUp();
	run(12, echo);
	mixer.setVoiceVolume(0);
	run(120, silence);
	expect([seen().gated, isOff()]).toEqual([true, false]);
	mixer.setVoiceVolume(1);
	expect(isOff()).toBe(true);
});

test('an output that goes away by itself is judged anew as one that is chosen', async () => {
	const { seen, isOff, run, echo, silence, outputSwitched } = await setUp();
	run(20, echo);
	expect([seen(), isOff()]).toEqual([{ heard: true, gated: true }, true]);
	outputSwitched();
	run(1, silence);
	expect([seen(), isOff()]).toEqual([nothing, false]);
});
