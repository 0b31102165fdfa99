import type { Problem } from '#shared/problem.ts';
import { FLOOR_DB, toDb } from './level.ts';

/** Sampling rate on both sides of a test: of the played sound, and of the input of `PathProbe.push`. */
export const PROBE_RATE_HZ = 24_000;

/** A rising tone differs from everything else on the path: speech, music and hum correlate little with it. */
const FROM_HZ = 400;
const TO_HZ = 3000;
const LENGTH_S = 0.4;
const FADE_S = 0.02;
const AMPLITUDE = 0.4;
/** A sleeping device loses the beginning of a sound. */
const LEAD_S = 0.4;
const TAIL_S = 0.2;

/** The correlation averages groups of three samples: with a third of both signals it costs a ninth. */
const THIN = 3;
const RATE_HZ = PROBE_RATE_HZ / THIN;
/** 1 = only the tone. Noise is below 0.15; an equally loud voice at the same time leaves 0.7. */
const FOUND_SCORE = 0.35;
/** How far after the first match to search for the best one. */
const REFINE = Math.round(0.05 * RATE_HZ);
/** Loudness is measured in this many pieces of the tone, each located, so that a gap is not a quiet path. */
const PIECES = 8;

/** The test sound: silence, the tone, silence; mono, in [-1, 1]. `startsAtMs` = the beginning of the tone. */
export function probeSound(): {
	readonly samples: Float32Array;
	readonly rateHz: number;
	readonly startsAtMs: number;
} {
	const tone = chirp();
	const lead = Math.round(LEAD_S * PROBE_RATE_HZ);
	const samples = new Float32Array(lead + tone.length + Math.round(TAIL_S * PROBE_RATE_HZ));
	samples.set(tone, lead);
	return { samples, rateHz: PROBE_RATE_HZ, startsAtMs: LEAD_S * 1000 };
}

export interface ProbeHeard {
	/** Start of the tone, counted in the input so far, ms. */
	readonly atMs: number;
	/** Loudness relative to the played tone, dB: above 0 louder, below 0 quieter. */
	readonly gainDb: number;
	/** Similarity, 0 to 1. */
	readonly score: number;
}

export type PathProbe = ReturnType<typeof createPathProbe>;

/** Searches the sound of a microphone for the tone. */
export function createPathProbe() {
	const tone = thinned(chirp());
	const toneEnergy = energy(tone, 0, tone.length);
	const window = RATE_HZ / 10;
	/** Samples not processed yet; `begins` = position of the first of them in the whole input. */
	let kept = new Float32Array(0);
	let begins = 0;
	let odd: number[] = [];
	let heard: ProbeHeard | null = null;
	let loudest = FLOOR_DB;
	let measured = 0;

	function take(samples: ArrayLike<number>): void {
		const all = [...odd, ...Array.from(samples)];
		const whole = all.length - (all.length % THIN);
		odd = all.slice(whole);
		const next = new Float32Array(kept.length + whole / THIN);
		next.set(kept);
		next.set(thinned(all.slice(0, whole)), kept.length);
		kept = next;
	}

	function measure(): void {
		for (; measured + window <= begins + kept.length; measured += window) {
			const mean = energy(kept, measured - begins, window) / window;
			loudest = Math.max(loudest, toDb(Math.sqrt(mean)));
		}
	}

	/** `there` = energy of the sound at `lag`. */
	function scoreAt(lag: number, there: number): number {
		// Rounding noise of 16 bit does not count as sound.
		if (there < tone.length * 1e-9) return 0;
		return Math.abs(productAt(lag, 0, tone.length)) / Math.sqrt(there * toneEnergy);
	}

	/** Correlation of the sound from `lag` on with a section of the tone. */
	function productAt(lag: number, from: number, to: number): number {
		let product = 0;
		for (let index = from; index < to; index += 1) product += (kept[lag + index] ?? 0) * (tone[index] ?? 0);
		return product;
	}

	function refined(lag: number): ProbeHeard {
		let best = { lag, score: 0 };
		for (let near = lag; near <= lag + REFINE; near += 1) {
			const score = scoreAt(near, energy(kept, near, tone.length));
			if (score > best.score) best = { lag: near, score };
		}
		return {
			atMs: ((begins + best.lag) / RATE_HZ) * 1000,
			gainDb: 20 * Math.log10(gainFrom(best.lag)),
			score: best.score,
		};
	}

	/**
	 * The median of the pieces: a busy computer drops or repeats a few ms, which shifts everything after them.
	 */
	function gainFrom(lag: number): number {
		const length = Math.floor(tone.length / PIECES);
		const gains = Array.from({ length: PIECES }, (_, piece) => {
			const from = piece * length;
			let best = 0;
			for (let shift = -REFINE; shift <= REFINE; shift += 1) {
				best = Math.max(best, Math.abs(productAt(lag + shift, from, from + length)));
			}
			return best / energy(tone, from, length);
		});
		return gains.toSorted((a, b) => a - b)[PIECES / 2] ?? 0;
	}

	function search(): ProbeHeard | null {
		const last = kept.length - tone.length - REFINE;
		if (last < 0) return null;
		let there = energy(kept, 0, tone.length);
		for (let lag = 0; lag <= last; lag += 1) {
			if (scoreAt(lag, there) >= FOUND_SCORE) return refined(lag);
			there += (kept[lag + tone.length] ?? 0) ** 2 - (kept[lag] ?? 0) ** 2;
		}
		// These positions are finished; keep samples that may still start a tone.
		const done = Math.max(0, Math.min(last + 1, measured - begins));
		kept = kept.slice(done);
		begins += done;
		return null;
	}

	return {
		/**
		 * Adds samples in [-1, 1] at `PROBE_RATE_HZ`, in order. Returns a result once the whole tone has arrived;
		 * only the first tone counts.
		 */
		push(samples: ArrayLike<number>): ProbeHeard | null {
			if (heard) return heard;
			take(samples);
			measure();
			heard = search();
			return heard;
		},
		/** Loudest 100 ms so far, RMS in dBFS; `FLOOR_DB` = nothing but zeros. */
		loudestDb: (): number => loudest,
	};
}

