export type PcmSamples = Float32Array | Int16Array;

/**
 * A ring of samples of fixed size, for one writer and one reader of the same thread. Reading and writing
 * allocate nothing. What does not fit pushes out the oldest and is counted; what is missing is silence
 * and is counted too.
 */
export class PcmQueue<Samples extends PcmSamples = Float32Array> {
	readonly #ring: Samples;
	#start = 0;
	#length = 0;
	#overflow = 0;
	#underrun = 0;

	/** The storage becomes the queue's own; its length is the capacity in samples, at least 1. */
	constructor(storage: Samples) {
		if (storage.length === 0) throw new RangeError('a queue without room');
		this.#ring = storage;
	}

	/** Samples waiting. */
	get length(): number {
		return this.#length;
	}

	/** Samples pushed out by newer ones, in all. */
	get overflow(): number {
		return this.#overflow;
	}

	/** Samples requested but missing, in all. */
	get underrun(): number {
		return this.#underrun;
	}

	/** Appends `count` samples from `from` on. Returns how many samples, old or new, were lost for lack of room. */
	write(samples: ArrayLike<number>, from = 0, count = samples.length - from): number {
		const ring = this.#ring;
		const capacity = ring.length;
		// If there is more than fits, only the end can stay.
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

	/** Fills `out` from `from` on with `count` samples, silence where there are none. Returns how many were there. */
	read(out: PcmSamples, from = 0, count = out.length - from): number {
		const taken = this.#copy(out, from, Math.min(count, this.#length));
		for (let index = from + taken; index < from + count; index += 1) out[index] = 0;
		this.#underrun += count - taken;
		return taken;
	}

	/** As `read`, but leaves what is missing untouched and uncounted. */
	take(out: PcmSamples, from = 0, count = out.length - from): number {
		return this.#copy(out, from, Math.min(count, this.#length));
	}

	/** Drops the `count` oldest samples; returns how many there were. Not counted as overflow. */
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
