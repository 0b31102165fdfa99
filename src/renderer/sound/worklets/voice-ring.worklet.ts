import { VoiceRing } from '#shared/sound/voice-ring.ts';

/** Messages from the page; the worklet answers `read` with `{ id, samples, rateHz }`. */
type Said =
	| { readonly type: 'read'; readonly id: number; readonly fromAgoMs: number; readonly toAgoMs: number }
	| { readonly type: 'erase' }
	| { readonly type: 'end' };

interface Kept {
	readonly seconds: number;
}

/** Keeps the most recent sound of a voice on the audio thread; the page gets it only on request. */
class VoiceRingProcessor extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #ring: VoiceRing;
	#ended = false;

	constructor({ processorOptions }: { readonly processorOptions: Kept }) {
		super();
		this.#ring = new VoiceRing(sampleRate, processorOptions.seconds);
		this.port.onmessage = ({ data }) => this.#hear(data as Said);
	}

	process([input]: Float32Array[][]): boolean {
		this.#ring.push(input?.[0] ?? null, 128);
		return !this.#ended;
	}

	#hear(said: Said): void {
		if (said.type !== 'read') this.#ring.erase();
		if (said.type === 'end') this.#ended = true;
		if (said.type !== 'read') return;
		const samples = this.#ring.read(said.fromAgoMs, said.toAgoMs);
		this.port.postMessage({ id: said.id, samples, rateHz: this.#ring.rateHz }, [samples.buffer]);
	}
}

registerProcessor('voice-ring', VoiceRingProcessor);