function chirp(): Float32Array {
	const length = Math.round(LENGTH_S * PROBE_RATE_HZ);
	const fade = Math.round(FADE_S * PROBE_RATE_HZ);
	return Float32Array.from({ length }, (_, index) => {
		const s = index / PROBE_RATE_HZ;
		const phase = 2 * Math.PI * (FROM_HZ * s + ((TO_HZ - FROM_HZ) * s * s) / (2 * LENGTH_S));
		const edge = Math.min(1, index / fade, (length - 1 - index) / fade);
		return AMPLITUDE * edge * Math.sin(phase);
	});
}

function thinned(samples: ArrayLike<number>): Float32Array {
	const out = new Float32Array(Math.floor(samples.length / THIN));
	for (let index = 0; index < out.length; index += 1) {
		let sum = 0;
		for (let step = 0; step < THIN; step += 1) sum += samples[index * THIN + step] ?? 0;
		out[index] = sum / THIN;
	}
	return out;
}

function energy(samples: Float32Array, from: number, length: number): number {
	let sum = 0;
	for (let index = from; index < from + length; index += 1) sum += (samples[index] ?? 0) ** 2;
	return sum;
}

/** The steps of a test of the path into a call, in order. */
export const pathSteps = ['speaker', 'microphone', 'open', 'play', 'hear'] as const;
export type PathStep = (typeof pathSteps)[number];

/** The tone arrived, or the step that failed with its details. */
export type PathOutcome =
	| {
			readonly passed: true;
			/** From playback to arrival, ms; accurate to about 50 ms. */
			readonly delayMs: number;
			/** Loudness relative to the played tone, dB. */
			readonly gainDb: number;
	  }
	/** The device is not in the list: it was removed, or the program cannot see it. */
	| { readonly passed: false; readonly step: 'speaker' | 'microphone'; readonly label: string }
	/** The microphone or the speaker could not be opened. */
	| { readonly passed: false; readonly step: 'open' | 'play'; readonly problem: Problem }
	/**
	 * The tone was played but did not arrive. `silence`: the microphone delivered only zeros, so it is muted or
	 * captures another device; `other-sound`: it captures something else.
	 */
	| { readonly passed: false; readonly step: 'hear'; readonly heard: 'silence' | 'other-sound' };

/** If the tone is quieter than this, the call's own noise gate may suppress it. */
const QUIET_DB = -20;

/** Whether the tone arrived, but some volume on the path is turned down. */
export function isTooQuiet(outcome: Extract<PathOutcome, { passed: true }>): boolean {
	return outcome.gainDb < QUIET_DB;
}
