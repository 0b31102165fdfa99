import type { Problem } from '#shared/problem.ts';
import { FLOOR_DB, toDb } from './level.ts';

/** Rate at both ends of a test: of the played sound, and of what `PathProbe.push` takes. */
export const PROBE_RATE_HZ = 24_000;

/** A rising tone is unlike anything else on the path: speech, music and hum correlate little with it. */
const FROM_HZ = 400;
const TO_HZ = 3000;
const LENGTH_S = 0.4;
const FADE_S = 0.02;
const AMPLITUDE = 0.4;
/** A device that was asleep swallows its first moments. */
const LEAD_S = 0.4;
const TAIL_S = 0.2;

/** Correlation uses the means of three samples: a third of both signals is a ninth of the work. */
const THIN = 3;
const RATE_HZ = PROBE_RATE_HZ / THIN;
/** 1 = the tone alone. Noise stays below 0.15; an equally loud voice beside it leaves 0.7. */
const FOUND_SCORE = 0.35;
/** How far after the first match the best one is searched. */
const REFINE = Math.round(0.05 * RATE_HZ);
/**
 * Loudness is measured in this many pieces of the tone, each located separately: a gap must not pass for a quiet path.
 */
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
	/** Where in all that was pushed the tone began, ms. */
	readonly atMs: number;
	/** How much louder (or, below 0, quieter) than it was played, dB. */
	readonly gainDb: number;
	/** How alike, 0 to 1. */
	readonly score: number;
}

/** Looks for the tone in what a microphone hears. */
export interface PathProbe {
	/** Samples in [-1, 1] at `PROBE_RATE_HZ`, in order. Answers once the tone has been heard whole; the first one counts. */
	push(samples: ArrayLike<number>): ProbeHeard | null;
	/** Loudest 100 ms so far, RMS in dBFS; `FLOOR_DB` = nothing but zeros. */
	loudestDb(): number;
}

export function createPathProbe(): PathProbe {
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
		// Rounding noise of 16 bit is no sound.
		if (there < tone.length * 1e-9) return 0;
		return Math.abs(productAt(lag, 0, tone.length)) / Math.sqrt(there * toneEnergy);
	}

	/** Correlation of the sound from `lag` on with a part of the tone. */
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

	/** The median of the pieces: a busy machine drops or repeats a few ms, and what follows is early or late by them. */
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
		// These positions are finished; keep samples that may still begin a tone.
		const done = Math.max(0, Math.min(last + 1, measured - begins));
		kept = kept.slice(done);
		begins += done;
		return null;
	}

	return {
		push(samples) {
			if (heard) return heard;
			take(samples);
			measure();
			heard = search();
			return heard;
		},
		loudestDb: () => loudest,
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

/** The tone arrived, or the step that failed and what is known about it. */
export type PathOutcome =
	| {
			readonly passed: true;
			/** From playback to arrival, ms; accurate to some 50 ms. */
			readonly delayMs: number;
			/** How much louder than it was played, dB. */
			readonly gainDb: number;
	  }
	/** The device is not in the list: taken away, or the program cannot see it. */
	| { readonly passed: false; readonly step: 'speaker' | 'microphone'; readonly label: string }
	/** The microphone, or the speaker, refused. */
	| { readonly passed: false; readonly step: 'open' | 'play'; readonly problem: Problem }
	/**
	 * It was played but did not arrive. `silence`: the microphone gave only zeros, so it is muted or hears another device;
	 * `other-sound`: it hears something else.
	 */
	| { readonly passed: false; readonly step: 'hear'; readonly heard: 'silence' | 'other-sound' };

/** Quieter than this, the call's own noise gate may suppress it. */
const QUIET_DB = -20;

/** True if the tone arrived, but some volume on the way is turned down. */
export function isTooQuiet(outcome: Extract<PathOutcome, { passed: true }>): boolean {
	return outcome.gainDb < QUIET_DB;
}
