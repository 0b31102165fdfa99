import { type RefObject, useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import type { Place } from './navigation.ts';
import { useParts } from './parts.ts';

/** Focuses `target` whenever navigation leads to this place; without a place, never. */
export function useFocusPlace(place: Place | undefined, target: RefObject<HTMLElement | null>): void {
	useArrival(place, () => target.current?.focus());
}

/** Calls `arrive` whenever navigation leads to this place, and not again when the part is shown anew. */
export function useArrival(place: Place | undefined, arrive: () => void): void {
	const { navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (view.place === place ? view.ask : 0));
	const serve = useEffectEvent(() => {
		if (asked <= navigation.store.getState().served) return;
		navigation.serve();
		arrive();
	});
	useEffect(() => {
		if (asked > 0) serve();
	}, [asked]);
}
