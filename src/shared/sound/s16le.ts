/** Sound as the sockets carry it: 16-bit little-endian samples, in base64 inside JSON (protocol 5.1). */

const FULL_SCALE = 32_768;
const MAX_S16 = 32_767;

/** Samples in [-1, 1] to 16 bit, louder ones clipped, NaN to silence. Writes as many as `out` holds; allocates nothing. */
export function floatToS16(samples: ArrayLike<number>, out: Int16Array): void {
	const count = Math.min(samples.length, out.length);
	for (let index = 0; index < count; index += 1) {
		const scaled = Math.round((samples[index] ?? 0) * FULL_SCALE);
		out[index] = Math.max(-FULL_SCALE, Math.min(MAX_S16, scaled));
	}
}

/** 16 bit to samples in [-1, 1). Allocates nothing. */
export function s16ToFloat(samples: ArrayLike<number>, out: Float32Array): void {
	const count = Math.min(samples.length, out.length);
	for (let index = 0; index < count; index += 1) out[index] = (samples[index] ?? 0) / FULL_SCALE;
}

/** `null` for an odd number of bytes: then half a sample is missing somewhere, and all behind it is noise. */
export function bytesToS16(bytes: Uint8Array): Int16Array<ArrayBuffer> | null {
	if (bytes.length % 2 !== 0) return null;
	const samples = new Int16Array(bytes.length / 2);
	for (let index = 0; index < samples.length; index += 1)
		samples[index] = (bytes[index * 2] ?? 0) | ((bytes[index * 2 + 1] ?? 0) << 8);
	return samples;
}

export function s16ToBytes(samples: Int16Array): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(samples.length * 2);
	for (let index = 0; index < samples.length; index += 1) {
		const sample = samples[index] ?? 0;
		bytes[index * 2] = sample & 0xff;
		bytes[index * 2 + 1] = (sample >> 8) & 0xff;
	}
	return bytes;
}
