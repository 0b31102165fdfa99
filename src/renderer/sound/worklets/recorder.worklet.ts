import { floatToS16 } from '#shared/sound/pcm.ts';

/** Samples of each channel in a piece, at most 100 ms; a piece is posted when it is full. */
const PIECE = 4096;

/** Options from the page: the position of the first sample, in samples since Start. */
interface Options {
	readonly processorOptions: { readonly from: number };
}

/** Sends two inputs, speech and translation, as one stereo recording to the port of the first message. */
class Recorder extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #floats = new Float32Array(PIECE * 2);
	#count = 0;
	#at: number;
	#to: MessagePort | null = null;
	#ended = false;

	constructor(options: Options) {
		super();
		this.#at = options.processorOptions.from;
		this.port.onmessage = ({ data, ports: [to] }) => {
			if (to) this.#to = to;
			if (typeof data === 'number') this.#anchor(data);
			if (data !== 'end') return;
			this.#send();
			this.#ended = true;
			this.port.postMessage({ type: 'ended' }, this.#to ? [this.#to] : []);
			this.#to = null;
		};
	}

	/** After the device stalled, sound lies later than the sample count says. The position never goes back. */
	#anchor(at: number): void {
		if (at <= this.#at + this.#count) return;
		this.#send();
		this.#at = at;
	}

	process(inputs: Float32Array[][]): boolean {
		if (this.#ended) return false;
		const said = inputs[0]?.[0];
		const translated = inputs[1]?.[0];
		for (let i = 0; i < 128; i += 1) {
			this.#floats[this.#count * 2] = said?.[i] ?? 0;
			this.#floats[this.#count * 2 + 1] = translated?.[i] ?? 0;
			this.#count += 1;
			if (this.#count === PIECE) this.#send();
		}
		return true;
	}

	#send(): void {
		if (this.#count === 0) return;
		const samples = new Int16Array(this.#count * 2);
		floatToS16(this.#floats.subarray(0, samples.length), samples);
		this.#to?.postMessage({ at: this.#at, samples });
		this.#at += this.#count;
		this.#count = 0;
	}
}

registerProcessor('recorder', Recorder);
