import type { Day } from './fact.ts';
import type { Words } from './words/words.ts';

/** A date of numbers alone: `2026-03-14`, `14.3.2026`, `3/14`. */
export const NUMERIC_DAY =
	/(?<![\d.,/-])(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([./-])(\d{1,2})\6(\d{4}|\d{2})|(\d{1,2})\/(\d{1,2})|(\d{1,2})\.(\d{1,2})\.)(?![\d/]|[.,-]\d)/gu;

/** The days that the groups of `NUMERIC_DAY` may mean; empty: not a date. */
export function daysOf(
	at: Readonly<Record<number, string | undefined>>,
	order: Words['dateOrder'],
): readonly Day[] {
	const number = (index: number) => Number(at[index] ?? Number.NaN);
	if (at[1]) return valid([{ year: number(1), month: number(3), day: number(4) }]);
	const [first, second] = [at[5] ?? at[9] ?? at[11], at[7] ?? at[10] ?? at[12]].map(Number) as [
		number,
		number,
	];
	const year = at[8] ? { year: at[8].length === 2 ? 2000 + number(8) : number(8) } : {};
	const dayFirst = { ...year, day: first, month: second };
	const monthFirst = { ...year, day: second, month: first };
	return valid(order === 'day' ? [dayFirst] : order === 'month' ? [monthFirst] : [monthFirst, dayFirst]);
}

function valid(
	days: readonly { readonly year?: number; readonly month: number; readonly day: number }[],
): readonly Day[] {
	return days.filter(({ month, day }) => month >= 1 && month <= 12 && day >= 1 && day <= 31);
}
