import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { OverlayLook } from '#shared/host/overlay.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { emptyFrame, type OverlayFrame } from '#shared/overlay/frames.ts';
import type { OverlayName } from '#shared/overlay/style.ts';

export interface OverlayView {
	/** Null until main has answered. */
	readonly look: OverlayLook | null;
	readonly frame: OverlayFrame;
}

/** Main's frames for the captions over other windows. Each frame is complete, so only the last one counts. */
export interface OverlayMirror {
	readonly which: OverlayName;
	readonly store: StoreApi<OverlayView>;
	load(): Promise<void>;
	close: Cancel;
}

export function createOverlayMirror(host: Host, which: OverlayName): OverlayMirror {
	const store = createStore<OverlayView>()(() => ({ look: null, frame: emptyFrame }));
	/** Counts frames, so that a late answer does not replace a newer frame. */
	let heard = 0;

	function receive(look: OverlayLook): void {
		if (look.revision >= (store.getState().look?.revision ?? 0)) store.setState({ look });
	}

	const ends = [
		host.listen('overlay.look', receive),
		host.listen('overlay.frame', (frame) => {
			heard += 1;
			store.setState({ frame });
		}),
	];

	return {
		which,
		store,
		async load() {
			const before = heard;
			const read = await host.ask('overlay.read', { which });
			if (!read.ok) return;
			receive(read.value.look);
			if (heard === before) store.setState({ frame: read.value.frame });
		},
		close() {
			for (const end of ends) end();
		},
	};
}
