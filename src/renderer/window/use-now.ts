import { useEffect, useState } from 'react';
import { useParts } from './parts.ts';

const SECOND_MS = 1000;

/** Monotonic ms, renewed every second while `running`. */
export function useNow(running: boolean): number {
	const { clock } = useParts();
	const [now, setNow] = useState(() => clock.now());
	useEffect(() => {
		if (!running) return;
		setNow(clock.now());
		return clock.every(SECOND_MS, () => setNow(clock.now()));
	}, [running, clock]);
	return now;
}
