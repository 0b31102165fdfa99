import { VoiceBlocks } from '#shared/sound/voice-block.ts';

/** Sends a voice in blocks to the port that came with the first message. The context runs at the blocks' rate. */
class GuestVoice extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #blocks = new VoiceBlocks();
	#to: MessagePort | null = null;
	#ended = false;

	constructor() {
		super();
		this.port.onmessage = ({ data, ports: [to] }) => {
			if (to) this.#to = to;
			if (data !== 'end') return;
			this.#ended = true;
			this.#to?.close();
			this.#to = null;
		};
	}

	process([input]: Float32Array[][]): boolean {
		const block = this.#blocks.push(input?.[0] ?? null, 128);
		if (block) this.#to?.postMessage(block);
		return !this.#ended;
	}
}

registerProcessor('guest-voice', GuestVoice);
