import { VoiceRing } from '#shared/audio/voice-ring.ts';

/** What the page says to it; the first is answered with `{ id, samples, rateHz }`. */
type Said =
	| { readonly type: 'read'; readonly id: number; readonly fromAgoMs: number; readonly toAgoMs: number }
	| { readonly type: 'end' };

/** As long as anybody asks "what did they say?". */
const SECONDS = 120;

/** Keeps the last two minutes of a voice on the thread of the sound; the page hears of it only when it asks. */
class VoiceRingProcessor extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #ring = new VoiceRing(sampleRate, SECONDS);
	#ended = false;

	constructor() {
		super();
		this.port.onmessage = ({ data }) => this.#hear(data as Said);
	}

	process([input]: Float32Array[][]): boolean {
		this.#ring.push(input?.[0] ?? null, 128);
		return !this.#ended;
	}

	#hear(said: Said): void {
		if (said.type === 'end') {
			this.#ended = true;
			return;
		}
		const samples = this.#ring.read(said.fromAgoMs, said.toAgoMs);
		this.port.postMessage({ id: said.id, samples, rateHz: this.#ring.rateHz }, [samples.buffer]);
	}
}

registerProcessor('voice-ring', VoiceRingProcessor);
