import type { Clock } from '#shared/lib/clock.ts';

/** The system's time. The only file of the sandbox that uses timers and `Date`. */
export function createSystemClock(): Clock {
	return {
		now: () => performance.now(),
		wall: () => Date.now(),
		after(delayMs, run) {
			const timer = setTimeout(run, delayMs);
			return () => clearTimeout(timer);
		},
		every(periodMs, run) {
			const timer = setInterval(run, periodMs);
			return () => clearInterval(timer);
		},
	};
}

/** Formats Unix ms as the service does: ISO 8601, UTC, whole seconds (protocol 3.2). */
export function isoSeconds(wallMs: number): string {
	return new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Formats Unix ms as in the HTTP headers `Date` and `Retry-After`. */
export function httpDate(wallMs: number): string {
	return new Date(wallMs).toUTCString();
}
