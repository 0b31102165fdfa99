import type { LegName } from '#shared/leg-name.ts';
import { clockTime } from './cues.ts';

/** Rows of texts with their times: what Markdown, HTML and CSV have in common. */
export interface CaptionTable {
	/** Over the texts' columns. */
	readonly columns: readonly string[];
	/** Both sides of a conversation are in it: whose a row is has to be said. */
	readonly sided: boolean;
	readonly rows: readonly TableRow[];
}

export interface TableRow {
	readonly startMs: number;
	readonly endMs: number;
	/** One for each column; ready to be shown. */
	readonly texts: readonly string[];
	/** Of each text; empty = not known. */
	readonly languages: readonly string[];
	/** What is in doubt in each of the texts, in their order: facts that another language has not. */
	readonly doubts?: readonly (readonly string[])[] | undefined;
	/** Whose words; absent = mine. */
	readonly leg?: LegName | undefined;
	/** In place of speech that never reached the interpreter. */
	readonly lost?: boolean | undefined;
}

/** Words of a page for a person, in the language of who reads it. */
export interface TableWords {
	readonly title: string;
	/** When it was and in which languages; empty = not said. */
	readonly about: string;
	/** BCP 47. */
	readonly locale: string;
	readonly direction: 'ltr' | 'rtl';
	/** Over the column of times, and of who speaks. */
	readonly time: string;
	readonly who: string;
	readonly speaker: Readonly<Record<LegName, string>>;
	/** What a mark in a text means; said only where there is one. */
	readonly doubt: string;
}

/** Over every column. */
export function columnsOf({ columns, sided }: CaptionTable, { time, who }: TableWords): readonly string[] {
	return [time, ...(sided ? [who] : []), ...columns];
}

/** Stands in a page where a language has nothing. */
export const NOTHING = '—';

/** The texts of a row as a page shows them: a gap is to be seen, but lost speech stands alone. */
export function shownTexts({ texts, lost }: TableRow): readonly string[] {
	return lost ? texts : texts.map((text) => text || NOTHING);
}

/** Whether anything is marked. */
export function hasDoubts({ rows }: CaptionTable): boolean {
	return rows.some(({ doubts }) => doubts?.some((some) => some.length > 0));
}

/** A text of a row as a page shows it, in pieces; those at odd places are in doubt. */
export function piecesOf(row: TableRow, column: number): readonly string[] {
	let rest = shownTexts(row)[column] ?? '';
	const pieces: string[] = [];
	for (const doubt of row.doubts?.[column] ?? []) {
		const at = rest.indexOf(doubt);
		if (at < 0) continue;
		pieces.push(rest.slice(0, at), doubt);
		rest = rest.slice(at + doubt.length);
	}
	return [...pieces, rest];
}

/** `00:03:07`. */
export function clockOfRow({ startMs }: TableRow): string {
	return clockTime(whole(startMs), '.').slice(0, -4);
}

export function whoOf({ leg = 'outgoing' }: TableRow, { speaker }: TableWords): string {
	return speaker[leg];
}

const whole = (ms: number): number => Math.max(0, Math.round(ms));

/** Line after line of a Markdown page. Nothing that was said is taken for Markdown or HTML. */
export function* markdownLines(table: CaptionTable, words: TableWords): Generator<string> {
	const heads = columnsOf(table, words);
	yield `# ${plain(words.title)}\n\n`;
	if (words.about !== '') yield `${plain(words.about)}\n\n`;
	if (hasDoubts(table)) yield `${MARK} ${plain(words.doubt)}\n\n`;
	yield `| ${heads.map(plain).join(' | ')} |\n`;
	yield `|${' --- |'.repeat(heads.length)}\n`;
	for (const row of table.rows) {
		const who = table.sided ? [whoOf(row, words)] : [];
		const texts = row.texts.map((_, column) => markedText(row, column));
		yield `| ${[clockOfRow(row), ...who.map(plain), ...texts].join(' | ')} |\n`;
	}
}

/** Before what is in doubt. */
export const MARK = '⚠';

function markedText(row: TableRow, column: number): string {
	return piecesOf(row, column)
		.map((piece, at) => (at % 2 === 1 ? `**${MARK} ${plain(piece)}**` : plain(piece)))
		.join('');
}

function plain(text: string): string {
	return text
		.replace(/[\r\n]+/g, ' ')
		.replaceAll('&', '&amp;')
		.replace(/[\\`*_[\]<>|~#$]/g, '\\$&');
}

/** For programs that take a file without it for one of another encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** Line after line of a CSV file (RFC 4180), in UTF-8 with a byte order mark. */
export function* csvLines({ columns, rows }: CaptionTable): Generator<string> {
	yield `${BYTE_ORDER_MARK}${['start', 'end', ...columns].map(cell).join(',')}\r\n`;
	for (const { startMs, endMs, texts } of rows) {
		const times = [clockTime(whole(startMs), '.'), clockTime(whole(endMs), '.')];
		yield `${[...times, ...texts.map(cell)].join(',')}\r\n`;
	}
}

/** Where a cell begins for a reader of any dialect, besides the comma, which our quotes hold off. */
const CELL_STARTS = /(\r\n|[\n\r\t;|\v\f\x85\u2028\u2029])/;
/** Nothing but what is not seen, and quotes, which another dialect may take away. */
const UNSEEN = String.raw`["'\s\p{Cc}\p{DI}\p{Cf}]*`;
const BLANK = new RegExp(`^${UNSEEN}$`, 'u');
/** A spreadsheet takes these for the beginning of a formula (\`|\` as well: it begins a cell, see above). */
const FORMULA = new RegExp(`^${UNSEEN}[=+\\-@%＝＋－＠]`, 'u');

/**
 * Wherever a spreadsheet could take a formula to begin, an apostrophe stands before it: at the start of the cell,
 * and behind what begins one where cells are parted by semicolons, tabs, bars or lines, for there our quotes may
 * mean nothing. One apostrophe taken away from the same places gives the text back.
 */
function harmless(text: string): string {
	const parts = text.split(CELL_STARTS);
	let formulaBehind = false;
	for (let n = parts.length - 1; n >= 0; n -= 2) {
		const piece = parts[n] ?? '';
		const next = parts[n + 1];
		formulaBehind =
			FORMULA.test(piece) || (BLANK.test(piece) && (next === '|' || (formulaBehind && next !== ';')));
		if (formulaBehind) parts[n] = `'${piece}`;
	}
	return parts.join('');
}

function cell(text: string): string {
	const shown = harmless(text);
	return /[",\r\n\t;']/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
