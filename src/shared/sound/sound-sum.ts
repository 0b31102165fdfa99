import { PcmQueue } from './pcm.ts';

/** Length collected before a stream is played, so that the recorder's pieces join without gaps. */
const FIRST_MS = 60;
/** Maximum waiting sound: two clocks drift, and waiting sound is delay. */
const MOST_MS = 200;
/** Most simultaneous streams; further ones wait until an earlier one ends. */
const MOST_STREAMS = 32;

interface Line {
	readonly queue: PcmQueue<Int16Array>;
	/** Set once enough sound is collected, and again after the stream ran out. */
	running: boolean;
	/** No more sound arrives: the rest is played, then the stream is removed. */
	ending: boolean;
}

/**
 * Mixes streams of 16-bit sound that arrive in pieces, each with its own clock: a late stream is silent, an
 * early one is trimmed, and none delays the others. Reading allocates nothing.
 */
export class SoundSum {
	readonly #lines = new Map<number, Line>();
	readonly #first: number;
	readonly #most: number;
	#scratch = new Int16Array(128);
	#dropped = 0;

	constructor(rateHz: number) {
		this.#first = Math.ceil((rateHz * FIRST_MS) / 1000);
		this.#most = Math.ceil((rateHz * MOST_MS) / 1000);
	}

	/** Total number of samples dropped to keep the delay short. */
	get dropped(): number {
		return this.#dropped;
	}

	/** Number of known streams. */
	get streams(): number {
		return this.#lines.size;
	}

	push(from: number, samples: Int16Array): void {
		let line = this.#lines.get(from);
		if (!line) {
			if (this.#lines.size >= MOST_STREAMS) return;
			line = { queue: new PcmQueue(new Int16Array(this.#most * 2)), running: false, ending: false };
			this.#lines.set(from, line);
		}
		line.ending = false;
		this.#dropped += line.queue.write(samples);
		// Shorten a queue that is too long in one step rather than bit by bit.
		if (line.queue.length > this.#most) this.#dropped += line.queue.skip(line.queue.length - this.#first);
	}

	end(from: number): void {
		const line = this.#lines.get(from);
		if (line) line.ending = true;
	}

	clear(): void {
		this.#lines.clear();
	}

	/** Fills `out` with the sum, −1..1, clipped. */
	read(out: Float32Array): void {
		out.fill(0);
		if (this.#scratch.length < out.length) this.#scratch = new Int16Array(out.length);
		for (const [from, line] of this.#lines) {
			if (!line.running) line.running = line.ending || line.queue.length >= this.#first;
			if (!line.running) continue;
			const taken = line.queue.take(this.#scratch, 0, out.length);
			for (let at = 0; at < taken; at += 1) {
				const sum = (out[at] ?? 0) + (this.#scratch[at] ?? 0) / 32_768;
				out[at] = Math.min(1, Math.max(-1, sum));
			}
			if (taken === out.length) continue;
			line.running = false;
			if (line.ending) this.#lines.delete(from);
		}
	}
}
