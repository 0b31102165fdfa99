import { useSyncExternalStore } from 'react';

/** As in the style sheet: less than this holds one thing beside another no more. */
const NARROW = window.matchMedia('(max-width: 560px)');

function subscribe(changed: () => void): () => void {
	NARROW.addEventListener('change', changed);
	return () => NARROW.removeEventListener('change', changed);
}

/** The window is too narrow for two things side by side. */
export function useNarrow(): boolean {
	return useSyncExternalStore(subscribe, () => NARROW.matches);
}
