import { SoundSum } from '#shared/sound/sound-sum.ts';

/** A copy of the type in `shared/host/calls.ts`. */
interface SoundFrame {
	readonly from: number;
	readonly samples: Int16Array | null;
}

/** Plays the sound of other programs, which arrives on a port sent in a message, by the device's clock. */
class SystemSound extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #sum = new SoundSum(sampleRate);
	#frames: MessagePort | null = null;
	#ended = false;

	constructor() {
		super();
		this.port.onmessage = ({ data, ports: [frames] }) => {
			if (data === 'end') this.#ended = true;
			this.#leave();
			if (!frames) return;
			this.#frames = frames;
			frames.onmessage = ({ data: frame }) => this.#take(frame as SoundFrame);
		};
	}

	process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
		const channel = outputs[0]?.[0];
		if (channel) this.#sum.read(channel);
		return !this.#ended;
	}

	#take({ from, samples }: SoundFrame): void {
		if (samples) this.#sum.push(from, samples);
		else this.#sum.end(from);
	}

	#leave(): void {
		if (this.#frames) this.#frames.onmessage = null;
		this.#frames?.close();
		this.#frames = null;
		this.#sum.clear();
	}
}

registerProcessor('system-sound', SystemSound);
