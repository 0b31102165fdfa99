/** Possible faults of a recording for a cloned voice. */
export type SampleFault = 'too-short' | 'short' | 'too-long' | 'clipped' | 'quiet' | 'noisy' | 'silent';

export interface SampleReport {
	readonly lengthMs: number;
	/** Share of samples at full scale, 0..1. */
	readonly clipped: number;
	/** Loudness of the loud passages (the speech), dBFS. */
	readonly speechDb: number;
	/** Loudness of the quiet passages (the room), dBFS. */
	readonly noiseDb: number;
	/** Worst first; empty = no faults. */
	readonly faults: readonly SampleFault[];
}

/** Faults for which we refuse a recording; other faults are only shown. */
export const FORBIDDING: ReadonlySet<SampleFault> = new Set(['too-short', 'too-long', 'silent']);

const WINDOW_MS = 20;
const FULL_SCALE = 32_768;
/** The largest 16-bit sample, minus some rounding. */
const AT_FULL_SCALE = 32_700;
/** A larger share is more than an occasional click. */
const CLIPPED_SHARE = 0.0005;
const QUIET_DB = -36;
const SILENT_DB = -55;
/** In a quiet room speech exceeds the noise by 30 dB and more. */
const NOISY_BELOW_DB = 18;
const FLOOR_DB = -100;

/** Checks mono 16-bit samples; `limits` in ms (`SAMPLE_LENGTH_MS` in voices/draft.ts). */
export function checkSample(
	samples: Int16Array,
	rateHz: number,
	limits: { readonly least: number; readonly wanted: number; readonly most: number },
): SampleReport {
	const lengthMs = (samples.length / rateHz) * 1000;
	const { levels, clipped } = levelsOf(samples, Math.max(1, Math.round((rateHz * WINDOW_MS) / 1000)));
	levels.sort((a, b) => a - b);
	const at = (share: number) => levels[Math.floor((levels.length - 1) * share)] ?? FLOOR_DB;
	const [noiseDb, speechDb] = [at(0.1), at(0.9)];
	const isSilent = speechDb < SILENT_DB;
	const found: readonly (readonly [SampleFault, boolean])[] = [
		['silent', isSilent],
		['too-short', lengthMs < limits.least],
		['too-long', lengthMs > limits.most],
		['clipped', clipped > CLIPPED_SHARE],
		['quiet', !isSilent && speechDb < QUIET_DB],
		['noisy', !isSilent && speechDb - noiseDb < NOISY_BELOW_DB],
		['short', lengthMs >= limits.least && lengthMs < limits.wanted],
	];
	const faults = found.flatMap(([fault, is]) => (is ? [fault] : []));
	return { lengthMs, clipped, speechDb, noiseDb, faults };
}

/** Loudness of each window, dBFS, and the share of samples at full scale. */
function levelsOf(samples: Int16Array, window: number): { levels: number[]; clipped: number } {
	const levels: number[] = [];
	let full = 0;
	let energy = 0;
	for (let index = 0; index < samples.length; index += 1) {
		const sample = samples[index] ?? 0;
		if (Math.abs(sample) >= AT_FULL_SCALE) full += 1;
		energy += sample * sample;
		if ((index + 1) % window !== 0) continue;
		const rms = Math.sqrt(energy / window) / FULL_SCALE;
		levels.push(rms > 0 ? Math.max(FLOOR_DB, 20 * Math.log10(rms)) : FLOOR_DB);
		energy = 0;
	}
	return { levels, clipped: samples.length === 0 ? 0 : full / samples.length };
}

