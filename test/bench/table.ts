import type { Estimate } from './statistics.ts';

/** A figure with how far it may be off; `none` where nothing was measured. */
export function written({ value, low, high }: Estimate, digits: number, to = ' to '): string {
	if (Number.isNaN(value)) return 'none';
	return `${value.toFixed(digits)} (${low.toFixed(digits)}${to}${high.toFixed(digits)})`;
}

/** Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
