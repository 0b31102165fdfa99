import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { createPcmCapture, type PcmCapture, type PcmCaptureParts } from '#renderer/sound/pcm-capture.ts';

/** Keeps what a service may not hear, in case this computer takes over; loaded after the first paint (`keep-unsent.ts`). */
export interface UnsentKeeper {
	/** Sets the track of the source; null: the source is closed. */
	track(track: MediaStreamTrack | null): void;
	/** True if the source must stay open after the conversation: another is about to continue. */
	holds(): boolean;
	/** Takes the kept speech for a conversation that continues on this computer; null: there is none. */
	take(): UnsentSpeech | null;
	/** True while speech is kept. */
	keeps(): boolean;
	/** Speech did not reach the service: marks it as lost once it is certain that it will not be interpreted here. */
	lost(mark: MarkLost, wasOff: boolean): void;
	/** Earlier speech will not be interpreted here any more. */
	settle(): void;
}

/** Marks lost speech in the captions, but only the part between these times, monotonic ms; default: all of it. */
export type MarkLost = (fromMs?: number, toMs?: number) => void;

export interface UnsentSpeech {
	/** Sends the kept speech first. The caller of `take` closes it. */
	readonly capture: PcmCapture;
	/** Start time of the kept speech, monotonic ms. */
	readonly fromMs: number;
	/** Replaces the `lost` callback of `createPcmCapture`. */
	setLost(lost: () => void): void;
}

/** Connects a direction with the keeper of its unsent speech. */
export interface Unsent {
	readonly microphone: Microphone;
	readonly engine: AudioEngine;
	/** Like the same of the keeper; without a keeper, no speech is kept. `wasOff`: no sound of it exists. */
	keeps(): boolean;
	lost(mark: MarkLost, wasOff: boolean): void;
	settle(): void;
	/** The capture for the next socket, which sends the kept speech first; null = nothing was kept. */
	take(): { readonly createCapture: (parts: PcmCaptureParts) => PcmCapture } | null;
	/** Start time of the speech sent to the newest socket, monotonic ms; null: when the socket was opened. */
	fromMs(): number | null;
	/** Sets the keeper, which gets the track. Returns a function that closes a source held open. */
	keepBy(keeper: UnsentKeeper): () => void;
}

export function createUnsent(source: Microphone, engine: AudioEngine): Unsent {
	let keeper: UnsentKeeper | null = null;
	let track: MediaStreamTrack | null = null;
	let fromMs: number | null = null;

	function set(next: MediaStreamTrack | null): void {
		track = next;
		keeper?.track(next);
	}

	function close(): void {
		set(null);
		source.close();
	}

	return {
		engine,
		microphone: {
			...source,
			get device() {
				return source.device;
			},
			async open() {
				const opened = await source.open();
				if (opened.ok) set(opened.value);
				return opened;
			},
			close() {
				if (!keeper?.holds()) close();
			},
			listen: (heard) =>
				source.listen((event) => {
					if (event.type === 'replaced') set(event.track);
					heard(event);
				}),
		},
		keeps: () => keeper?.keeps() ?? false,
		lost: (mark, wasOff) => (keeper ? keeper.lost(mark, wasOff) : mark()),
		settle: () => keeper?.settle(),
		take() {
			let unsent = keeper?.take() ?? null;
			fromMs = unsent?.fromMs ?? null;
			if (!unsent) return null;
			return {
				createCapture(parts) {
					const { capture, setLost } = unsent ?? {};
					unsent = null;
					if (!capture) return createPcmCapture(parts);
					setLost?.(parts.lost);
					return capture;
				},
			};
		},
		fromMs: () => fromMs,
		keepBy(next) {
			keeper = next;
			next.track(track);
			return close;
		},
	};
}
