import type { Estimate } from './statistics.ts';

/** A figure with how far it may be off; `none` where nothing was measured. */
export function written({ value, low, high }: Estimate, digits: number, to = ' to '): string {
	if (Number.isNaN(value)) return 'none';
	// Of a ratio to next to nothing.
	const text = (number: number) => number.toFixed(digits).replace('Infinity', '∞');
	return `${text(value)} (${text(low)}${to}${text(high)})`;
}

/** Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
