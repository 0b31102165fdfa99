/** Sampling rate of speech on the sockets: Hz, mono (protocol 5.1.3). */
export const SPEECH_HZ = 24_000;
/** Length of one frame of PCM, the same as of a clip's Opus packet, ms. */
export const FRAME_MS = 20;
/** Input samples used on each side of an output sample, counted at the lower of the two rates. */
const TAPS = 12;

/** Windowed-sinc resampling; an unchanged rate copies nothing. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
	if (fromHz === toHz || samples.length === 0) return samples;
	const step = fromHz / toHz;
	// Below the lower Nyquist limit, to avoid aliasing.
	const cut = Math.min(1, 1 / step);
	const reach = TAPS / cut;
	const half = Math.ceil(reach);
	const out = new Float32Array(Math.max(1, Math.round(samples.length / step)));
	const isWhole = Number.isInteger(fromHz) && Number.isInteger(toHz);
	/** After this many outputs, the positions between inputs repeat: each set of weights is computed once. */
	const places = isWhole ? toHz / greatestDivisor(fromHz, toHz) : out.length;
	const inputs = Math.round(places * step);
	const weights: Float64Array[] = [];
	for (let index = 0; index < out.length; index += 1) {
		const place = index % places;
		const centre = isWhole ? (place * inputs) / places : index * step;
		const before = Math.floor(centre);
		weights[place] ??= weightsOf(centre - before, { cut, reach, half });
		const own = weights[place];
		const from = before + (isWhole ? Math.floor(index / places) * inputs : 0) - half;
		let sum = 0;
		const last = Math.min(own.length, samples.length - from);
		for (let tap = Math.max(0, -from); tap < last; tap += 1)
			sum += (samples[from + tap] ?? 0) * (own[tap] ?? 0);
		out[index] = sum;
	}
	return out;
}

/**
 * Weights of the inputs from `half` before to `half` after the input that lies `fraction` before the output.
 */
function weightsOf(
	fraction: number,
	{ cut, reach, half }: { readonly cut: number; readonly reach: number; readonly half: number },
): Float64Array {
	return Float64Array.from({ length: 2 * half + 1 }, (_, tap) => {
		const distance = tap - half - fraction;
		if (Math.abs(distance) > reach) return 0;
		return cut * sinc(distance * cut) * (0.5 + 0.5 * Math.cos((Math.PI * distance) / reach));
	});
}

function greatestDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestDivisor(b, a % b);
}

function sinc(x: number): number {
	return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

export function toS16(samples: Float32Array): Int16Array {
	const out = new Int16Array(samples.length);
	for (let at = 0; at < out.length; at += 1)
		out[at] = Math.round(Math.max(-1, Math.min(1, samples[at] ?? 0)) * 0x7fff);
	return out;
}

export function toFloat(samples: Int16Array): Float32Array {
	const out = new Float32Array(samples.length);
	for (let at = 0; at < out.length; at += 1) out[at] = (samples[at] ?? 0) / 0x8000;
	return out;
}

/** Little-endian bytes, whatever this computer's byte order. */
export function s16Bytes(samples: Int16Array): Buffer {
	const bytes = Buffer.alloc(samples.length * 2);
	for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2);
	return bytes;
}

/** Reads whole samples only; ignores an odd byte at the end. */
export function s16Of(bytes: Uint8Array): Int16Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true));
}
