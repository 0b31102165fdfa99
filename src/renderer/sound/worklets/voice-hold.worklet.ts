import { HeldVoice } from '#shared/sound/voice-hold-buffer.ts';

type Said =
	| { readonly type: 'hold'; readonly on: boolean }
	| { readonly type: 'flush' }
	| { readonly type: 'end' };

/** Keeps a voice waiting while a microphone is open; tells the page when sound begins or stops waiting. */
class VoiceHold extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #voice = new HeldVoice(sampleRate);
	#waited = false;
	#ended = false;

	constructor() {
		super();
		this.port.onmessage = ({ data }) => this.#hear(data as Said);
	}

	process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
		const output = outputs[0]?.[0];
		if (output) this.#voice.process(inputs[0]?.[0], output);
		const waits = this.#voice.waiting > 0;
		if (waits !== this.#waited) {
			this.#waited = waits;
			this.port.postMessage({ type: 'waiting', waits });
		}
		return !this.#ended;
	}

	#hear(said: Said): void {
		if (said.type === 'hold') this.#voice.hold(said.on);
		if (said.type === 'flush') this.#voice.flush();
		if (said.type === 'end') this.#ended = true;
	}
}

registerProcessor('voice-hold', VoiceHold);
