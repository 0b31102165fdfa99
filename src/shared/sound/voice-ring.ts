/** A piece of a voice, 16 bit, mono. */
export interface VoiceSlice {
	readonly samples: Int16Array;
	readonly rateHz: number;
}

/** Lowest rate of the stored sound: enough for speech, and half of a usual device rate. */
const LEAST_HZ = 22_050;

/** The last seconds of a voice, including silence. Real-time safe: allocates only for what is read. */
export class VoiceRing {
	readonly rateHz: number;
	readonly #every: number;
	readonly #ring: Int16Array;
	#written = 0;
	/** Samples before this position are erased. */
	#from = 0;
	#sum = 0;
	#summed = 0;

	/** `inputHz` is the rate of the input; the stored sound has an integer fraction of it. */
	constructor(inputHz: number, seconds: number) {
		this.#every = Math.max(1, Math.floor(inputHz / LEAST_HZ));
		this.rateHz = inputHz / this.#every;
		this.#ring = new Int16Array(Math.ceil(seconds * this.rateHz));
	}

	/** One block in [-1, 1]; null is silence of `length`. */
	push(block: Float32Array | null, length: number): void {
		for (let at = 0; at < length; at += 1) {
			this.#sum += block?.[at] ?? 0;
			this.#summed += 1;
			if (this.#summed < this.#every) continue;
			const sample = Math.max(-1, Math.min(1, this.#sum / this.#every));
			this.#ring[this.#written % this.#ring.length] = Math.round(sample * 32_767);
			this.#written += 1;
			this.#sum = 0;
			this.#summed = 0;
		}
	}

	/** The sound between two moments, given as their age, ms; omits overwritten sound. */
	read(fromAgoMs: number, toAgoMs: number): Int16Array<ArrayBuffer> {
		const place = (agoMs: number) => this.#written - Math.round((Math.max(0, agoMs) * this.rateHz) / 1000);
		const oldest = Math.max(this.#from, this.#written - this.#ring.length);
		const from = Math.max(oldest, place(fromAgoMs));
		const to = Math.min(this.#written, place(toAgoMs));
		const out = new Int16Array(Math.max(0, to - from));
		for (let at = 0; at < out.length; at += 1) out[at] = this.#ring[(from + at) % this.#ring.length] ?? 0;
		return out;
	}

	/** Erases everything pushed so far. */
	erase(): void {
		this.#ring.fill(0);
		this.#from = this.#written;
		this.#sum = 0;
		this.#summed = 0;
	}
}

const WINDOW_MS = 20;
/** RMS of -46 dBFS: a voice is quieter than this only between its words. */
const SPEECH_RMS = 32_768 * 10 ** (-46 / 20);
/** How much of each pause is kept. */
const PAUSE_MS = 250;

/**
 * Shortens a slice that has `slackMs` too much at both ends: cuts it where the voice is quietest within this
 * slack, because the ends of a sentence are only estimates.
 */
export function cutAtPauses({ samples, rateHz }: VoiceSlice, slackMs: number): VoiceSlice {
	const slack = Math.min(Math.round((2 * slackMs * rateHz) / 1000), Math.floor(samples.length / 2));
	const size = Math.max(1, Math.round((WINDOW_MS * rateHz) / 1000));
	// Among equally quiet positions, choose the one closest to the sentence, so that no whole pause is played.
	const from = quietest(samples, 0, slack, size, false);
	const to = quietest(samples, samples.length - slack, samples.length, size, true);
	return { samples: samples.subarray(from, Math.max(from, to)), rateHz };
}

function quietest(samples: Int16Array, from: number, to: number, size: number, first: boolean): number {
	let best = Number.POSITIVE_INFINITY;
	let place = first ? to : from;
	for (let at = from; at + size <= to; at += size) {
		const power = powerOf(samples, at, at + size);
		if (first ? power < best : power <= best) [best, place] = [power, first ? at + size : at];
	}
	return place;
}

/** The speech with shortened pauses, for catching up. */
export function withoutPauses({ samples, rateHz }: VoiceSlice): VoiceSlice {
	const size = Math.max(1, Math.round((WINDOW_MS * rateHz) / 1000));
	const most = PAUSE_MS / WINDOW_MS;
	const out = new Int16Array(samples.length);
	let length = 0;
	let quiet = most;
	for (let at = 0; at < samples.length; at += size) {
		const end = Math.min(samples.length, at + size);
		quiet = powerOf(samples, at, end) < SPEECH_RMS ** 2 ? quiet + 1 : 0;
		if (quiet > most) continue;
		out.set(samples.subarray(at, end), length);
		length += end - at;
	}
	return { samples: out.subarray(0, length), rateHz };
}

function powerOf(samples: Int16Array, from: number, to: number): number {
	let sum = 0;
	for (let at = from; at < to; at += 1) sum += (samples[at] ?? 0) ** 2;
	return to > from ? sum / (to - from) : 0;
}
