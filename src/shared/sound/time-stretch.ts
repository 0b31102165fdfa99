/** A source of samples; `take` returns how many were available. */
export interface SampleSource {
	readonly length: number;
	take(out: Float32Array, from: number, count: number): number;
}

export const TEMPO = { min: 1, max: 1.15 } as const;

/** Half a window: the length of one output step, ms. */
const HOP_MS = 12;
/** How far the next window may be moved to fit the last one, ms. */
const SEARCH_MS = 10;
/** The search tests every fourth position and sample, then all near the best match: a twelfth of the work. */
const STRIDE = 4;

/**
 * Faster speech at the same pitch (WSOLA): windows of 40 ms are overlapped where they fit best. At tempo 1 the
 * output equals the input, sample by sample. Allocates nothing after construction; delays at most 50 ms of
 * sound, which it releases at once when its source runs out.
 */
export class TimeStretch {
	readonly #hop: number;
	readonly #search: number;
	/** Rising half of a Hann window; the falling half is 1 minus it. */
	readonly #rise: Float32Array;
	/** Input that is still needed; `#held` samples of it are valid. */
	readonly #input: Float32Array;
	#held = 0;
	/** Index in `#input` of the natural continuation. */
	#next = 0;
	/** Exact position of the ideal next window; `#next` is the best match near it. */
	#ideal = 0;
	/** One step of output; `#ready` samples from `#given` on are still to be returned. */
	readonly #output: Float32Array;
	#given = 0;
	#ready = 0;

	constructor(rateHz: number) {
		this.#hop = Math.round((rateHz * HOP_MS) / 1000);
		this.#search = Math.round((rateHz * SEARCH_MS) / 1000);
		this.#rise = Float32Array.from(
			{ length: this.#hop },
			(_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / this.#hop),
		);
		this.#output = new Float32Array(this.#hop);
		this.#input = new Float32Array(this.#hop * 4 + this.#search * 4);
	}

	/** Number of samples taken from the source but not returned yet. */
	get held(): number {
		return this.#held - this.#next + this.#ready;
	}

	/** The samples of `held`, in order. Allocates: use it only when another player takes over. */
	get rest(): Float32Array {
		const output = this.#output.subarray(this.#given, this.#given + this.#ready);
		return Float32Array.of(...output, ...this.#input.subarray(this.#next, this.#held));
	}

	/** Drops the held samples, for a flush. */
	clear(): void {
		this.#held = 0;
		this.#next = 0;
		this.#ideal = 0;
		this.#ready = 0;
	}

	/**
	 * Fills `out` from `from` on at `tempo` (limited to `TEMPO`), with silence where the source has no sound.
	 * Returns the number of samples of sound.
	 */
	pull(source: SampleSource, out: Float32Array, tempo: number, from = 0): number {
		const pace = Math.min(TEMPO.max, Math.max(TEMPO.min, tempo));
		let filled = from;
		while (filled < out.length) {
			if (this.#ready === 0 && !this.#produce(source, pace)) break;
			const count = Math.min(this.#ready, out.length - filled);
			for (let index = 0; index < count; index += 1)
				out[filled + index] = this.#output[this.#given + index] ?? 0;
			this.#given += count;
			this.#ready -= count;
			filled += count;
		}
		for (let index = filled; index < out.length; index += 1) out[index] = 0;
		return filled - from;
	}

	/** Generates the next step; false if no sound is left. */
	#produce(source: SampleSource, pace: number): boolean {
		this.#refill(source);
		const natural = this.#next;
		const left = this.#held - natural;
		if (left <= 0) return false;
		this.#given = 0;
		const ideal = this.#ideal + this.#hop * (pace - 1);
		// Enough input even if the window is moved as far as allowed.
		const isRich = Math.ceil(Math.max(ideal, natural)) + this.#search + this.#hop <= this.#held;
		if (pace === 1 || !isRich) return this.#continue(Math.min(this.#hop, left), pace);
		const place = this.#fitting(natural, ideal);
		for (let index = 0; index < this.#hop; index += 1) {
			const rise = this.#rise[index] ?? 1;
			const old = this.#input[natural + index] ?? 0;
			this.#output[index] = old + rise * ((this.#input[place + index] ?? 0) - old);
		}
		this.#ready = this.#hop;
		this.#next = place + this.#hop;
		this.#ideal = ideal + this.#hop;
		return true;
	}

	/** Outputs the samples of the natural continuation unchanged. */
	#continue(count: number, pace: number): boolean {
		for (let index = 0; index < count; index += 1) this.#output[index] = this.#input[this.#next + index] ?? 0;
		this.#ready = count;
		this.#next += count;
		// Time that could not be gained for lack of input is gained once there is enough;
		// at tempo 1 this debt is cleared.
		const debt = this.#ideal + count * pace - this.#next;
		this.#ideal = this.#next + (pace === 1 ? 0 : Math.min(this.#search, Math.max(-this.#search, debt)));
		return true;
	}

	#refill(source: SampleSource): void {
		const start = Math.min(this.#next, Math.max(0, Math.floor(this.#ideal) - this.#search));
		if (start > 0) {
			this.#input.copyWithin(0, start, this.#held);
			this.#held -= start;
			this.#next -= start;
			this.#ideal -= start;
		}
		const wanted = Math.ceil(Math.max(this.#next, this.#ideal)) + this.#hop * 2 + this.#search;
		const room = Math.min(wanted, this.#input.length) - this.#held;
		if (room > 0) this.#held += source.take(this.#input, this.#held, Math.min(room, source.length));
	}

	/** The position near `ideal` where the input is most similar to its natural continuation. */
	#fitting(natural: number, ideal: number): number {
		const centre = Math.round(ideal);
		const low = Math.max(0, centre - this.#search);
		const high = centre + this.#search;
		const rough = this.#best(natural, low, high, STRIDE);
		return this.#best(natural, Math.max(low, rough - STRIDE), Math.min(high, rough + STRIDE), 1);
	}

	#best(natural: number, low: number, high: number, stride: number): number {
		let best = low;
		let bestLikeness = -Infinity;
		for (let place = low; place <= high; place += stride) {
			let product = 0;
			let energy = 1e-9;
			for (let index = 0; index < this.#hop; index += stride) {
				const sample = this.#input[place + index] ?? 0;
				product += sample * (this.#input[natural + index] ?? 0);
				energy += sample * sample;
			}
			const likeness = product / Math.sqrt(energy);
			if (likeness > bestLikeness) {
				bestLikeness = likeness;
				best = place;
			}
		}
		return best;
	}
}
