import { createRandom } from '#test/support/random.ts';
import { median, percentile } from './statistics.ts';

export const CHIRP_HZ = 48_000;
const CHIRP_MS = 30;
const FROM_HZ = 500;
const TO_HZ = 5000;
/** −2 dBFS. */
const LEVEL = 0.79;
/** Faint noise, so that no codec or noise gate stops sending in the pauses. */
const NOISE = 0.0008;
/** Ten chirps in ten seconds, at irregular times, never nearer than `PAIR_MS`. */
const PERIOD_S = 10;
const PER_PERIOD = 10;
/** A chirp that is not heard within this time after it was spoken is lost. */
const PAIR_MS = 850;
/** A coarse filter finds chirps first: every fourth sample still carries all of a chirp. */
const COARSE = 4;
/** Share of the sound's energy that must be the chirp's. */
const LIKE = 0.45;
/** Ignore everything below this level, whatever its shape. */
const QUIET = 0.003;

interface Heard {
	/** Delay of each chirp that was spoken and heard, in order, ms. */
	readonly delaysMs: readonly number[];
	readonly spoken: number;
	/** Spoken, and never heard. */
	readonly lost: number;
}

/** Microphone of a call, 16 bit at `CHIRP_HZ`; every period the same. */
export function chirpSound(seconds: number): Int16Array {
	const random = createRandom(11);
	const starts = Array.from(
		{ length: PER_PERIOD },
		(_, index) => index + 0.06 + 0.12 * random() * (index % 2 === 0 ? 0.5 : 1),
	);
	const pcm = new Int16Array(seconds * CHIRP_HZ);
	const chirp = template(1)[0];
	for (let index = 0; index < pcm.length; index++)
		pcm[index] = 32_767 * NOISE * (random() + random() + random() - 1.5);
	for (let second = 0; second < seconds; second += PERIOD_S) {
		for (const start of starts) {
			const at = Math.round((second + start) * CHIRP_HZ);
			for (let index = 0; index < chirp.length && at + index < pcm.length; index++)
				pcm[at + index] = (pcm[at + index] ?? 0) + 32_767 * LEVEL * (chirp[index] ?? 0);
		}
	}
	return pcm;
}

/** Pairs each chirp of one recording with the next of the other, which began `shiftMs` later by the same clock. */
export function compareChirps(spoken: Float32Array, heard: Float32Array, shiftMs = 0): Heard {
	const said = findChirps(spoken);
	const later = findChirps(heard).map((atMs) => atMs + shiftMs);
	const lastMs = (heard.length / CHIRP_HZ) * 1000 + shiftMs - PAIR_MS;
	// Do not count chirps from before the other recording began.
	const counted = said.filter((atMs) => atMs < lastMs && atMs >= shiftMs);
	const delaysMs = counted.flatMap((atMs) => {
		// Over a direct connection a chirp may seem to be heard slightly before it was spoken.
		const next = later.find((each) => each >= atMs - 2);
		return next !== undefined && next - atMs < PAIR_MS ? [next - atMs] : [];
	});
	return { delaysMs, spoken: counted.length, lost: counted.length - delaysMs.length };
}

/** Finds where chirps begin, ms, with a matched filter that is not sensitive to phase. */
export function findChirps(sound: Float32Array): readonly number[] {
	const coarse = sound.filter((_, index) => index % COARSE === 0);
	const likeness = match(coarse, template(COARSE), 0, coarse.length);
	const apart = (CHIRP_HZ / COARSE / 1000) * 300;
	const found: number[] = [];
	let best = -1;
	for (let index = 0; index < likeness.length; index++) {
		if ((likeness[index] ?? 0) < LIKE) continue;
		if (best >= 0 && index - best > apart) {
			found.push(best);
			best = index;
		} else if (best < 0 || (likeness[index] ?? 0) > (likeness[best] ?? 0)) best = index;
	}
	if (best >= 0) found.push(best);
	return found.map((index) => (fine(sound, index * COARSE) / CHIRP_HZ) * 1000);
}

function fine(sound: Float32Array, about: number): number {
	const from = Math.max(0, about - 2 * COARSE);
	const likeness = match(sound, template(1), from, Math.min(sound.length, about + 2 * COARSE + 1));
	const best = likeness.indexOf(Math.max(...likeness));
	return from + best;
}

/** How much of the energy from each sample on is the template's, 0 to 1. */
function match(
	sound: Float32Array,
	[real, imaginary]: readonly [Float32Array, Float32Array],
	from: number,
	to: number,
): Float32Array {
	const length = real.length;
	const norm = real.reduce((sum, value) => sum + value * value, 0);
	const result = new Float32Array(Math.max(0, Math.min(to, sound.length - length) - from));
	let energy = 0;
	for (let index = from; index < from + length; index++) energy += (sound[index] ?? 0) ** 2;
	for (let at = 0; at < result.length; at++) {
		const begin = from + at;
		if (energy / length > QUIET * QUIET) {
			let one = 0;
			let other = 0;
			for (let index = 0; index < length; index++) {
				const value = sound[begin + index] ?? 0;
				one += value * (real[index] ?? 0);
				other += value * (imaginary[index] ?? 0);
			}
			result[at] = Math.sqrt((one * one + other * other) / (energy * norm));
		}
		energy += (sound[begin + length] ?? 0) ** 2 - (sound[begin] ?? 0) ** 2;
	}
	return result;
}

/** The chirp, and the same chirp shifted by a quarter of a wave. */
function template(step: number): readonly [Float32Array, Float32Array] {
	const length = Math.round((CHIRP_HZ * CHIRP_MS) / 1000 / step);
	const wave = (quarter: number) =>
		Float32Array.from({ length }, (_, index) => {
			const s = (index * step) / CHIRP_HZ;
			const phase =
				2 * Math.PI * (FROM_HZ * s + ((TO_HZ - FROM_HZ) / (2 * (CHIRP_MS / 1000))) * s * s) + quarter;
			const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (length - 1));
			return hann * Math.sin(phase);
		});
	return [wave(0), wave(Math.PI / 2)];
}

/** Summary of one call. */
export function summary({ delaysMs }: Heard) {
	return { p50Ms: median(delaysMs), p95Ms: percentile(delaysMs, 0.95), maxMs: percentile(delaysMs, 1) };
}
