import type { Clock } from '#shared/lib/clock.ts';

/** The Clock of a Node program. Timers do not keep the program alive when `unref` is asked for. */
export function createSystemClock(options: { readonly unref?: boolean } = {}): Clock {
	const settle = <Timer extends NodeJS.Timeout>(timer: Timer): Timer => {
		if (options.unref) timer.unref();
		return timer;
	};
	return {
		now: () => performance.now(),
		wall: () => Date.now(),
		after(delayMs, run) {
			const timer = settle(setTimeout(run, Math.min(Math.max(0, delayMs), 2 ** 31 - 1)));
			return () => clearTimeout(timer);
		},
		every(periodMs, run) {
			const timer = settle(setInterval(run, periodMs));
			return () => clearInterval(timer);
		},
	};
}
