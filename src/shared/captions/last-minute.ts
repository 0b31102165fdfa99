import type { CaptionRow } from './segment.ts';

const MINUTE_MS = 60_000;
/** More than anybody says in a minute. */
const MOST_ROWS = 100;

/** The rows of the minute before the newest word, oldest first, without marks of lost speech. */
export function lastMinuteOf(
	row: (index: number) => CaptionRow | undefined,
	rows: number,
): readonly CaptionRow[] {
	const found: CaptionRow[] = [];
	let newestMs: number | null = null;
	for (let index = rows - 1; index >= Math.max(0, rows - MOST_ROWS); index--) {
		const one = row(index);
		if (!one || one.lost) continue;
		const endMs = endOf(one);
		newestMs ??= endMs;
		// With two directions the rows are not strictly in order of time.
		if (endMs >= newestMs - MINUTE_MS) found.unshift(one);
	}
	return found;
}

function endOf({ source, translations }: CaptionRow): number {
	return Math.max(0, ...[source, ...translations].map((segment) => segment?.endMs ?? 0));
}
