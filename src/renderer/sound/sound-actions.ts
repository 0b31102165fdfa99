import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { atMost, type Clock, pause } from '#shared/lib/clock.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { chooseDevice, type Device, isOwnDevice } from '#shared/sound/devices.ts';
import { FLOOR_DB, type Level, silence } from '#shared/sound/level.ts';
import {
	createPathProbe,
	type PathOutcome,
	type PathStep,
	PROBE_RATE_HZ,
	probeSound,
} from '#shared/sound/path-probe.ts';
import { s16ToFloat } from '#shared/sound/pcm.ts';
import { chime } from '#shared/sound/tones.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import type { AudioEngine } from './context.ts';
import type { DeviceList, Devices, MediaSource } from './device-list.ts';
import { createMeter, meterShare, type TapParts, tapLevel } from './meter.ts';
import { type CaptureParts, type CaptureSettings, capture } from './microphone-capture.ts';
import type { OutputDevice } from './output.ts';
import { createPcmCapture } from './pcm-capture.ts';
import { playWav } from './play-wav.ts';
import type { Sound } from './sound.ts';

/** Limit for playing the chime, which is far shorter. */
const LIMIT_MS = 5000;

/** A quiet room does not reach this level in a working microphone; a voice nearby does. */
const LEVEL_DB = -60;

const LISTEN_MS = 800;

const MOST_DEVICES = 6;

export interface SoundActionsParts {
	readonly engine: AudioEngine;
	readonly devices: Devices;
	readonly media: MediaSource;
	readonly clock: Clock;
	readonly settings: SettingsMirror;
	/** Newest settings of the microphone. */
	readonly captureSettings: () => CaptureSettings;
}

export type SoundActions = Pick<Sound, 'liveliest' | 'testOutput' | 'record' | 'play' | 'testPath'>;

/** A device may take a while to start playing. */
const PLAY_SLACK_MS = 5000;

/** Plays and records sound at the press of a button, outside any conversation. */
export function createSoundActions(parts: SoundActionsParts): SoundActions {
	return {
		liveliest: () => findLiveliest(parts, parts.captureSettings()),
		testOutput() {
			const { output, voiceVolume } = parts.settings.store.getState().values;
			return playTestSound({ clock: parts.clock }, output, voiceVolume);
		},
		async record(options) {
			const begun = await recordSample(parts, parts.captureSettings(), options);
			void parts.devices.refresh();
			return begun.ok ? ok({ ...begun.value, level: () => meterShare(begun.value.level()) }) : begun;
		},
		play({ samples, rateHz }, signal, speed = 1) {
			const { output: wanted, voiceVolume: volume } = parts.settings.store.getState().values;
			// Play on the default device, as voices do, while the chosen one is missing.
			const choice = chooseDevice(wanted, parts.devices.getState().outputs);
			const output = choice.how === 'wanted' ? choice.device : null;
			const limitMs = (samples.length / rateHz / speed) * 1000 + PLAY_SLACK_MS;
			return playWav(parts, encodeWav(floatOf(samples), rateHz), { output, volume, limitMs, signal, speed });
		},
		testPath: (path) => testPath(parts, path),
	};
}

function floatOf(samples: Int16Array): Float32Array {
	const out = new Float32Array(samples.length);
	s16ToFloat(samples, out);
	return out;
}

/** Finds the loudest of the other microphones; null = all silent. Needs permission; only measures the sound. */
export async function findLiveliest(
	parts: CaptureParts & TapParts,
	settings: CaptureSettings,
): Promise<Device | null> {
	const { inputs, defaultInput } = parts.devices.getState();
	const choice = chooseDevice(settings.microphone, inputs);
	const inUse = choice.how === 'wanted' ? choice.device.id : defaultInput?.id;
	let loudest: { readonly device: Device; readonly db: number } | null = null;
	for (const device of inputs.filter((one) => one.id !== inUse && !isOwnDevice(one)).slice(0, MOST_DEVICES)) {
		const db = await peakOf(parts, { ...settings, microphone: { id: device.id, label: device.label } });
		if (db > Math.max(LEVEL_DB, loudest?.db ?? LEVEL_DB)) loudest = { device, db };
	}
	return loudest?.device ?? null;
}

async function peakOf(parts: CaptureParts & TapParts, settings: CaptureSettings): Promise<number> {
	const meter = createMeter(parts);
	let peak = Number.NEGATIVE_INFINITY;
	const unsubscribe = meter.subscribe((view) => {
		if (view.state === 'open') peak = Math.max(peak, view.level.peakDb);
	});
	await meter.openMicrophone(settings);
	if (meter.getState().state === 'open') {
		await new Promise<void>((done) => void parts.clock.after(LISTEN_MS, done));
	}
	unsubscribe();
	meter.close();
	return peak;
}

