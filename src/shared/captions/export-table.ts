import type { LegName } from '#shared/leg-name.ts';
import { clockTime } from './cues.ts';

/** Rows of texts with their times: what Markdown and CSV, written here, and HTML (`formats.ts`) are made of. */
export interface CaptionTable {
	/** Headings of the text columns. */
	readonly columns: readonly string[];
	/** Both sides of a conversation are in it, so each row names its speaker. */
	readonly sided: boolean;
	readonly rows: readonly TableRow[];
}

/** A part of a text (UTF-16 units). */
export interface Span {
	readonly start: number;
	readonly end: number;
}

export interface TableRow {
	readonly startMs: number;
	readonly endMs: number;
	/** One for each column; ready to be shown. */
	readonly texts: readonly string[];
	/** Language of each text; empty = not known. */
	readonly languages: readonly string[];
	/** Where each text has doubtful facts, in order: those missing in another language. */
	readonly doubts?: readonly (readonly Span[])[] | undefined;
	/** Whose words; absent = mine. */
	readonly leg?: LegName | undefined;
	/** In place of speech that never reached the interpreter. */
	readonly lost?: boolean | undefined;
	/** It was said and never translated: a page paints its gaps. Other gaps are languages that were not wanted then. */
	readonly untranslated?: boolean | undefined;
}

/** The page's words, in the reader's language. */
export interface TableWords {
	readonly title: string;
	/** Date and languages; empty = omitted. */
	readonly about: string;
	/** BCP 47. */
	readonly locale: string;
	readonly direction: 'ltr' | 'rtl';
	/** Headings of the columns for time and speaker. */
	readonly time: string;
	readonly who: string;
	readonly speaker: Readonly<Record<LegName, string>>;
	/** The meaning of a mark in a text; included only if there is one. */
	readonly doubt: string;
}

/** Headings of all columns. */
export function columnsOf({ columns, sided }: CaptionTable, { time, who }: TableWords): readonly string[] {
	return [time, ...(sided ? [who] : []), ...columns];
}

/** Placeholder in a page where a language has no text. */
export const NOTHING = '—';

/** The texts of a row as a page shows them: gaps are visible, but lost speech stands alone. */
export function shownTexts({ texts, lost }: TableRow): readonly string[] {
	return lost ? texts : texts.map((text) => text || NOTHING);
}

/** Whether anything is marked. */
export function hasDoubts({ rows }: CaptionTable): boolean {
	return rows.some(({ doubts }) => doubts?.some((some) => some.length > 0));
}

/** A text of a row split into pieces; those at odd indexes are in doubt. */
export function piecesOf(row: TableRow, column: number): readonly string[] {
	const text = shownTexts(row)[column] ?? '';
	const pieces: string[] = [];
	let upTo = 0;
	for (const { start, end } of row.doubts?.[column] ?? []) {
		if (start < upTo || end > text.length) continue;
		pieces.push(text.slice(upTo, start), text.slice(start, end));
		upTo = end;
	}
	return [...pieces, text.slice(upTo)];
}

/** `00:03:07`. */
export function clockOfRow({ startMs }: TableRow): string {
	return clockTime(whole(startMs), '.').slice(0, -4);
}

export function whoOf({ leg = 'outgoing' }: TableRow, { speaker }: TableWords): string {
	return speaker[leg];
}

const whole = (ms: number): number => Math.max(0, Math.round(ms));

/** A Markdown page, line by line. Nothing that was said is taken for Markdown or HTML. */
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

/** Precedes doubtful facts. */
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

/** For programs that would otherwise assume another encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** A CSV file (RFC 4180), line by line, in UTF-8 with a byte order mark. */
export function* csvLines({ columns, rows }: CaptionTable): Generator<string> {
	yield `${BYTE_ORDER_MARK}${['start', 'end', ...columns].map(cell).join(',')}\r\n`;
	for (const { startMs, endMs, texts } of rows) {
		const times = [clockTime(whole(startMs), '.'), clockTime(whole(endMs), '.')];
		yield `${[...times, ...texts.map(cell)].join(',')}\r\n`;
	}
}

/** Where a cell begins in any dialect, besides the comma, which our quotes protect. */
const CELL_STARTS = /(\r\n|[\n\r\t;|\v\f\x85\u2028\u2029])/;
/** Invisible characters, and quotes, which another dialect may strip. */
const UNSEEN = String.raw`["'\s\p{Cc}\p{DI}\p{Cf}]*`;
const BLANK = new RegExp(`^${UNSEEN}$`, 'u');
/** A spreadsheet takes these for the beginning of a formula (\`|\` as well: it begins a cell, see above). */
const FORMULA = new RegExp(`^${UNSEEN}[=+\\-@%＝＋－＠]`, 'u');

/**
 * Puts an apostrophe wherever a spreadsheet could see the beginning of a formula: at the start of the cell, and after a
 * semicolon, tab, bar or line break, which separate cells in dialects where our quotes may mean nothing. Removing one
 * apostrophe at the same places restores the text.
 */
export function harmless(text: string): string {
	return pieceByPiece(text, (piece, isFormula) => (isFormula(piece) ? `'${piece}` : piece));
}

/** The text that `harmless` made this of. */
export function asItWas(text: string): string {
	return pieceByPiece(text, (piece, isFormula) => {
		const bare = piece.replace(/^'/, '');
		return isFormula(bare) ? bare : piece;
	});
}

/** From the last to the first: a blank piece is as bad as the formula behind it. */
function pieceByPiece(
	text: string,
	change: (piece: string, isFormula: (piece: string) => boolean) => string,
): string {
	const parts = text.split(CELL_STARTS);
	let formulaBehind = false;
	for (let n = parts.length - 1; n >= 0; n -= 2) {
		const next = parts[n + 1];
		parts[n] = change(parts[n] ?? '', (piece) => {
			formulaBehind =
				FORMULA.test(piece) || (BLANK.test(piece) && (next === '|' || (formulaBehind && next !== ';')));
			return formulaBehind;
		});
	}
	return parts.join('');
}

function cell(text: string): string {
	const shown = harmless(text);
	return /[",\r\n\t;']/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
