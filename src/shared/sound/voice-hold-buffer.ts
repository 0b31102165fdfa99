import { LONGEST_VOICE_WAIT_MS } from '#shared/face-to-face/turn-rules.ts';
import { PcmQueue } from './pcm.ts';

/** Mean square at -50 dBFS: a voice is quieter than this only between its sentences. */
const SPEECH_POWER = 10 ** (-50 / 10);
/** How much of a pause is kept, so that buffered speech still sounds natural. */
const PAUSE_S = 0.3;
/** Sound kept before speech, because the first sound of a word is soft. */
const LEAD_S = 0.03;

/**
 * A voice that can be held back: while it is held, its output is silent and its speech is buffered with shorter
 * pauses; after the release the buffered speech is played first. With an empty buffer the voice passes
 * unchanged. Real-time safe: allocates nothing.
 */
export class HeldVoice {
	readonly #queue: PcmQueue;
	readonly #lead: PcmQueue;
	readonly #leadOut: Float32Array;
	readonly #pauseSamples: number;
	#held = false;
	#quietSamples = Number.POSITIVE_INFINITY;

	constructor(rateHz: number) {
		this.#queue = new PcmQueue(new Float32Array(Math.ceil((LONGEST_VOICE_WAIT_MS / 1000) * rateHz)));
		this.#leadOut = new Float32Array(Math.ceil(LEAD_S * rateHz));
		this.#lead = new PcmQueue(new Float32Array(this.#leadOut.length));
		this.#pauseSamples = PAUSE_S * rateHz;
	}

	/** Number of buffered samples that have not been played yet. */
	get waiting(): number {
		return this.#queue.length;
	}

	hold(on: boolean): void {
		this.#held = on;
	}

	/** Drops the buffered speech. */
	flush(): void {
		this.#queue.clear();
	}

	/** `input` and `output` have the same length; without an input the output is silence. */
	process(input: Float32Array | undefined, output: Float32Array): void {
		if (!this.#held && this.#queue.length === 0) {
			if (input) output.set(input);
			else output.fill(0);
			if (input) this.#note(input);
			return;
		}
		if (input) this.#keep(input);
		if (this.#held) output.fill(0);
		else this.#queue.read(output);
	}

	/** Whether the block is speech, or follows speech so soon that it belongs to it. */
	#note(input: Float32Array): boolean {
		let energy = 0;
		for (const sample of input) energy += sample * sample;
		if (energy >= SPEECH_POWER * input.length) this.#quietSamples = 0;
		else this.#quietSamples += input.length;
		return this.#quietSamples < this.#pauseSamples;
	}

	#keep(input: Float32Array): void {
		const wasSpeech = this.#quietSamples < this.#pauseSamples;
		if (!this.#note(input)) return void this.#lead.write(input);
		if (!wasSpeech) {
			const taken = this.#lead.take(this.#leadOut);
			this.#queue.write(this.#leadOut, 0, taken);
		}
		this.#queue.write(input);
	}
}