/** Plays a chime on an output (`null` = the system default), as `playWav` does. */
export function playTestSound(
	parts: { readonly clock: Clock },
	output: OutputDevice | null,
	volume = 1,
): Promise<Result<void, Problem>> {
	const { samples, rateHz } = chime();
	return playWav(parts, encodeWav(samples, rateHz), { output, volume, limitMs: LIMIT_MS });
}

/** A device just created appears in the browser's list a moment later. */
const LISTED_LIMIT_MS = 3000;
const LIST_EVERY_MS = 250;
/** A capture that has just been opened may deliver nothing yet: a device, or a busy computer, takes a moment. */
const FIRST_SOUND_LIMIT_MS = 3000;
/** The tone is 1 s with its silences. */
const PLAY_LIMIT_MS = 6000;
/** Counted from the end of playback: a path with a longer delay is no use in a call. */
const HEAR_LIMIT_MS = 2000;
/** Twice, because a device that was asleep may swallow the first tone. */
const PLAYS = 2;

interface PathTestParts extends CaptureParts {
	readonly engine: AudioEngine;
	/** For tests; default `playWav`. */
	readonly play?: typeof playWav;
}

interface PathTest {
	readonly speaker: OutputDevice;
	/** Label of the microphone on which the tone must be heard. */
	readonly microphone: string;
	readonly signal: AbortSignal;
	/** Called as each step begins. */
	readonly tell: (step: PathStep) => void;
}

