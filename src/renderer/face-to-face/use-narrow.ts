import { useSyncExternalStore } from 'react';

/**
 * As in the style sheet: a narrower window has no room for two things side by side; in a low window the halves
 * themselves are.
 */
const NARROW = window.matchMedia('(max-width: 560px), (max-height: 520px)');

function subscribe(changed: () => void): () => void {
	NARROW.addEventListener('change', changed);
	return () => NARROW.removeEventListener('change', changed);
}

/** A half is too narrow for two things side by side. */
export function useNarrow(): boolean {
	return useSyncExternalStore(subscribe, () => NARROW.matches);
}
