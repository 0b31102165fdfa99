import { createListeners } from '#shared/lib/listeners.ts';
import type { Problem } from '#shared/problem.ts';
import { type Level, silence } from '#shared/sound/level.ts';
import { type TapParts, tapLevel, tapLevelLater } from './level-tap.ts';
import { type CaptureParts, type CaptureSettings, capture } from './microphone-capture.ts';

export type MeterView =
	| { readonly state: 'closed' }
	/** Waiting for the microphone, maybe for the user's permission. */
	| { readonly state: 'opening' }
	| { readonly state: 'open'; readonly level: Level; readonly device: string }
	| { readonly state: 'failed'; readonly problem: Problem };

/**
 * A level on screen while the user looks at it. A small store; `useStore` of zustand takes it as it is.
 */
export interface Meter {
	getState(): MeterView;
	getInitialState(): MeterView;
	/** Returns an unsubscribe function. */
	subscribe(changed: (view: MeterView, before: MeterView) => void): () => void;
	/** Opens a microphone of its own for this; it is heard by nobody and closed with the meter. */
	openMicrophone(settings: CaptureSettings): Promise<void>;
	/** Shows a track that is open anyway; it stays the caller's. */
	show(track: MediaStreamTrack): void;
	/** Everything it opened is off when it returns. */
	close(): void;
}

/** The meter's range, dB: speech lies within it. */
const QUIET_DB = -60;
const LOUD_DB = -6;

const closed: MeterView = { state: 'closed' };

export function createMeter(parts: CaptureParts & TapParts): Meter {
	const listeners = createListeners<[view: MeterView, before: MeterView]>();
	let view: MeterView = closed;
	let end = () => {};

	function set(next: MeterView): void {
		const before = view;
		view = next;
		listeners.tell(next, before);
	}

	function close(): void {
		end();
		end = () => {};
		if (view !== closed) set(closed);
	}

	function tap(track: MediaStreamTrack, tapBy: typeof tapLevel): () => void {
		const showLevel = (level: Level) => set({ state: 'open', level, device: track.label });
		showLevel(silence);
		return tapBy(parts, track, showLevel);
	}

	return {
		getState: () => view,
		getInitialState: () => closed,
		subscribe: listeners.listen,
		async openMicrophone(settings) {
			close();
			const abort = new AbortController();
			end = () => abort.abort();
			set({ state: 'opening' });
			const captured = await capture(parts, settings, abort.signal);
			if (abort.signal.aborted) {
				if (captured.ok) captured.value.track.stop();
				return;
			}
			if (!captured.ok) return set({ state: 'failed', problem: captured.error });
			const { track } = captured.value;
			const untap = tap(track, tapLevel);
			end = () => {
				untap();
				track.stop();
			};
		},
		show(track) {
			close();
			end = tap(track, tapLevelLater);
		},
		close,
	};
}

/** dBFS to 0..1, linear in dB, so that the bar moves as loudness is perceived. */
export function meterShare({ peakDb }: Pick<Level, 'peakDb'>): number {
	return Math.min(1, Math.max(0, (peakDb - QUIET_DB) / (LOUD_DB - QUIET_DB)));
}
