import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { type Level, meanLevel, measureLevel, silence } from '#shared/sound/level.ts';
import type { AudioEngine } from './context.ts';
import { type CaptureParts, type CaptureSettings, capture } from './microphone-capture.ts';

type MeterView =
	| { readonly state: 'closed' }
	/** Waiting for the microphone, maybe for the user's permission. */
	| { readonly state: 'opening' }
	| { readonly state: 'open'; readonly level: Level; readonly device: string }
	| { readonly state: 'failed'; readonly problem: Problem };

/** The meter's range, dB: speech lies within it. */
const QUIET_DB = -60;
const LOUD_DB = -6;

const closed: MeterView = { state: 'closed' };

export type Meter = ReturnType<typeof createMeter>;

/** A level shown while the user looks at it. A small store; zustand's `useStore` accepts it directly. */
export function createMeter(parts: CaptureParts & TapParts) {
	const listeners = createListeners<[view: MeterView, before: MeterView]>();
	let view: MeterView = closed;
	let end = () => {};

	function set(next: MeterView): void {
		const before = view;
		view = next;
		listeners.tell(next, before);
	}

	function close(): void {
		end();
		end = () => {};
		if (view !== closed) set(closed);
	}

	function tap(track: MediaStreamTrack, tapBy: typeof tapLevel): () => void {
		const showLevel = (level: Level) => set({ state: 'open', level, device: track.label });
		showLevel(silence);
		return tapBy(parts, track, showLevel);
	}

	return {
		getState: (): MeterView => view,
		getInitialState: (): MeterView => closed,
		subscribe: listeners.listen,
		/** Opens a separate microphone, which is only measured and closes with the meter. */
		async openMicrophone(settings: CaptureSettings): Promise<void> {
			close();
			const abort = new AbortController();
			end = () => abort.abort();
			set({ state: 'opening' });
			const captured = await capture(parts, settings, abort.signal);
			if (abort.signal.aborted) {
				if (captured.ok) captured.value.track.stop();
				return;
			}
			if (!captured.ok) return set({ state: 'failed', problem: captured.error });
			const { track } = captured.value;
			const untap = tap(track, tapLevel);
			end = () => {
				untap();
				track.stop();
			};
		},
		/** Shows a track that is already open; the caller still owns it. */
		show(track: MediaStreamTrack): void {
			close();
			end = tap(track, tapLevelLater);
		},
		/** On return, everything the meter opened is off. */
		close,
	};
}

/** dBFS to 0..1, linear in dB, so that the bar moves as loudness is perceived. */
export function meterShare({ peakDb }: Pick<Level, 'peakDb'>): number {
	return Math.min(1, Math.max(0, (peakDb - QUIET_DB) / (LOUD_DB - QUIET_DB)));
}

export interface TapParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
}

/** 25 readings a second, so that the original is lowered within a syllable. */
export const READING_MS = 40;
/** Longest piece in which sound arrives in a `playback` context. */
const PIECE_MS = 24;
/**
 * A stalled context that claims to run repeats the same samples for ever, so a loud sound would stay loud. After
 * `STILL_MS`, longer than a Bluetooth device takes between two blocks, it counts as silent for a second. Then it
 * gives no readings, because a loudspeaker that hangs does not mean that the microphone is dead.
 */
const STILL_MS = 500;
const SILENT_MS = 1000;

/** `tapLevel` or `tapLevelLater`, ready to use: reads a track every `periodMs`; returns a stop function. */
export type LevelTap = (track: MediaStreamTrack, heard: (level: Level) => void, periodMs: number) => Cancel;

interface Listener {
	readonly heard: (level: Level) => void;
	/** How many readings are averaged into one for this listener. */
	readonly readings: number;
	taken: Level[];
}

interface Tap {
	readonly listeners: Set<Listener>;
	/** Null: no reading. */
	readonly read: () => Level | null;
	readonly end: () => void;
}

