import { type RefObject, useEffect } from 'react';
import { useStore } from 'zustand';
import type { Place } from './navigation.ts';
import { useParts } from './parts.ts';

/** Focuses `target` whenever navigation leads to this place. */
export function useFocusPlace(place: Place, target: RefObject<HTMLElement | null>): void {
	const { navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (view.place === place ? view.ask : 0));
	useEffect(() => {
		if (asked > 0) target.current?.focus();
	}, [asked, target]);
}
