import { useMemo, useSyncExternalStore } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { isOnScreen, listenOnScreen } from '#renderer/ui/on-screen.ts';

/**
 * A store whose changes are shown at most once a frame: nobody sees more, and a storm of captions (10,000 a
 * second, faults 63) would make React render each of them. The first change after a pause is shown at once, so it
 * adds no delay. While the window is not visible, nothing is rendered; the newest state is rendered once it is.
 */
export function useFramed<State>(store: StoreApi<State>): State {
	const framed = useMemo(() => createFramed(store), [store]);
	return useSyncExternalStore(framed.subscribe, framed.read);
}

function createFramed<State>(store: StoreApi<State>) {
	let shown = store.getState();

	function subscribe(heard: () => void): () => void {
		/** The requested animation frame, from showing a change until that frame; otherwise null. */
		let frame: number | null = null;

		function show(): void {
			if (shown === store.getState() || !isOnScreen()) return;
			shown = store.getState();
			frame = requestAnimationFrame(() => {
				frame = null;
				show();
			});
			heard();
		}

		function change(): void {
			if (frame === null) show();
		}

		const endings = [store.subscribe(change), listenOnScreen(change)];
		// Include changes made since the first read.
		shown = store.getState();
		return () => {
			for (const end of endings) end();
			if (frame !== null) cancelAnimationFrame(frame);
		};
	}

	return { read: () => shown, subscribe };
}
