import { isXml, TABLE_HEADS } from '#shared/protocol/glossary.ts';

/* Converts a glossary's table to rows of cells and back, for the grid in which it is edited. */

/** Tables with more rows are edited as text, because a grid would be slow. */
const MOST_ROWS = 500;
/** Maximum characters in a cell, more than any term has; a table with a longer cell is edited as text. */
const LONGEST_CELL = 2000;

export type Row = readonly string[];

/** Rows of the text; null if a grid cannot show it: XML, more columns, open quotation marks, too many rows. */
export function rowsOf(text: string, columns: number): readonly Row[] | null {
	const whole = text.replaceAll('\uFEFF', '').replaceAll(/\r*\n|\r/g, '\n');
	if (isXml(whole) || /^\s*"?sep=/i.test(whole)) return null;
	const read = cellsOf(whole, separatorOf(whole, columns));
	if (read === null) return null;
	const filled = read.filter((cells) => cells.some((cell) => cell !== ''));
	if (filled.length > MOST_ROWS || filled.some((cells) => cells.some(isLong))) return null;
	if (filled.some((cells) => cells.slice(columns).some((cell) => cell !== ''))) return null;
	return filled.map((cells) => Array.from({ length: columns }, (_, at) => cells[at] ?? ''));
}

/**
 * The table, separated by tabs. Keeps empty rows, so that lines match rows; `before` counts lines before the
 * first row.
 */
export function tableOf(rows: readonly Row[]): { readonly table: string; readonly before: number } {
	const lines = rows.map((cells) => (cells.every(isBlank) ? '' : cells.map(written).join('\t')));
	while (lines.at(-1) === '') lines.pop();
	// A first row that looks like column names would be taken for a header, so write a header above it.
	const first = rows.find((cells) => !cells.every(isBlank));
	const isHead = first !== undefined && TABLE_HEADS.test(first[0]?.trim() ?? '');
	if (!isHead) return { table: lines.join('\n'), before: 0 };
	const names = first.map((_, at) => (at === 0 ? 'source' : 'target')).join('\t');
	return { table: [names, ...lines].join('\n'), before: 1 };
}

const isLong = (cell: string) => cell.length > LONGEST_CELL;
const isBlank = (cell: string) => cell.trim() === '';

function written(cell: string): string {
	const text = cell.replaceAll(/[\r\n\t]+/g, ' ').trim();
	return /[",;]|^</.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The separator that divides most lines into the wanted number of cells. In a single column, words may contain
 * commas.
 */
function separatorOf(text: string, columns: number): string | null {
	if (columns === 1) return text.includes('\t') ? '\t' : null;
	const lines = text
		.replaceAll(/"(?:[^"]|"")*"/g, '')
		.split('\n')
		.filter((line) => line.trim() !== '');
	const fitting = (mark: string) => lines.filter((line) => line.split(mark).length === columns).length;
	const marks = ['\t', ';', ','];
	const count = (mark: string) => (lines[0] ?? '').split(mark).length;
	const weight = lines.some((line) => marks.some((mark) => line.split(mark).length === columns))
		? fitting
		: count;
	return marks.reduce((best, mark) => (weight(mark) > weight(best) ? mark : best));
}

/** The cells of each line; null if a quotation mark stays open. */
function cellsOf(text: string, separator: string | null): readonly Row[] | null {
	const rows: string[][] = [[]];
	let cell = '';
	let isQuoted = false;
	const endCell = () => {
		rows.at(-1)?.push(cell.trim());
		cell = '';
	};
	for (let at = 0; at < text.length; at += 1) {
		const sign = text[at] as string;
		if (isQuoted) {
			if (sign !== '"') cell += sign === '\n' ? ' ' : sign;
			else if (text[at + 1] === '"') {
				cell += sign;
				at += 1;
			} else isQuoted = false;
		} else if (sign === '"' && cell.trim() === '') {
			cell = '';
			isQuoted = true;
		} else if (sign === separator) endCell();
		else if (sign === '\n') {
			endCell();
			rows.push([]);
		} else cell += sign;
	}
	endCell();
	return isQuoted ? null : rows;
}
