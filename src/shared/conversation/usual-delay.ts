/**
 * A delay compared with the median of the conversation's own phrases, which reflects this service, these languages and
 * this line.
 */
export type DelayGrade = 'usual' | 'slow' | 'long';

/** How many of the latest phrases count: the work per phrase stays constant, however long the conversation. */
export const REMEMBERED_SPANS = 61;
/** With fewer, one odd sentence would set the standard. */
export const ENOUGH_SPANS = 5;
/** Delays below this are never called slow, ms. */
export const SLOW_FROM_MS = 4000;
/** From this multiple of the usual delay on, people notice. */
export const SLOW_TIMES = 1.5;
/** From this multiple on, people talk over the voice. */
export const LONG_TIMES = 2.5;
/** Delays below this are never called long, ms. */
export const LONG_FROM_MS = 8000;

/** The latest spans plus one, ms, newest last. */
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

/** The grade of a delay, given the usual one. */
export function gradeOf(delayMs: number, usualMs: number): DelayGrade {
	if (delayMs <= Math.max(SLOW_FROM_MS, usualMs * SLOW_TIMES)) return 'usual';
	return delayMs <= Math.max(LONG_FROM_MS, usualMs * LONG_TIMES) ? 'slow' : 'long';
}