/** Plays a tone where our voice plays, and listens where the call would. `null`: `signal` ended it. */
export async function testPath(parts: PathTestParts, test: PathTest): Promise<PathOutcome | null> {
	test.tell('speaker');
	const speaker = await listed(parts, test, ({ outputs }) =>
		outputs.find(({ id, label }) => id === test.speaker.id || label === test.speaker.label),
	);
	if (test.signal.aborted) return null;
	if (!speaker) return { passed: false, step: 'speaker', label: test.speaker.label };
	test.tell('microphone');
	const microphone = await listed(parts, test, ({ inputs }) =>
		inputs.find(({ label }) => label === test.microphone),
	);
	if (test.signal.aborted) return null;
	if (!microphone) return { passed: false, step: 'microphone', label: test.microphone };
	test.tell('open');
	const settings = { microphone, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
	const captured = await capture(parts, settings, test.signal);
	if (!captured.ok)
		return test.signal.aborted ? null : { passed: false, step: 'open', problem: captured.error };
	const { track, wanted } = captured.value;
	try {
		// The device disappeared between listing and opening, and the browser opened another one.
		if (!wanted) return { passed: false, step: 'microphone', label: test.microphone };
		const outcome = await listenWhilePlaying(parts, test, track, speaker);
		return test.signal.aborted ? null : outcome;
	} finally {
		track.stop();
	}
}

/** Waits a while for the device: the browser's list lags behind the system's. */
async function listed(
	{ devices, clock }: PathTestParts,
	{ signal }: PathTest,
	find: (list: DeviceList) => Device | undefined,
): Promise<Device | undefined> {
	const untilMs = clock.now() + LISTED_LIMIT_MS;
	for (;;) {
		const found = find(await devices.refresh());
		if (found || signal.aborted || clock.now() >= untilMs) return found;
		await pause(clock, LIST_EVERY_MS, signal);
	}
}

async function listenWhilePlaying(
	parts: PathTestParts,
	test: PathTest,
	track: MediaStreamTrack,
	speaker: OutputDevice,
): Promise<PathOutcome> {
	const ear = createEar(parts, track, test.signal);
	const { samples, rateHz, startsAtMs } = probeSound();
	const wav = encodeWav(samples, rateHz);
	const play = parts.play ?? playWav;
	try {
		// Wait for the first input: a tone played earlier would seem to arrive too soon, or not at all.
		await ear.begins(FIRST_SOUND_LIMIT_MS);
		for (let plays = 0; plays < PLAYS && !test.signal.aborted; plays += 1) {
			test.tell('play');
			let beganMs = ear.heardMs();
			const played = await play(parts, wav, {
				output: speaker,
				volume: 1,
				limitMs: PLAY_LIMIT_MS,
				signal: test.signal,
				started: () => {
					beganMs = ear.heardMs();
				},
			});
			if (!played.ok) return { passed: false, step: 'play', problem: played.error };
			test.tell('hear');
			await ear.wait(HEAR_LIMIT_MS);
			const heard = ear.probe.push([]);
			if (!heard) continue;
			const delayMs = Math.max(0, Math.round(heard.atMs - beganMs - startsAtMs));
			return { passed: true, delayMs, gainDb: heard.gainDb };
		}
		return {
			passed: false,
			step: 'hear',
			heard: ear.probe.loudestDb() <= FLOOR_DB ? 'silence' : 'other-sound',
		};
	} finally {
		ear.close();
	}
}

function createEar(parts: PathTestParts, track: MediaStreamTrack, signal: AbortSignal) {
	const probe = createPathProbe();
	const { promise: found, resolve: tell } = Promise.withResolvers<void>();
	const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
	/** Stops the wait for further sound. */
	function stop(): void {
		begin();
		tell();
	}
	signal.addEventListener('abort', stop, { once: true });
	if (signal.aborted) stop();
	const pcm = createPcmCapture({
		engine: parts.engine,
		clock: parts.clock,
		lost: stop,
	});
	const { port1, port2 } = new MessageChannel();
	let samples = 0;
	port1.onmessage = ({ data }) => {
		if (!(data instanceof Int16Array)) return;
		const floats = new Float32Array(data.length);
		s16ToFloat(data, floats);
		samples += data.length;
		begin();
		if (probe.push(floats)) tell();
	};
	pcm.setTrack(track);
	pcm.sendTo(port2);
	return {
		probe,
		/** Sound that was heard so far, ms. */
		heardMs: (): number => (samples / PROBE_RATE_HZ) * 1000,
		/** Resolves when the first sound has arrived, silence included, or after `limitMs`. */
		begins: (limitMs: number): Promise<void> => atMost(parts.clock, limitMs, begun),
		/** Resolves to whether the tone was heard: at once if it already was, after `limitMs` at the latest. */
		async wait(limitMs: number): Promise<boolean> {
			await atMost(parts.clock, limitMs, found);
			return probe.push([]) !== null;
		},
		close(): void {
			signal.removeEventListener('abort', stop);
			pcm.close();
			port1.close();
		},
	};
}

/** A recording, mono 16 bit. */
export interface Take {
	readonly samples: Int16Array;
	readonly rateHz: number;
}

/** A running recording with its own microphone. */
interface SampleRecording {
	readonly lengthMs: () => number;
	readonly level: () => Level;
	/** Turns the microphone off at once and returns everything recorded so far. Further calls return the same. */
	stop(): Take;
}

const RATE_HZ = 24_000;

/**
 * Records the microphone through the same path as speech sent to a socket: 24 kHz, mono. `ended` is called when
 * recording stops by itself: at `mostMs`, when the device disappears, or when the audio context fails for good.
 */
export async function recordSample(
	parts: CaptureParts & { readonly engine: AudioEngine },
	settings: CaptureSettings,
	options: { readonly mostMs: number; readonly signal: AbortSignal; readonly ended: () => void },
): Promise<Result<SampleRecording, Problem>> {
	const captured = await capture(parts, settings, options.signal);
	if (!captured.ok) return captured;
	const { track } = captured.value;
	const frames: Int16Array[] = [];
	const most = Math.floor((options.mostMs / 1000) * RATE_HZ);
	let count = 0;
	let level = silence;
	let take: Take | null = null;

	const showLevel = (heard: Level) => {
		level = heard;
	};
	const untap = tapLevel(parts, track, showLevel);
	const pcm = createPcmCapture({ engine: parts.engine, clock: parts.clock, lost: end });
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = ({ data }) => {
		if (take || !(data instanceof Int16Array)) return;
		frames.push(data);
		count += data.length;
		if (count >= most) end();
	};
	pcm.setTrack(track);
	pcm.sendTo(port2);
	track.addEventListener('ended', end);
	options.signal.addEventListener('abort', stop, { once: true });

	function stop(): Take {
		if (take) return take;
		options.signal.removeEventListener('abort', stop);
		track.removeEventListener('ended', end);
		track.stop();
		untap();
		pcm.close();
		port1.close();
		const samples = new Int16Array(Math.min(count, most));
		let at = 0;
		for (const frame of frames.splice(0)) {
			samples.set(frame.subarray(0, samples.length - at), at);
			at += Math.min(frame.length, samples.length - at);
		}
		take = { samples, rateHz: RATE_HZ };
		return take;
	}

	function end(): void {
		if (take) return;
		stop();
		options.ended();
	}

	return ok({ lengthMs: () => (count / RATE_HZ) * 1000, level: () => (take ? silence : level), stop });
}
