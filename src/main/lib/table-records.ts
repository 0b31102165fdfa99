import { CsvError, parse } from 'csv-parse/sync';
import { err, type Result } from '#shared/lib/result.ts';
import type { ProblemOf, TableFault } from '#shared/problem.ts';

export type InvalidTable = ProblemOf<'table-invalid'>;

/** How many faults are worth reading. */
const MOST_FAULTS = 20;

export function invalidTable(faults: readonly TableFault[]): Result<never, InvalidTable> {
	const more = Math.max(0, faults.length - MOST_FAULTS);
	return err({ kind: 'table-invalid', lines: faults.slice(0, MOST_FAULTS), more });
}

/** `line` 0 = in the file as a whole. */
export function oneFault(line: number, reason: TableFault['reason']): Result<never, InvalidTable> {
	return invalidTable([{ line, reason }]);
}

export interface TableRecord {
	/** Line number from 1; the last one of a cell with line breaks. */
	readonly line: number;
	readonly cells: readonly string[];
}

/**
 * The rows of CSV text, separated by commas, semicolons or tabs, without empty ones; or the line at which its quotation
 * marks go wrong.
 */
export function recordsOf(text: string, columns: number): readonly TableRecord[] | { readonly line: number } {
	const rows: TableRecord[] = [];
	let last = 0;
	try {
		parse(text, {
			bom: true,
			delimiter: delimiterOf(text, columns),
			relax_column_count: true,
			skip_empty_lines: true,
			trim: true,
			on_record(record: readonly string[], { lines: line }) {
				last = line;
				if (record.some((cell) => cell !== '')) rows.push({ line, cells: withoutEmptyEnd(record, columns) });
				return null;
			},
		});
		return rows;
	} catch (thrown) {
		if (!(thrown instanceof CsvError)) throw thrown;
		// The parser reports an unclosed quotation mark at the end of the file; it is in the row after the last whole one.
		const isOpen = thrown.code === 'CSV_QUOTE_NOT_CLOSED';
		return { line: isOpen ? last + 1 : Number(thrown['lines'] ?? last + 1) };
	}
}

/** Spreadsheets may write a separator after the last column. */
function withoutEmptyEnd(cells: readonly string[], columns: number): readonly string[] {
	return cells.slice(columns).every((cell) => cell === '') ? cells.slice(0, columns) : cells;
}

/**
 * The separator that divides the first line that is not empty into `columns` cells; else the one that occurs most often
 * in it.
 */
function delimiterOf(text: string, columns: number): string {
	const first = /\S.*/.exec(text)?.[0] ?? '';
	const unquoted = first.replaceAll(/"[^"]*"/g, '');
	// Commas also stand within what is said, so they come last.
	const fitting = ['\t', ';', ','].find(
		(mark) => columns > 1 && withoutEmptyEnd(unquoted.split(mark), columns).length === columns,
	);
	if (fitting) return fitting;
	const counted = [',', ';', '\t'].map((mark) => [mark, unquoted.split(mark).length] as const);
	return counted.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
