export interface BackoffPlan {
	/** First delay before jitter, ms. */
	readonly baseMs: number;
	/** No delay is longer than this, ms. */
	readonly capMs: number;
	/** Tries in all, the first one included. */
	readonly tries: number;
}

/**
 * Delay in ms before try number `attempt` (1 = the first retry), full jitter, or `null` when the
 * plan has no more tries. `random` gives [0, 1).
 */
export function backoffDelay(plan: BackoffPlan, attempt: number, random: () => number): number | null {
	if (attempt >= plan.tries) return null;
	const ceiling = Math.min(plan.capMs, plan.baseMs * 2 ** (attempt - 1));
	return Math.round(random() * ceiling);
}
