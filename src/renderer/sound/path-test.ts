import type { PathOutcome, PathStep } from '#shared/calls/path-outcome.ts';
import { atMost } from '#shared/lib/at-most.ts';
import { pause } from '#shared/lib/pause.ts';
import type { Device } from '#shared/sound/choose-device.ts';
import { FLOOR_DB } from '#shared/sound/level.ts';
import { createPathProbe, type PathProbe, PROBE_RATE_HZ, probeSound } from '#shared/sound/path-probe.ts';
import { s16ToFloat } from '#shared/sound/s16le.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import type { AudioEngine } from './context.ts';
import type { DeviceList } from './devices.ts';
import { type CaptureParts, capture } from './microphone-capture.ts';
import type { OutputDevice } from './output.ts';
import { createPcmCapture } from './pcm-capture.ts';
import { playWav } from './play-wav.ts';

/** A device that was just made is in the browser's list a moment later. */
const LISTED_LIMIT_MS = 3000;
const LIST_EVERY_MS = 250;
/** A capture that has just been opened may bring nothing yet: a device takes its time, and so does a busy machine. */
const FIRST_SOUND_LIMIT_MS = 3000;
/** The tone is 1 s with its silences. */
const PLAY_LIMIT_MS = 6000;
/** Counted from the end of playback: a path with a longer delay is no use in a call. */
const HEAR_LIMIT_MS = 2000;
/** A device that was asleep may swallow the first. */
const PLAYS = 2;

export interface PathTestParts extends CaptureParts {
	readonly engine: AudioEngine;
	/** For tests; default `playWav`. */
	readonly play?: typeof playWav;
}

export interface PathTest {
	readonly speaker: OutputDevice;
	/** Label of the microphone it must be heard on. */
	readonly microphone: string;
	readonly signal: AbortSignal;
	/** Called as each step begins. */
	readonly tell: (step: PathStep) => void;
}

/**
 * Plays a tone where our voice would be played and listens where the call would listen, with no processing
 * between. When it resolves nothing plays and no microphone of its own is open. `null` = `signal` ended it.
 */
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
		// It disappeared between listing and opening, and another device stood in.
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

interface Ear {
	readonly probe: PathProbe;
	/** Sound that was heard so far, ms. */
	heardMs(): number;
	/** Resolves when the first sound has come, silence included, or after `limitMs`. */
	begins(limitMs: number): Promise<void>;
	/** Resolves to whether the tone was heard, at the latest after `limitMs`, at once when it was already. */
	wait(limitMs: number): Promise<boolean>;
	close(): void;
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
		// What is played before the first sound comes in would seem to arrive too soon, or not at all.
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

function createEar(parts: PathTestParts, track: MediaStreamTrack, signal: AbortSignal): Ear {
	const probe = createPathProbe();
	const { promise: found, resolve: tell } = Promise.withResolvers<void>();
	const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
	/** Nothing more will be heard: nobody waits any longer. */
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
		heardMs: () => (samples / PROBE_RATE_HZ) * 1000,
		begins: (limitMs) => atMost(parts.clock, limitMs, begun),
		async wait(limitMs) {
			await atMost(parts.clock, limitMs, found);
			return probe.push([]) !== null;
		},
		close() {
			signal.removeEventListener('abort', stop);
			pcm.close();
			port1.close();
		},
	};
}
