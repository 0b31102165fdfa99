import { useEffect, useState } from 'react';
import type { Place } from '#renderer/shell/navigation.ts';
import { useArrival } from '#renderer/shell/use-focus-place.ts';

/**
 * Is the dialog open in which a secret is entered or forgotten? Somebody sent to `place` for it gets it at once; without
 * a place nobody is.
 */
export function useEntering(
	place: Place | undefined,
	isBarred: boolean,
): readonly [entering: boolean, setEntering: (entering: boolean) => void] {
	const [entering, setEntering] = useState(false);
	// Where it is barred it does not open later either: by itself, and long after anybody has asked for it.
	useArrival(place, () => setEntering(!isBarred));
	useEffect(() => {
		if (isBarred) setEntering(false);
	}, [isBarred]);
	return [entering && !isBarred, setEntering];
}
