import { createRandom } from '#test/support/random.ts';
import type { Goal } from './bench.ts';

/** An estimate with its interval. */
export interface Estimate {
	readonly value: number;
	/** 95 % of the resamples lie between these. */
	readonly low: number;
	readonly high: number;
}

const RESAMPLES = 4000;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least this share of all values does not exceed (nearest rank): 1 gives the greatest. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** A random order; the same for the same random numbers. */
export function shuffled<Value>(list: readonly Value[], random: () => number): Value[] {
	return list
		.map((value) => ({ value, at: random() }))
		.sort((one, other) => one.at - other.at)
		.map(({ value }) => value);
}

/** The interval of `measure` over resamples (percentile bootstrap). */
export function bootstrap(
	samples: readonly (readonly number[])[],
	measure: (drawn: readonly (readonly number[])[]) => number,
): Estimate {
	const random = createRandom(20_260_504);
	const draw = (values: readonly number[]) =>
		values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN);
	const results = Array.from({ length: RESAMPLES }, () => measure(samples.map(draw)));
	results.sort((one, other) => one - other);
	const at = (share: number) => results[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN;
	return { value: measure(samples), low: at(0.025), high: at(0.975) };
}

export function medianOf(values: readonly number[]): Estimate {
	return bootstrap([values], ([one = []]) => median(one));
}

export function meanOf(values: readonly number[]): Estimate {
	return bootstrap([values], ([one = []]) => mean(one));
}

/** How many times as long `values` take as `base`, by their medians. */
export function ratioOf(values: readonly number[], base: readonly number[]): Estimate {
	return bootstrap([values, base], ([one = [], other = []]) => median(one) / median(other));
}

export interface Bound {
	readonly seen: Estimate;
	/** Greatest and smallest value that reach the goal. */
	readonly most?: number;
	readonly least?: number;
}

const OVER = 'wide';

/**
 * Judges a goal by the medians. If the interval crosses the goal, `because` notes it. `reached` is null only if there is no
 * median.
 */
export function verdict(bounds: readonly Bound[], because?: string): Pick<Goal, 'reached' | 'because'> {
	if (bounds.some(({ seen }) => Number.isNaN(seen.value))) return { reached: null, because: 'not measured' };
	const reached = bounds.every(({ seen, ...goal }) => holds(seen.value, goal));
	const missed = bounds.some(({ seen, ...goal }) => !(holds(seen.low, goal) || holds(seen.high, goal)));
	const across = bounds.some(({ seen, ...goal }) => holds(seen.low, goal) !== holds(seen.high, goal));
	const why = [...(!reached && because !== undefined ? [because] : []), ...(across && !missed ? [OVER] : [])];
	return why.length === 0 ? { reached } : { reached, because: why.join('; ') };
}

/** Makes an estimate without an interval from a count. */
export function exactly(value: number): Estimate {
	return { value, low: value, high: value };
}

function holds(value: number, { most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }) {
	return value <= most && value >= least;
}

/** A figure with its interval; `none` if nothing was measured. */
export function written({ value, low, high }: Estimate, digits: number): string {
	if (Number.isNaN(value)) return 'none';
	// A ratio is infinite when its base is 0.
	const text = (number: number) => number.toFixed(digits).replace('Infinity', '∞');
	return `${text(value)} (${text(low)}…${text(high)})`;
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
