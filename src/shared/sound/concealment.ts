/** Range of the pitch period; the history is as long as the longest period requires: 35 ms. */
const PERIOD_MS = { least: 5, most: 15 } as const;
/** Length of the latest sound that is compared with the sound one period earlier, ms. */
const LIKENESS_MS = 20;
/** Largest block processed at once, ms. */
const ROOM_MS = 5;
/** Cross-fade between repetitions, ms. */
const BLEND_MS = 2.5;
/** Sound with a lower similarity is noise, which repeating one period would turn into a hum. */
const VOICED = 0.6;
/** Full loudness up to the first time, then fading until silence at the second, ms. */
const FULL_MS = 30;
const SILENT_MS = 110;
/** The search tests every fourth position and sample, then all of them around the best match. */
const STRIDE = 4;
/** Quieter sound has no pitch: -60 dB, as mean square. */
const QUIET_POWER = 1e-6;

/**
 * Conceals missing sound: repeats the last pitch period of the speech and then fades, as in ITU-T G.711 Appendix
 * I, and finds where the next sound fits on. So a short gap becomes a held sound at the same pitch. Allocates
 * nothing after construction. All lengths in samples.
 */
export class Concealment {
	readonly #least: number;
	readonly #most: number;
	readonly #alike: number;
	readonly #blend: number;
	readonly #full: number;
	readonly #silent: number;
	/** Newest last; the beginning is only spare capacity. */
	readonly #history: Float32Array;
	/** The repeated period; the first `#length` samples are valid. */
	readonly #cycle: Float32Array;
	#length = 0;
	/** Number of concealing samples generated so far. */
	#made = 0;

	constructor(rateHz: number) {
		const samples = (ms: number) => Math.round((rateHz * ms) / 1000);
		this.#least = samples(PERIOD_MS.least);
		this.#most = samples(PERIOD_MS.most);
		this.#alike = samples(LIKENESS_MS);
		this.#blend = samples(BLEND_MS);
		this.#full = samples(FULL_MS);
		this.#silent = samples(SILENT_MS);
		this.#history = new Float32Array(this.#most + this.#alike + samples(ROOM_MS));
		this.#cycle = new Float32Array(this.#most + this.#alike);
	}

	/** The current gain of the concealment, initially 1. */
	get level(): number {
		return this.#levelAt(this.#made);
	}

	/** The longest distance to a matching position. */
	get longestPeriod(): number {
		return this.#most;
	}

	/** Stores a played block, real or concealed: at most 5 ms. */
	heard(block: Float32Array): void {
		this.#remember(block, block.length);
	}

	/**
	 * Sound has run out: only `count` samples of an incomplete block and the `last` samples due after it are
	 * left. They are changed to cross-fade into the generated sound.
	 */
	begin(block: Float32Array, count: number, tail: Float32Array, last: number): void {
		const history = this.#history;
		const end = history.length;
		this.#remember(block, count);
		this.#remember(tail, last);
		const period = this.#period();
		const isNoise = this.#likeness(period, 1) < VOICED;
		const blended = this.#blend;
		this.#length = isNoise ? period * Math.floor((this.#cycle.length - blended) / period) : period;
		this.#made = 0;
		const before = end - this.#length;
		for (let index = 0; index < this.#length; index += 1) this.#cycle[index] = history[before + index] ?? 0;
		// The end of the cycle, and of the sound itself, cross-fade into the cycle's beginning.
		for (let index = 0; index < blended; index += 1) {
			const share = (index + 0.5) / blended;
			const own = history[end - blended + index] ?? 0;
			const mixed = own + share * ((history[before - blended + index] ?? 0) - own);
			this.#cycle[this.#length - blended + index] = mixed;
			const at = last - blended + index;
			if (at >= 0) tail[at] = mixed;
		}
		// Store the concealed samples with their block in the history, as they are played.
		history.copyWithin(count + last, 0, end - count - last);
	}

	#remember(sound: Float32Array, count: number): void {
		const history = this.#history;
		const from = history.length - count;
		history.copyWithin(0, count);
		for (let index = 0; index < count; index += 1) history[from + index] = sound[index] ?? 0;
	}

	/** Generates the next `count` samples, starting at `from` in `out`. */
	make(out: Float32Array, from: number, count: number): void {
		for (let index = 0; index < count; index += 1) out[from + index] = this.#at(index);
		this.#made += count;
	}

	/** Samples to conceal until `sound` (`count` are there) fits: at least `least`, at most a period more. */
	fitting(sound: Float32Array, count: number, least: number): number {
		const most = least + Math.min(this.#length, this.#most);
		const rough = this.#best(sound, count, least, most, STRIDE);
		return this.#best(sound, count, Math.max(least, rough - STRIDE), Math.min(most, rough + STRIDE), 1);
	}

	#at(ahead: number): number {
		const place = this.#made + ahead;
		return (this.#cycle[place % this.#length] ?? 0) * this.#levelAt(place);
	}

	#levelAt(made: number): number {
		if (made <= this.#full) return 1;
		return Math.max(0, (this.#silent - made) / (this.#silent - this.#full));
	}

	#best(sound: Float32Array, count: number, low: number, high: number, stride: number): number {
		let best = low;
		let bestLikeness = -Infinity;
		for (let place = low; place <= high; place += stride) {
			let product = 0;
			let energy = QUIET_POWER;
			for (let index = 0; index < count; index += stride) {
				const made = this.#cycle[(this.#made + place + index) % this.#length] ?? 0;
				product += made * (sound[index] ?? 0);
				energy += made * made;
			}
			const likeness = product / Math.sqrt(energy);
			if (likeness > bestLikeness) {
				bestLikeness = likeness;
				best = place;
			}
		}
		return best;
	}

	/** The distance at which the last sound is most similar to earlier sound. */
	#period(): number {
		const rough = this.#mostAlike(this.#least, this.#most, STRIDE);
		return this.#mostAlike(Math.max(this.#least, rough - STRIDE), Math.min(this.#most, rough + STRIDE), 1);
	}

	#mostAlike(low: number, high: number, stride: number): number {
		let best = low;
		let bestLikeness = -Infinity;
		for (let period = low; period <= high; period += stride) {
			const likeness = this.#likeness(period, stride);
			if (likeness > bestLikeness) {
				bestLikeness = likeness;
				best = period;
			}
		}
		return best;
	}

	/** Similarity from -1 to 1. */
	#likeness(period: number, stride: number): number {
		const history = this.#history;
		let product = 0;
		let energy = QUIET_POWER;
		let before = QUIET_POWER;
		for (let at = history.length - this.#alike; at < history.length; at += stride) {
			const sample = history[at] ?? 0;
			const earlier = history[at - period] ?? 0;
			product += sample * earlier;
			energy += sample * sample;
			before += earlier * earlier;
		}
		return product / Math.sqrt(energy * before);
	}
}
