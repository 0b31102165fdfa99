/** Speech of the sockets: Hz, mono (protocol 5.1.3). */
export const SPEECH_HZ = 24_000;
/** One frame of PCM, as one Opus packet of a clip would be, ms. */
export const FRAME_MS = 20;
/** Taps on each side of a resampled sample, at the lower of both rates. */
const TAPS = 12;

/** Windowed-sinc resampling; a rate that stays the same copies nothing. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
	if (fromHz === toHz || samples.length === 0) return samples;
	const step = fromHz / toHz;
	// Below the lower Nyquist limit, so that nothing folds back.
	const cut = Math.min(1, 1 / step);
	const reach = TAPS / cut;
	const out = new Float32Array(Math.max(1, Math.round(samples.length / step)));
	for (let index = 0; index < out.length; index += 1) {
		const centre = index * step;
		let sum = 0;
		const last = Math.min(samples.length - 1, Math.floor(centre + reach));
		for (let at = Math.max(0, Math.ceil(centre - reach)); at <= last; at += 1) {
			const distance = at - centre;
			const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach);
			sum += (samples[at] ?? 0) * cut * sinc(distance * cut) * window;
		}
		out[index] = sum;
	}
	return out;
}

function sinc(x: number): number {
	return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

export function toS16(samples: Float32Array): Int16Array {
	return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff));
}

export function toFloat(samples: Int16Array): Float32Array {
	return Float32Array.from(samples, (sample) => sample / 0x8000);
}

/** Little-endian bytes, whatever this computer's order. */
export function s16Bytes(samples: Int16Array): Buffer {
	const bytes = Buffer.alloc(samples.length * 2);
	for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2);
	return bytes;
}

/** Reads whole samples only; an odd byte at the end is left out. */
export function s16Of(bytes: Uint8Array): Int16Array {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Int16Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true));
}
