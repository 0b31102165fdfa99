import type { AudioEngine } from '#renderer/sound/context.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { createPcmCapture, type PcmCapture, type PcmCaptureParts } from '#renderer/sound/pcm-capture.ts';

/** Keeps what a service may not hear, in case this computer takes over; loaded after the first paint (`keep-unsent.ts`). */
export interface UnsentKeeper {
	/** The source goes on as this track; null: it is closed. */
	track(track: MediaStreamTrack | null): void;
	/** True if the source stays open although the conversation closes it, because it is about to go on. */
	holds(): boolean;
	/** What was kept, for a conversation that goes on here; null: there is nothing for it. */
	take(): UnsentSpeech | null;
	/** Speech did not reach the service. Marks it as lost, up to where it is kept. */
	lost(mark: MarkLost): void;
}

/** `keptMs`: what was said from then on is not lost. */
export type MarkLost = (keptMs?: number) => void;

export interface UnsentSpeech {
	/** Sends what was kept first. Who takes it closes it. */
	readonly capture: PcmCapture;
	/** When that was spoken, from here on, monotonic ms. */
	readonly fromMs: number;
	/** As `lost` of `createPcmCapture`, from now on. */
	setLost(lost: () => void): void;
}

/** What a direction has for a keeper, and what the keeper has for the direction. */
export interface Unsent {
	/** The source as the conversation sees it. */
	readonly microphone: Microphone;
	/** Where the source is heard. */
	readonly engine: AudioEngine;
	/** As the keeper's; without one, nothing is kept. */
	lost(mark: MarkLost): void;
	/** What the next socket is to send first, if anything was kept. */
	take(): { readonly createCapture: (parts: PcmCaptureParts) => PcmCapture } | null;
	/** When the speech begins that the newest socket got, monotonic ms; null: when it was opened. */
	fromMs(): number | null;
	/** The keeper from now on; it gets the track at once. Returns what closes a source that it holds. */
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
		lost: (mark) => (keeper ? keeper.lost(mark) : mark()),
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
