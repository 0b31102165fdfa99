import { createMixDown } from '#shared/sound/mix-down.ts';
import { floatToS16, PcmQueue } from '#shared/sound/pcm.ts';
import { createResampler } from '#shared/sound/resampler.ts';

/** The rate of the sockets (protocol 5.1.2): 24 kHz mono, passed on in frames of 20 ms. */
const RATE_HZ = 24_000;
const FRAME = RATE_HZ / 50;
/** Kept sound is sent in pieces of a second: thousands of frames at once would block the audio thread. */
const KEPT_PIECE = RATE_HZ;
/** Samples in every block of the audio thread; used when there is no input. */
const QUANTUM = 128;

/** Messages from the page; `to` comes with the port. */
export type ToCapture = { readonly type: 'to' | 'end' } | { readonly type: 'keep'; readonly lastMs: number };

/** How much is kept until there is a port; 0 = nothing. */
interface Options {
	readonly keptMs: number;
}

/**
 * Sends its input, mixed to one channel, to its port: straight to the owner of the socket, bypassing the page's
 * own thread. Sends nothing without an input: the pacer fills in silence. With `keptMs`, keeps the latest sound
 * (silence while there is no input) until there is a port, and then sends it first.
 */
class Capture extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #resampler = createResampler(sampleRate, RATE_HZ);
	readonly #mixDown = createMixDown();
	/** 20 ms of each channel at the context's rate. */
	readonly #left = new Float32Array(Math.round(sampleRate / 50));
	readonly #right = new Float32Array(this.#left.length);
	readonly #stereo = [this.#left, this.#right];
	#isStereo = false;
	readonly #resampled = new Float32Array(this.#resampler.most(this.#left.length));
	readonly #frame = new Float32Array(FRAME);
	/** Null: everything goes to the port, if there is one. */
	#kept: PcmQueue<Int16Array> | null;
	readonly #keptFrame = new Int16Array(FRAME);
	#count = 0;
	#framed = 0;
	#to: MessagePort | null = null;
	#ended = false;

	constructor({ processorOptions: { keptMs } }: { readonly processorOptions: Options }) {
		super();
		this.#kept = keptMs > 0 ? new PcmQueue(new Int16Array((keptMs * RATE_HZ) / 1000)) : null;
		this.port.onmessage = ({ data, ports: [to] }) => {
			const said = data as ToCapture;
			if (said.type === 'keep') this.#keepLast(said.lastMs);
			if (to) this.#give(to);
			if (said.type === 'end') this.#end();
		};
	}

	#keepLast(ms: number): void {
		this.#kept?.skip(this.#kept.length - Math.round((ms * RATE_HZ) / 1000));
	}

	#give(to: MessagePort): void {
		this.#to = to;
		const kept = this.#kept;
		this.#kept = null;
		while (kept && kept.length > 0) {
			const piece = new Int16Array(Math.min(KEPT_PIECE, kept.length));
			kept.take(piece);
			to.postMessage(piece);
		}
	}

	/** Returns the port, so that another worklet can continue with it. */
	#end(): void {
		this.#ended = true;
		this.#kept = null;
		this.port.postMessage({ type: 'ended' }, this.#to ? [this.#to] : []);
		this.#to = null;
	}

	process([channels]: Float32Array[][]): boolean {
		const [first, second] = channels ?? [];
		if (this.#ended) return false;
		// Kept sound must have no gaps, so that its length shows when it was spoken.
		if (!first && !this.#kept) return true;
		const length = first?.length ?? QUANTUM;
		for (let index = 0; index < length; index += 1) {
			this.#left[this.#count] = first?.[index] ?? 0;
			this.#right[this.#count] = (second ?? first)?.[index] ?? 0;
			this.#isStereo ||= second !== undefined;
			this.#count += 1;
			if (this.#count === this.#left.length) this.#convert();
		}
		return true;
	}

	#convert(): void {
		this.#count = 0;
		const mixed = this.#isStereo ? this.#mixDown.mix(this.#stereo) : this.#left;
		this.#isStereo = false;
		const count = this.#resampler.pushInto(mixed, this.#resampled);
		for (let index = 0; index < count; index += 1) {
			this.#frame[this.#framed] = this.#resampled[index] ?? 0;
			this.#framed += 1;
			if (this.#framed === FRAME) this.#send();
		}
	}

	#send(): void {
		this.#framed = 0;
		if (this.#kept) {
			floatToS16(this.#frame, this.#keptFrame);
			this.#kept.write(this.#keptFrame);
			return;
		}
		const out = new Int16Array(FRAME);
		floatToS16(this.#frame, out);
		this.#to?.postMessage(out);
	}
}

registerProcessor('capture', Capture);
