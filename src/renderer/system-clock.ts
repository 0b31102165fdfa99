import type { Clock } from '#shared/lib/clock.ts';

/** The browser's time; the only place in the window that touches it. */
export const systemClock: Clock = {
	now: () => performance.now(),
	wall: () => Date.now(),
	after(delayMs, run) {
		const timer = setTimeout(run, delayMs);
		return () => clearTimeout(timer);
	},
	every(periodMs, run) {
		// The browser already drops missed periods of an interval.
		const timer = setInterval(run, periodMs);
		return () => clearInterval(timer);
	},
};
