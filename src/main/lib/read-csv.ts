import { CsvError, parse } from 'csv-parse/sync';
import { err, type Result } from '#shared/lib/result.ts';
import type { ProblemOf, TableFault } from '#shared/problem.ts';

export type InvalidTable = ProblemOf<'table-invalid'>;

/** Most faults that are reported. */
const MOST_FAULTS = 20;

export function invalidTable(faults: readonly TableFault[]): Result<never, InvalidTable> {
	const more = Math.max(0, faults.length - MOST_FAULTS);
	return err({ kind: 'table-invalid', lines: faults.slice(0, MOST_FAULTS), more });
}

/** The result for a single fault; `line` 0 = in the file as a whole. */
export function oneFault(line: number, reason: TableFault['reason']): Result<never, InvalidTable> {
	return invalidTable([{ line, reason }]);
}

interface TableRecord {
	/** Line number from 1; the last one of a cell with line breaks. */
	readonly line: number;
	readonly cells: readonly string[];
}

/** Excel's optional first line, which names the separator and is not a row. */
const NAMED = /^[^\S\n]*"?sep=([^\n])"?[,;\t ]*(?=\n|$)/i;

/**
 * The rows of CSV text, separated by commas, semicolons or tabs or as the file itself says, without empty
 * ones; or the line of the first wrong quotation mark. Line ends may be mixed: a script has added lines to
 * what a spreadsheet saved, or files of several programs were put together.
 */
export function recordsOf(
	written: string,
	columns: number,
): readonly TableRecord[] | { readonly line: number } {
	const whole = written.replaceAll('\uFEFF', '').replaceAll(/\r*\n|\r|\u0085|\u2028|\u2029/g, '\n');
	const named = NAMED.exec(whole);
	const text = named ? whole.slice(named[0].length) : whole;
	const delimiter = named?.[1] ?? delimiterOf(text, columns);
	const read = parsed(text, { delimiter, columns });
	// Cells copied from some spreadsheets are separated by tabs, and their quotation marks are literal.
	return 'line' in read && delimiter === '\t' ? parsed(text, { delimiter, columns, quote: false }) : read;
}

function parsed(
	text: string,
	{ columns, ...separated }: { columns: number; delimiter: string; quote?: false },
): readonly TableRecord[] | { readonly line: number } {
	const rows: TableRecord[] = [];
	let last = 0;
	try {
		parse(text, {
			...separated,
			record_delimiter: '\n',
			relax_column_count: true,
			// A quotation mark inside an unquoted cell stands for itself: 5" disk.
			relax_quotes: true,
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
		// The parser reports an unclosed quotation mark at the end of the file; the mark is in the row after the last complete one.
		const isOpen = thrown.code === 'CSV_QUOTE_NOT_CLOSED';
		return { line: isOpen ? last + 1 : Number(thrown['lines'] ?? last + 1) };
	}
}

/** Spreadsheets may write a separator after the last column. */
function withoutEmptyEnd(cells: readonly string[], columns: number): readonly string[] {
	return cells.slice(columns).every((cell) => cell === '') ? cells.slice(0, columns) : cells;
}

/** Lines that are enough to recognise the separator. */
const SOME_LINES = 20;

/**
 * The separator that divides most of the first lines into `columns` cells. If several do: one that divides the first
 * line, then the one least often followed by a space, as it is within sentences. If none does: the most frequent one in
 * the first line.
 */
function delimiterOf(text: string, columns: number): string {
	const unquoted = text.slice(0, 20_000).replaceAll(/(?<=^|[\n,;\t]) *"(?:[^"]|"")*"/g, '_');
	const lines = unquoted.split(/[\r\n]+/).filter((line) => line.trim() !== '');
	const some = lines.slice(0, SOME_LINES);
	const fits = (line: string, mark: string) =>
		columns > 1 && withoutEmptyEnd(line.split(mark), columns).length === columns;
	const [best] = ['\t', ';', ',']
		.map((mark) => ({
			mark,
			fitting: some.filter((line) => fits(line, mark)).length,
			first: Number(fits(some[0] ?? '', mark)),
			spaced: some.filter((line) => line.includes(`${mark} `)).length,
		}))
		// Among equals, prefer the separator that comes first: a comma also occurs within numbers.
		.sort((a, b) => b.fitting - a.fitting || b.first - a.first || a.spaced - b.spaced);
	if (best && best.fitting > 0) return best.mark;
	const counted = [',', ';', '\t'].map((mark) => [mark, (lines[0] ?? '').split(mark).length] as const);
	return counted.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
