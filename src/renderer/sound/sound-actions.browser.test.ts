import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { PathStep } from '#shared/sound/path-probe.ts';
import { createFakeMedia, type FakeDevice } from '#test/support/fake-media.ts';
import { type AudioEngine, createAudioEngine } from './context.ts';
import { createDevices } from './device-list.ts';
import type { playWav } from './play-wav.ts';
import { testPath } from './sound-actions.ts';

const voice: FakeDevice = { kind: 'audiooutput', id: 'v', label: 'Dragoman voice' };
const microphone: FakeDevice = { kind: 'audioinput', id: 'm', label: 'Dragoman microphone' };
const laptop: FakeDevice = { kind: 'audioinput', id: 'l', label: 'Laptop' };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

interface Cable {
	/** How much of what is played arrives. */
	readonly gain?: number;
	readonly delayS?: number;
	/** Something else that the microphone hears, 0 to 1. */
	readonly hum?: number;
	/** How many of the first plays are swallowed. */
	readonly sleeps?: number;
	readonly plugged?: readonly FakeDevice[];
	readonly play?: typeof playWav;
	readonly failing?: string;
	/** How long the capture takes to begin, ms. */
	readonly lateMs?: number;
}

/** A cable of Web Audio: what is played on its speaker comes out of its microphone, delayed and scaled as given. */
async function setUp(cable: Cable = {}) {
	const { gain = 1, delayS = 0, hum = 0, plugged = [laptop, microphone, voice] } = cable;
	const media = createFakeMedia(plugged);
	if (cable.failing) media.fail(...Array.from({ length: 3 }, () => cable.failing ?? ''));
	const context = new AudioContext();
	// Right after the browser’s start that takes longer than a tone: a cable is there before it is tested.
	await context.resume();
	const end = context.createMediaStreamDestination();
	const delay = new DelayNode(context, { delayTime: delayS, maxDelayTime: 2 });
	const volume = new GainNode(context, { gain });
	const tone = new OscillatorNode(context, { frequency: 300 });
	tone.connect(new GainNode(context, { gain: hum })).connect(end);
	tone.start();
	volume.connect(delay).connect(end);
	const tracks: MediaStreamTrack[] = [];
	let plays = 0;
	const play: typeof playWav = async (_parts, wav, { started }) => {
		plays += 1;
		const source = new AudioBufferSourceNode(context, {
			buffer: await context.decodeAudioData(wav.slice().buffer),
		});
		if (plays > (cable.sleeps ?? 0)) source.connect(volume);
		source.start();
		started?.();
		await new Promise((done) => source.addEventListener('ended', done, { once: true }));
		return ok();
	};
	const clock = systemClock;
	const wired = {
		...media,
		async getUserMedia(wish?: MediaStreamConstraints) {
			// Refuses as the fake devices do; its sound is the cable's.
			const opened = await media.getUserMedia(wish);
			for (const track of opened.getTracks()) track.stop();
			const stream = end.stream.clone();
			tracks.push(...stream.getTracks());
			return stream;
		},
	};
	const devices = createDevices({ media: wired, clock });
	const prompt = createAudioEngine({ clock, log: silentLogger });
	const engine: AudioEngine = {
		...prompt,
		use(build, latency) {
			let end = () => {};
			const cancel = clock.after(cable.lateMs ?? 0, () => {
				end = prompt.use(build, latency);
			});
			return () => {
				cancel();
				end();
			};
		},
	};
	const abort = new AbortController();
	const steps: PathStep[] = [];
	ends.push(async () => {
		devices.close();
		await prompt.close();
		await context.close();
		await media.close();
	});
	return {
		abort,
		steps,
		live: () => tracks.filter(({ readyState }) => readyState === 'live').length,
		run: () =>
			testPath(
				{ media: wired, devices, engine, clock, play: cable.play ?? play },
				{
					speaker: { id: 'v', label: 'Dragoman voice' },
					microphone: 'Dragoman microphone',
					signal: abort.signal,
					tell: (step) => steps.push(step),
				},
			),
	};
}

test.each([
	['a tone that arrives proves the way, with its delay and loudness, and leaves nothing open', 0],
	['a capture that is slow to begin makes the way no shorter', 900],
])(
	'%s',
	async (_, lateMs) => {
		const { run, live, steps } = await setUp({ delayS: 0.3, gain: 0.5, lateMs });
		const outcome = await run();
		expect(outcome).toMatchObject({ passed: true });
		if (!outcome?.passed) return;
		// Halved, -6 dB; what a busy machine drops of the tone makes it quieter, never louder.
		expect(outcome.gainDb).toBeGreaterThan(-12);
		expect(outcome.gainDb).toBeLessThan(-5);
		expect(outcome.delayMs).toBeGreaterThan(150);
		expect(outcome.delayMs).toBeLessThan(900);
		// A tone with holes in it, as a busy machine makes them, is played once more.
		expect([...new Set(steps)]).toEqual(['speaker', 'microphone', 'open', 'play', 'hear']);
		expect(live()).toBe(0);
	},
	20_000,
);

test('a device that was asleep at the first tone is given a second', async () => {
	const { run } = await setUp({ sleeps: 1 });
	expect(await run()).toMatchObject({ passed: true });
}, 20_000);

test.each([
	{ why: 'muted', cable: { gain: 0 }, heard: 'silence' },
	{ why: 'of another device', cable: { gain: 0, hum: 0.3 }, heard: 'other-sound' },
] as const)(
	'a microphone that is $why hears $heard',
	async ({ cable, heard }) => {
		const { run, live } = await setUp(cable);
		expect(await run()).toEqual({ passed: false, step: 'hear', heard });
		expect(live()).toBe(0);
	},
	20_000,
);

test.each([
	{ step: 'speaker', plugged: [laptop, microphone], label: 'Dragoman voice' },
	{ step: 'microphone', plugged: [laptop, voice], label: 'Dragoman microphone' },
] as const)(
	'a $step that is not there is named, and no other stands in',
	async ({ step, plugged, label }) => {
		const { run, live } = await setUp({ plugged });
		expect(await run()).toEqual({ passed: false, step, label });
		expect(live()).toBe(0);
	},
	20_000,
);

test('a microphone that refuses, and a speaker that does, are told apart', async () => {
	const denied = await setUp({ failing: 'NotAllowedError' });
	expect(await denied.run()).toEqual({
		passed: false,
		step: 'open',
		problem: { kind: 'microphone-denied' },
	});
	const deaf = await setUp({ play: async () => err({ kind: 'output-missing', device: 'Dragoman voice' }) });
	expect(await deaf.run()).toEqual({
		passed: false,
		step: 'play',
		problem: { kind: 'output-missing', device: 'Dragoman voice' },
	});
	expect(deaf.live()).toBe(0);
}, 20_000);

test('ended by the user it says nothing and leaves nothing open', async () => {
	const { run, abort, live } = await setUp({
		play: async (_parts, _wav, { signal }) => {
			abort.abort();
			expect(signal?.aborted).toBe(true);
			return ok();
		},
	});
	expect(await run()).toBeNull();
	expect(live()).toBe(0);
}, 20_000);
