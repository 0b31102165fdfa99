/** Removes what it was returned for; calling it again is harmless. */
export type Cancel = () => void;

/**
 * Time as a dependency, so that tests can own it. Code outside a `system-clock.ts` never touches
 * `Date`, `setTimeout` or `setInterval`.
 */
export interface Clock {
	/** Monotonic milliseconds from an arbitrary start; never jumps. For durations and deadlines. */
	now(): number;
	/** Unix milliseconds of this computer, which may be wrong or jump. For display and records only. */
	wall(): number;
	/** Runs `run` once after `delayMs`. */
	after(delayMs: number, run: () => void): Cancel;
	/** Runs `run` every `periodMs`, first after one period; missed periods (sleep) do not pile up. */
	every(periodMs: number, run: () => void): Cancel;
}