/** The peak of each of `count` stretches, 0..1: for drawing. */
export function peaksOf(samples: Int16Array, count: number): readonly number[] {
	return Array.from({ length: count }, (_, index) => {
		const from = Math.floor((index * samples.length) / count);
		const to = Math.max(from + 1, Math.floor(((index + 1) * samples.length) / count));
		let peak = 0;
		for (let at = from; at < to; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
		return peak / FULL_SCALE;
	});
}

/** Frequency of the mains, Hz: 50 in most of the world, 60 in the Americas and parts of Asia. */
const MAINS = [50, 60] as const;
const OVERTONES = 6;
const HUM_WINDOW_MS = 100;
/** Quieter hum is inaudible. */
const AUDIBLE = 10 ** (-55 / 20);
/** Share of the sound between words above which it counts as hum rather than room noise. */
const SHARE = 0.5;

/** Whether a recording (mono 16 bit) hums: mains frequency and its overtones dominate audibly between words. */
export function hums(samples: Int16Array, rateHz: number): boolean {
	const length = Math.round((rateHz * HUM_WINDOW_MS) / 1000);
	if (length === 0 || samples.length < length) return false;
	const windows: Int16Array[] = [];
	for (let from = 0; from + length <= samples.length; from += length)
		windows.push(samples.subarray(from, from + length));
	const quiet = windows
		.map((window) => ({ window, power: powerOf(window) }))
		.sort((one, other) => one.power - other.power)
		.slice(0, Math.max(1, Math.floor(windows.length / 4)));
	const total = quiet.reduce((sum, { power }) => sum + power, 0) / quiet.length;
	if (Math.sqrt(total) < AUDIBLE) return false;
	return MAINS.some((mains) => {
		let hum = 0;
		for (const { window } of quiet)
			for (let overtone = 1; overtone <= OVERTONES; overtone += 1)
				hum += powerAt(window, (mains * overtone) / rateHz);
		return hum / quiet.length > total * SHARE;
	});
}

function powerOf(samples: Int16Array): number {
	let sum = 0;
	for (const sample of samples) sum += (sample / FULL_SCALE) ** 2;
	return sum / samples.length;
}

/** Mean power of the sine at `turns` per sample (Goertzel). */
function powerAt(samples: Int16Array, turns: number): number {
	const twice = 2 * Math.cos(2 * Math.PI * turns);
	let [before, beforeThat] = [0, 0];
	for (const sample of samples) {
		const now = sample / FULL_SCALE + twice * before - beforeThat;
		beforeThat = before;
		before = now;
	}
	const squared = before ** 2 + beforeThat ** 2 - twice * before * beforeThat;
	return (2 * squared) / samples.length ** 2;
}

/** A sound in at least this many consecutive windows is more than a click. */
const SPOKEN_WINDOWS = 3;
/** Sound that is quieter than the speech by more than this counts as silence. */
const SPEECH_RANGE_DB = 40;
/** With a smaller range the recording is one steady sound, and nothing is cut. */
const STANDS_OUT_DB = 6;
/** Silence kept before the first word and after the last. */
const MARGIN_MS = 200;

/**
 * Where speech begins and ends in a recording (mono 16 bit), with a little silence around it; sample numbers.
 * Never shorter than `leastMs` if the recording is longer; the whole recording if nothing stands out.
 */
export function withoutSilence(
	samples: Int16Array,
	rateHz: number,
	leastMs: number,
): { readonly from: number; readonly to: number } {
	const whole = { from: 0, to: samples.length };
	const window = Math.max(1, Math.round((rateHz * WINDOW_MS) / 1000));
	const { levels } = levelsOf(samples, window);
	const sorted = levels.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? FLOOR_DB;
	const speechDb = at(0.9);
	const noiseDb = Math.max(at(0.02), speechDb - SPEECH_RANGE_DB);
	if (speechDb < SILENT_DB || speechDb - noiseDb < STANDS_OUT_DB) return whole;
	const threshold = noiseDb + (speechDb - noiseDb) / 3;
	const isSpoken = (index: number, towards: 1 | -1) =>
		Array.from({ length: SPOKEN_WINDOWS }, (_, step) => levels[index + towards * step] ?? FLOOR_DB).every(
			(level) => level >= threshold,
		);
	const first = levels.findIndex((_, index) => isSpoken(index, 1));
	const last = levels.findLastIndex((_, index) => isSpoken(index, -1));
	if (first === -1 || last === -1) return whole;
	const margin = Math.round((rateHz * MARGIN_MS) / 1000);
	const from = Math.max(0, first * window - margin);
	const to = Math.min(samples.length, (last + 1) * window + margin);
	return atLeast(
		{ from, to },
		Math.min(samples.length, Math.ceil((rateHz * leastMs) / 1000)),
		samples.length,
	);
}

function atLeast({ from, to }: { from: number; to: number }, least: number, most: number) {
	const missing = Math.max(0, least - (to - from));
	const begin = Math.max(0, Math.min(from - Math.floor(missing / 2), most - Math.max(least, to - from)));
	return { from: begin, to: Math.min(most, Math.max(to, begin + Math.max(least, to - from))) };
}
