import type { VoicePiece, VoiceRest } from '#shared/sound/voice-queue.ts';
import { VoiceStream } from '#shared/sound/voice-stream.ts';

/** Messages from the page. Frames come on a separate port, which the first message brings. */
type Said =
	/** `flushed`: drop `rest`, and ignore what still arrives of that speech. */
	| { readonly type: 'frames'; readonly rest: readonly Rest[]; readonly flushed: boolean }
	/** Drops the waiting sound of every language, and ignores the rest of that speech when it arrives. */
	| { readonly type: 'flush' }
	/** Drops one sentence, even if none of it has arrived yet. */
	| { readonly type: 'drop'; readonly id: string }
	| { readonly type: 'limit'; readonly ms: number }
	/** Answered with the port and the sound not played yet, for the next worklet. */
	| { readonly type: 'end' };

interface Frame extends VoicePiece {
	readonly language: string;
}

interface Rest extends VoiceRest {
	readonly language: string;
}

/** The page reads the state at most four times a second. */
const REPORT_S = 0.25;
/** Dropped sentences to remember: their last pieces arrive within a moment. */
const DROPPED_KEPT = 64;

/** Plays a stream's voices: output `n` is the n-th language. Time follows the audio device. */
class VoicePlayer extends AudioWorkletProcessor implements AudioWorkletProcessorImpl {
	readonly #voices = new Map<string, VoiceStream>();
	/** The sentences dropped last, which voices created later must not speak either. */
	#dropped: string[] = [];
	#ended = false;
	#frames: MessagePort | null = null;
	#reportedS = 0;
	/** One bit for each voice that is audible now. */
	#audible = 0;
	#limitMs = 20_000;

	constructor() {
		super();
		this.port.onmessage = ({ data, ports: [frames] }) => this.#hear(data as Said, frames);
	}

	process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
		const nowMs = currentTime * 1000;
		let at = 0;
		let audible = 0;
		for (const voice of this.#voices.values()) {
			const channel = outputs[at]?.[0];
			if (channel) voice.read(channel, nowMs);
			if (voice.isAudible) audible |= 1 << at;
			at += 1;
		}
		// A short word begins and ends between two reports.
		const isChanged = audible !== this.#audible;
		this.#audible = audible;
		if (isChanged || currentTime - this.#reportedS >= REPORT_S) this.#report(nowMs);
		return !this.#ended;
	}

	#hear(said: Said, frames: MessagePort | undefined): void {
		if (said.type === 'flush') this.#flush();
		if (said.type === 'drop') {
			this.#dropped = [...this.#dropped, said.id].slice(-DROPPED_KEPT);
			for (const voice of this.#voices.values()) voice.drop(said.id);
		}
		if (said.type === 'limit') {
			this.#limitMs = said.ms;
			for (const voice of this.#voices.values()) voice.setLimit(said.ms);
		}
		if (said.type === 'end') this.#end();
		if (said.type !== 'frames' || !frames) return;
		this.#frames = frames;
		for (const { language, ...rest } of said.rest) this.#voiceOf(language).goOn(rest, currentTime * 1000);
		if (said.flushed) this.#flush();
		frames.onmessage = ({ data }) => this.#take(data as Frame);
	}

	#flush(): void {
		for (const voice of this.#voices.values()) voice.flush();
	}

	#end(): void {
		this.#ended = true;
		const rest = [...this.#voices].map(([language, voice]) => ({ language, ...voice.rest }));
		this.#voices.clear();
		if (this.#frames) this.#frames.onmessage = null;
		this.port.postMessage({ type: 'ended', rest }, this.#frames ? [this.#frames] : []);
		this.#frames = null;
	}

	#take({ language, ...piece }: Frame): void {
		this.#voiceOf(language).push(piece, currentTime * 1000);
	}

	#voiceOf(language: string): VoiceStream {
		const known = this.#voices.get(language);
		if (known) return known;
		const voice = new VoiceStream(sampleRate);
		voice.setLimit(this.#limitMs);
		for (const id of this.#dropped) voice.drop(id);
		this.#voices.set(language, voice);
		this.port.postMessage({ type: 'voice', language, output: this.#voices.size - 1 });
		return voice;
	}

	#report(nowMs: number): void {
		this.#reportedS = currentTime;
		if (this.#voices.size === 0) return;
		const voices = [...this.#voices].map(([language, voice]) => ({ language, ...voice.state(nowMs) }));
		this.port.postMessage({ type: 'state', voices });
	}
}

registerProcessor('voice-player', VoicePlayer);
