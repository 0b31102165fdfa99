/** Against the median of the conversation's own phrases: what this service takes with these languages on this line. */
export type DelayGrade = 'usual' | 'slow' | 'long';

/** Of so many of the latest phrases: the work for each new one stays the same however long a conversation is. */
export const REMEMBERED_SPANS = 61;
/** With fewer than these one odd sentence would be the measure. */
export const ENOUGH_SPANS = 5;
/** What the service takes, assumed until there are enough, ms; whoever is faster than that is never called slow. */
export const ASSUMED_MS = 4000;
/** So many times the usual delay is noticed as slower. */
export const SLOW_TIMES = 1.5;
/** So many times makes people talk over the voice. */
export const LONG_TIMES = 2.5;
/** Nothing faster than that is much slower than usual, ms. */
export const LONG_FROM_MS = 8000;

/** The latest spans with one more, ms, newest last. */
export function recentWith(spans: readonly number[], spanMs: number): readonly number[] {
	return [...spans, spanMs].slice(-REMEMBERED_SPANS);
}

/** The median of the latest spans, ms; null while there are too few. */
export function usualDelay(spans: readonly number[]): number | null {
	if (spans.length < ENOUGH_SPANS) return null;
	const sorted = spans.slice(-REMEMBERED_SPANS).sort((one, other) => one - other);
	const upper = sorted[sorted.length >> 1] ?? 0;
	const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
	return (lower + upper) / 2;
}

/** What to call a delay where `usualMs` is usual; null: not known yet. */
export function gradeOf(delayMs: number, usualMs: number | null): DelayGrade {
	const usual = usualMs ?? ASSUMED_MS;
	if (delayMs <= Math.max(ASSUMED_MS, usual * SLOW_TIMES)) return 'usual';
	return delayMs <= Math.max(LONG_FROM_MS, usual * LONG_TIMES) ? 'slow' : 'long';
}
