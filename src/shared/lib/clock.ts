/** Cancels the operation that returned it; calling it again is harmless. */
export type Cancel = () => void;

/**
 * Time as a dependency, so that tests can control it. The app's code outside a `system-clock.ts` never uses `Date`,
 * `setTimeout` or `setInterval`; only the guests' page, `smoke/` and `stand-in/` do.
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

/** Resolves to true after `delayMs`, or at once to false when aborted. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<boolean> {
	if (signal?.aborted) return Promise.resolve(false);
	return new Promise((done) => {
		const stop = () => {
			cancel();
			done(false);
		};
		const cancel = clock.after(delayMs, () => {
			signal?.removeEventListener('abort', stop);
			done(true);
		});
		signal?.addEventListener('abort', stop, { once: true });
	});
}

/** How often `until` checks its condition, ms. */
const LOOK_MS = 50;

/** Waits for a condition, at most `limitMs`; false if it was never met, or when aborted. */
export async function until(
	clock: Clock,
	isSo: () => boolean,
	limitMs: number,
	signal: AbortSignal,
): Promise<boolean> {
	const endMs = clock.now() + limitMs;
	while (!isSo()) if (clock.now() >= endMs || !(await pause(clock, LOOK_MS, signal))) return false;
	return true;
}

/** Waits for `what`, at most `limitMs`; then it continues in the background. Rejects if `what` does in time. */
export async function atMost(
	clock: Pick<Clock, 'after'>,
	limitMs: number,
	what: Promise<unknown>,
): Promise<void> {
	let cancel: Cancel = () => {};
	const limit = new Promise<void>((done) => {
		cancel = clock.after(limitMs, done);
	});
	try {
		await Promise.race([what, limit]);
	} finally {
		cancel();
	}
}

export interface BackoffPlan {
	/** First delay before jitter, ms. */
	readonly baseMs: number;
	/** No delay is longer than this, ms. */
	readonly capMs: number;
	/** Total number of attempts, the first one included. */
	readonly tries: number;
}

/** Delay before attempt `attempt` (1 = the first retry), ms, full jitter; `null`: no more attempts. */
export function backoffDelay(plan: BackoffPlan, attempt: number, random: () => number): number | null {
	if (attempt >= plan.tries) return null;
	const ceiling = Math.min(plan.capMs, plan.baseMs * 2 ** (attempt - 1));
	return Math.round(random() * ceiling);
}
