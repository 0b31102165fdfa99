/** Changes the sampling rate piece by piece without changing the pitch. */
export interface Resampler {
	/** Takes a piece and returns the output that can be computed so far; the caller owns the result. */
	push(samples: Float32Array): Float32Array;
	/**
	 * Like `push`, into `out`, which must have room for `most(samples.length)`; returns the number of samples.
	 * Allocates only when pieces grow longer.
	 */
	pushInto(samples: Float32Array, out: Float32Array): number;
	/** The largest output of a piece of `samples` samples. */
	most(samples: number): number;
	/** Returns the remaining output, as if silence followed. The resampler cannot be used afterwards. */
	flush(): Float32Array;
}

/** Zero crossings of the sinc on each side: stop band below -80 dB, passband flat to 90 % of the lower rate. */
const CROSSINGS = 32;
/** Kaiser window: about 90 dB of attenuation. */
const BETA = 9;
/** Cut-off relative to half of the lower rate, chosen so that the slope ends at that half. */
const ROLL_OFF = 0.94;

/**
 * Windowed sinc, with one set of weights for each position between two input samples. Both rates are whole Hz.
 * The output has the same duration as the input, to within one sample, without delay.
 */
export function createResampler(fromHz: number, toHz: number): Resampler {
	if (fromHz === toHz) return sameRate;
	const divisor = greatestDivisor(fromHz, toHz);
	/** `up` outputs last as long as `down` inputs. */
	const up = toHz / divisor;
	const down = fromHz / divisor;
	const cutoff = ROLL_OFF * Math.min(1, toHz / fromHz);
	const half = Math.ceil(CROSSINGS / cutoff);
	const taps = half * 2;
	const weights = makeWeights(up, half, cutoff);
	/** Input that is still needed, `length` samples; the first has the index `first` in the stream. */
	let held = new Float32Array(taps * 2);
	let length = half - 1;
	let first = 1 - half;
	let heard = 0;
	let made = 0;

	const most = (samples: number) => Math.ceil(((samples + 1) * up) / down) + 1;

	function run(out: Float32Array, until: number): number {
		// Output n lies at input n·down/up and needs `half` samples on each side of it.
		const last = Math.min(
			Math.ceil((until * up) / down),
			Math.floor(((first + length - half) * up - 1) / down) + 1,
		);
		const count = Math.max(0, last - made);
		for (let index = 0; index < count; index += 1, made += 1) {
			const place = made * down;
			const whole = Math.floor(place / up);
			const set = (place - whole * up) * taps;
			const from = whole - half + 1 - first;
			let sum = 0;
			for (let tap = 0; tap < taps; tap += 1) sum += (held[from + tap] ?? 0) * (weights[set + tap] ?? 0);
			out[index] = sum;
		}
		const spent = Math.min(length, Math.floor((made * down) / up) - half + 1 - first);
		if (spent > 0) {
			held.copyWithin(0, spent, length);
			length -= spent;
			first += spent;
		}
		return count;
	}

	function hold(samples: Float32Array): void {
		if (length + samples.length > held.length) {
			const larger = new Float32Array(length + samples.length + taps);
			larger.set(held.subarray(0, length));
			held = larger;
		}
		held.set(samples, length);
		length += samples.length;
	}

	function pushInto(samples: Float32Array, out: Float32Array): number {
		hold(samples);
		heard += samples.length;
		return run(out, heard);
	}

	return {
		most,
		pushInto,
		push(samples) {
			const out = new Float32Array(most(samples.length));
			return out.slice(0, pushInto(samples, out));
		},
		flush() {
			hold(new Float32Array(half + 1));
			const out = new Float32Array(most(half + 1));
			return out.slice(0, run(out, heard));
		},
	};
}

const sameRate: Resampler = {
	push: (samples) => samples.slice(),
	pushInto(samples, out) {
		out.set(samples);
		return samples.length;
	},
	most: (samples) => samples,
	flush: () => new Float32Array(0),
};

/** For each of `up` positions between two samples, `2·half` weights that add up to 1: no change of loudness. */
function makeWeights(up: number, half: number, cutoff: number): Float32Array {
	const taps = half * 2;
	const weights = new Float32Array(up * taps);
	for (let phase = 0; phase < up; phase += 1) {
		let sum = 0;
		for (let tap = 0; tap < taps; tap += 1) {
			const distance = tap - half + 1 - phase / up;
			const weight = sinc(distance * cutoff) * kaiser(distance / half);
			weights[phase * taps + tap] = weight;
			sum += weight;
		}
		for (let tap = 0; tap < taps; tap += 1) {
			const at = phase * taps + tap;
			weights[at] = (weights[at] ?? 0) / sum;
		}
	}
	return weights;
}

function sinc(x: number): number {
	return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

const SCALE = bessel(BETA);

/** Kaiser window; `x` from -1 to 1. */
function kaiser(x: number): number {
	return Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / SCALE;
}

/** Modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
	let sum = 1;
	let term = 1;
	for (let n = 1; n < 40; n += 1) {
		term *= (x / (2 * n)) ** 2;
		sum += term;
	}
	return sum;
}

function greatestDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestDivisor(b, a % b);
}