interface Hub {
	readonly taps: Map<MediaStreamTrack, Tap>;
	stop: Cancel;
}

/** All listeners to a track get the same reading, and all tracks are read at once. */
const hubs = new WeakMap<AudioEngine, Hub>();

/**
 * Listens to a track beside its path: adds no delay and changes nothing. Reports every `READING_MS`, or the
 * largest multiple of it that fits in `periodMs`. Each reading covers at least a whole period, so that no sample
 * goes unheard. Works on remote tracks only while an element plays them, muted or not (otherwise Chromium
 * delivers no samples). Returns a function that stops this.
 */
export function tapLevel(
	{ engine, clock }: TapParts,
	track: MediaStreamTrack,
	heard: (level: Level) => void,
	periodMs = READING_MS,
): () => void {
	const hub = hubs.get(engine) ?? { taps: new Map<MediaStreamTrack, Tap>(), stop: () => {} };
	hubs.set(engine, hub);
	if (hub.taps.size === 0) hub.stop = clock.every(READING_MS, () => readAll(hub));
	const tap = hub.taps.get(track) ?? begin(engine, track);
	hub.taps.set(track, tap);
	const readings = Math.max(1, Math.round(periodMs / READING_MS));
	const listener: Listener = { heard, readings, taken: [] };
	tap.listeners.add(listener);
	return () => {
		if (!tap.listeners.delete(listener) || tap.listeners.size > 0) return;
		hub.taps.delete(track);
		if (hub.taps.size === 0) hub.stop();
		tap.end();
	};
}

function readAll({ taps }: Hub): void {
	for (const tap of [...taps.values()]) {
		const level = tap.read();
		if (!level) continue;
		for (const listener of [...tap.listeners]) {
			listener.taken.push(level);
			if (listener.taken.length < listener.readings) continue;
			const { taken } = listener;
			listener.taken = [];
			// A listener that an earlier one removed gets no more readings.
			if (tap.listeners.has(listener)) listener.heard(taken.length > 1 ? meanLevel(taken) : level);
		}
	}
}

function begin(engine: AudioEngine, track: MediaStreamTrack): Tap {
	let read = (): Level | null => silence;
	const end = engine.use((context) => {
		const source = context.createMediaStreamSource(new MediaStream([track]));
		const analyser = context.createAnalyser();
		analyser.fftSize = windowSamples((context.sampleRate * (READING_MS + PIECE_MS)) / 1000);
		source.connect(analyser);
		const samples = new Float32Array(analyser.fftSize);
		let movedTo = -1;
		let movedAtMs = 0;
		read = () => {
			// The context runs on the computer's time, whatever clock the app is given.
			const nowMs = performance.now();
			if (context.currentTime !== movedTo) [movedTo, movedAtMs] = [context.currentTime, nowMs];
			const stillMs = nowMs - movedAtMs;
			if (stillMs > STILL_MS + SILENT_MS) return null;
			if (stillMs > STILL_MS) return silence;
			analyser.getFloatTimeDomainData(samples);
			return measureLevel(samples);
		};
		return () => source.disconnect();
	}, 'playback');
	return { listeners: new Set(), read: () => read(), end };
}

/** A starting conversation gets its media within this time. */
const AFTER_START_MS = 1000;

/** Like `tapLevel`, but waits a little if a new AudioContext is needed, so as not to delay a start. */
export function tapLevelLater(
	parts: TapParts,
	track: MediaStreamTrack,
	heard: (level: Level) => void,
	periodMs = READING_MS,
): () => void {
	if (parts.engine.isRunning) return tapLevel(parts, track, heard, periodMs);
	const scope = createScope(parts.clock);
	scope.after(AFTER_START_MS, () => void scope.add(tapLevel(parts, track, heard, periodMs)));
	return () => scope.close();
}

/** The analyser takes powers of two only, 32 to 32768. */
function windowSamples(atLeast: number): number {
	return Math.min(32_768, Math.max(32, 2 ** Math.ceil(Math.log2(atLeast))));
}
