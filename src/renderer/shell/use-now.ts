import { useEffect, useState } from 'react';
import { isOnScreen, listenOnScreen } from '#renderer/ui/on-screen.ts';
import { useParts } from './parts.ts';

const SECOND_MS = 1000;

/** Returns the monotonic time, ms, updated every second while `running` and the window is visible. */
export function useNow(running: boolean): number {
	const { clock } = useParts();
	const [now, setNow] = useState(() => clock.now());
	useEffect(() => {
		if (!running) return;
		function look(): void {
			if (isOnScreen()) setNow(clock.now());
		}
		look();
		const endings = [clock.every(SECOND_MS, look), listenOnScreen(look)];
		return () => {
			for (const end of endings) end();
		};
	}, [running, clock]);
	return now;
}
