import type { Clock } from '#shared/lib/clock.ts';

/** The Clock of a Node program. Timers do not keep the program alive if `unref` is set. */
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

/** Unix ms as ISO 8601 in UTC. Without `Intl`, which takes 10 ms to read its locale data at the start. */
export function isoUtc(unixMs: number): string {
	return new Date(unixMs).toISOString();
}

/** Unix ms as `2026-11-21T015510` in UTC: valid in file names on every system. */
export function fileStamp(unixMs: number): string {
	return isoUtc(unixMs).slice(0, 19).replaceAll(':', '');
}
