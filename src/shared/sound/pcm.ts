/** Sound in the sockets' format: 16-bit little-endian samples, in base64 inside JSON (protocol 5.1). */

const FULL_SCALE = 32_768;
const MAX_S16 = 32_767;

/** Converts samples in [-1, 1] to 16 bit, clips, turns NaN into silence. Allocates nothing. */
export function floatToS16(samples: ArrayLike<number>, out: Int16Array): void {
	const count = Math.min(samples.length, out.length);
	for (let index = 0; index < count; index += 1) {
		const scaled = Math.round((samples[index] ?? 0) * FULL_SCALE);
		out[index] = Math.max(-FULL_SCALE, Math.min(MAX_S16, scaled));
	}
}

/** Converts 16 bit to samples in [-1, 1). Allocates nothing. */
export function s16ToFloat(samples: ArrayLike<number>, out: Float32Array): void {
	const count = Math.min(samples.length, out.length);
	for (let index = 0; index < count; index += 1) out[index] = (samples[index] ?? 0) / FULL_SCALE;
}

/** `null` for an odd number of bytes: half a sample is missing somewhere, and everything after it is noise. */
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

export type PcmSamples = Float32Array | Int16Array;

/**
 * A ring buffer of samples of fixed size, for one writer and one reader on the same thread. Reading and writing
 * allocate nothing. Excess samples replace the oldest and are counted; missing samples are read as silence and
 * counted too.
 */
export class PcmQueue<Samples extends PcmSamples = Float32Array> {
	readonly #ring: Samples;
	#start = 0;
	#length = 0;
	#overflow = 0;
	#underrun = 0;

	/** Takes ownership of `storage`, whose length is the capacity in samples, at least 1. */
	constructor(storage: Samples) {
		if (storage.length === 0) throw new RangeError('a queue without room');
		this.#ring = storage;
	}

	/** Number of waiting samples. */
	get length(): number {
		return this.#length;
	}

	/** Total number of samples replaced by newer ones. */
	get overflow(): number {
		return this.#overflow;
	}

	/** Total number of samples that were requested but missing. */
	get underrun(): number {
		return this.#underrun;
	}

	/** Appends `count` samples from `from` on. Returns how many, old or new, were lost because it was full. */
	write(samples: ArrayLike<number>, from = 0, count = samples.length - from): number {
		const ring = this.#ring;
		const capacity = ring.length;
		// If there is more than fits, keep only the end.
		const skipped = Math.max(0, count - capacity);
		const kept = count - skipped;
		const lost = skipped + Math.max(0, this.#length + kept - capacity);
		this.#drop(lost - skipped);
		let at = (this.#start + this.#length) % capacity;
		for (let index = from + skipped; index < from + count; index += 1) {
			ring[at] = samples[index] ?? 0;
			at = at + 1 === capacity ? 0 : at + 1;
		}
		this.#length += kept;
		this.#overflow += lost;
		return lost;
	}

	/** Fills `out` from `from` on with `count` samples or silence. Returns how many existed. */
	read(out: PcmSamples, from = 0, count = out.length - from): number {
		const taken = this.#copy(out, from, Math.min(count, this.#length));
		for (let index = from + taken; index < from + count; index += 1) out[index] = 0;
		this.#underrun += count - taken;
		return taken;
	}

	/** Like `read`, but neither fills nor counts missing samples. */
	take(out: PcmSamples, from = 0, count = out.length - from): number {
		return this.#copy(out, from, Math.min(count, this.#length));
	}

	/** Drops the `count` oldest samples; returns how many existed. Not counted as overflow. */
	skip(count: number): number {
		const skipped = Math.max(0, Math.min(count, this.#length));
		this.#drop(skipped);
		return skipped;
	}

	clear(): void {
		this.#start = 0;
		this.#length = 0;
	}

	#copy(out: PcmSamples, from: number, count: number): number {
		const ring = this.#ring;
		let at = this.#start;
		for (let index = from; index < from + count; index += 1) {
			out[index] = ring[at] ?? 0;
			at = at + 1 === ring.length ? 0 : at + 1;
		}
		this.#drop(count);
		return count;
	}

	#drop(count: number): void {
		this.#start = (this.#start + count) % this.#ring.length;
		this.#length -= count;
	}
}
