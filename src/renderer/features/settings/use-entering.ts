import { useEffect, useEffectEvent, useState } from 'react';
import { useStore } from 'zustand';
import type { Place } from '#renderer/window/navigation.ts';
import { useParts } from '#renderer/window/parts.ts';

/** Is the dialog open in which a secret is entered? Somebody sent to `place` for it gets its field at once. */
export function useEntering(
	place: Place,
	isBarred: boolean,
): readonly [entering: boolean, setEntering: (entering: boolean) => void] {
	const { navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (view.place === place ? view.ask : 0));
	const [entering, setEntering] = useState(false);
	// Where it is barred it does not open later either: by itself, and long after anybody has asked for it.
	const enter = useEffectEvent(() => setEntering(!isBarred));
	useEffect(() => {
		if (asked > 0) enter();
	}, [asked]);
	useEffect(() => {
		if (isBarred) setEntering(false);
	}, [isBarred]);
	return [entering && !isBarred, setEntering];
}
