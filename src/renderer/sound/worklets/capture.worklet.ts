import { createMixDown } from '#shared/sound/mix-down.ts';
import { floatToS16 } from '#shared/sound/pcm.ts';
import { createResampler } from '#shared/sound/resampler.ts';

/** The rate of the sockets (protocol 5.1.2): 24 kHz mono, passed on in frames of 20 ms. */
const RATE_HZ = 24_000;
const FRAME = RATE_HZ / 50;

/**
 * What comes in, mixed to one channel, goes out of the port it was given: straight to the owner of the socket,
 * bypassing the page's own thread. Without an input nothing is sent: the pacer fills in silence.
 */
class Capture extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #resampler = createResampler(sampleRate, RATE_HZ);
	readonly #mixDown = createMixDown();
	/** 20 ms at the context's rate, of each channel. */
	readonly #collected = [0, 1].map(() => new Float32Array(Math.round(sampleRate / 50)));
	#isStereo = false;
	readonly #frame = new Float32Array(FRAME);
	#count = 0;
	#framed = 0;
	#to: MessagePort | null = null;
	#ended = false;

	constructor() {
		super();
		this.port.onmessage = ({ data, ports: [to] }) => {
			if (to) this.#to = to;
			if (data === 'end') this.#end();
		};
	}

	/** Gives the port back: another worklet goes on with it. */
	#end(): void {
		this.#ended = true;
		this.port.postMessage({ type: 'ended' }, this.#to ? [this.#to] : []);
		this.#to = null;
	}

	process([channels]: Float32Array[][]): boolean {
		const [first, second] = channels ?? [];
		if (!first || this.#ended) return !this.#ended;
		for (let index = 0; index < first.length; index += 1) {
			const [left, right] = this.#collected;
			if (!left || !right) return true;
			left[this.#count] = first[index] ?? 0;
			right[this.#count] = (second ?? first)[index] ?? 0;
			this.#isStereo ||= second !== undefined;
			this.#count += 1;
			if (this.#count === left.length) this.#convert();
		}
		return true;
	}

	#convert(): void {
		this.#count = 0;
		const mixed = this.#mixDown.mix(this.#collected.slice(0, this.#isStereo ? 2 : 1));
		this.#isStereo = false;
		const samples = this.#resampler.push(mixed);
		for (const sample of samples) {
			this.#frame[this.#framed] = sample;
			this.#framed += 1;
			if (this.#framed === FRAME) this.#send();
		}
	}

	#send(): void {
		this.#framed = 0;
		const out = new Int16Array(FRAME);
		floatToS16(this.#frame, out);
		this.#to?.postMessage(out);
	}
}

registerProcessor('capture', Capture);
