import type { Goal } from './bench.ts';
import type { Estimate } from './statistics.ts';

export interface Bound {
	readonly seen: Estimate;
	/** The greatest value that reaches the goal, or the smallest. */
	readonly most?: number;
	readonly least?: number;
}

const OVER = 'the interval reaches over the goal; more rounds tell';

/**
 * One rule for every goal that has an interval: the medians decide. If the interval crosses the goal,
 * `because` says so. Null only where there is no median.
 */
export function verdict(bounds: readonly Bound[], because?: string): Pick<Goal, 'reached' | 'because'> {
	if (bounds.some(({ seen }) => Number.isNaN(seen.value))) return { reached: null, because: 'not measured' };
	const reached = bounds.every(({ seen, ...goal }) => holds(seen.value, goal));
	const missed = bounds.some(({ seen, ...goal }) => !(holds(seen.low, goal) || holds(seen.high, goal)));
	const across = bounds.some(({ seen, ...goal }) => holds(seen.low, goal) !== holds(seen.high, goal));
	const why = [...(!reached && because !== undefined ? [because] : []), ...(across && !missed ? [OVER] : [])];
	return why.length === 0 ? { reached } : { reached, because: why.join('; ') };
}

/** A count, not an estimate: it has no interval. */
export function exactly(value: number): Estimate {
	return { value, low: value, high: value };
}

function holds(value: number, { most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }) {
	return value <= most && value >= least;
}
