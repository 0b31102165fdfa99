import { clockTime } from './cues.ts';

/** Rows of texts with their times: what Markdown and CSV have in common. */
export interface CaptionTable {
	/** Over the texts' columns. */
	readonly columns: readonly string[];
	readonly rows: Iterable<TableRow>;
}

export interface TableRow {
	readonly startMs: number;
	readonly endMs: number;
	/** One for each column; ready to be shown. */
	readonly texts: readonly string[];
}

const whole = (ms: number): number => Math.max(0, Math.round(ms));

/** Line after line of a Markdown page. Nothing that was said is taken for Markdown or HTML. */
export function* markdownLines(
	{ columns, rows }: CaptionTable,
	{ title, time }: { readonly title: string; readonly time: string },
): Generator<string> {
	yield `# ${plain(title)}\n\n`;
	yield `| ${[time, ...columns].map(plain).join(' | ')} |\n`;
	yield `|${' --- |'.repeat(columns.length + 1)}\n`;
	for (const { startMs, texts } of rows) {
		const at = clockTime(whole(startMs), '.').slice(0, -4);
		yield `| ${[at, ...texts.map(plain)].join(' | ')} |\n`;
	}
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

/** A spreadsheet takes these for the beginning of a formula, also behind what is not seen. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\t\r|%＝＋－＠]/u;

function cell(text: string): string {
	const harmless = FORMULA.test(text) ? `'${text}` : text;
	return /[",\r\n\t;']/.test(harmless) || harmless !== harmless.trim()
		? `"${harmless.replaceAll('"', '""')}"`
		: harmless;
}
