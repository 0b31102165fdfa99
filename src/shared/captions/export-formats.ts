import type { LegName } from '#shared/leg-name.ts';
import { safeCell } from '#shared/lib/csv.ts';
import {
	arranged,
	type Cue,
	captionText,
	clockTime,
	cuesOf,
	DIRECTION_MARKS,
	RIGHT_TO_LEFT_ISOLATE,
} from './cues.ts';
import type { Segment } from './segment.ts';
import { type CaptionTrack, isOfTrack, isSided, rowsOf, type TextRow } from './tracks.ts';

/** Zero width, no line break: disarms markup without changing how the text looks. */
const WORD_JOINER = '\u2060';

/** Allows only text and the style below: no script and no requests, whatever the captions contain. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `body { margin: 0; font: 10.5pt/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; }
table { inline-size: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem; border-block-end: 1px solid #8888; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
th, .at, .who { white-space: nowrap; }
.lost, mark { background: #fc03; font-style: italic; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
mark { color: inherit; font-weight: bold; }
td mark::before { content: "\\26a0\\a0"; font-style: normal; }
tr { break-inside: avoid; }
@page { margin: 18mm; }
@media screen { :root { color-scheme: light dark; } body { max-inline-size: 64rem; margin: 2rem auto; padding: 0 1rem; font-size: 1rem; } }`;

const lostIf = (is = false) => (is ? ' class="lost"' : '');

/** `text` is isolated if it is right-to-left; in a page the cell sets the direction. */
const directionOf = (text: string) => (text.startsWith(RIGHT_TO_LEFT_ISOLATE) ? 'rtl' : 'ltr');

const unisolated = (text: string) => text.replace(DIRECTION_MARKS, '');

/** The content to write, in each form that a format may need. */
interface Content {
	readonly segments: readonly Segment[];
	readonly cues: () => Iterable<Cue>;
	readonly table: CaptionTable;
}

interface Format {
	/** The extension of such files. */
	readonly ending: string;
	/** The format has headings, which need words in the reader's language. */
	readonly hasHeadings?: true;
	/** Minutes to be read by people: includes uncertain text, marked. */
	readonly isPage?: true;
	/** The format holds every track; others hold one. */
	readonly holdsAll?: true;
	/** Writes the file, one or a few lines at a time. */
	readonly write: (content: Content, words: ExportWords) => Iterable<string>;
}

/**
 * Every file format of captions. A new format also needs its name in the catalogues, `captions.saveAs`.
 */
const formats = {
	text: { ending: 'txt', write: ({ table }) => table.rows.map(({ texts }) => `${texts.join('\t')}\n`) },
	// The source from which main creates the document (main/captions/minutes.ts): the code for it is too large
	// to load in the window.
	docx: {
		ending: 'docx',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => [JSON.stringify({ table, words })],
	},
	html: {
		ending: 'html',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => htmlLines(table, words),
	},
	markdown: {
		ending: 'md',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => markdownLines(table, words),
	},
	srt: { ending: 'srt', write: ({ cues }) => srtBlocks(cues()) },
	vtt: { ending: 'vtt', write: ({ cues }) => vttBlocks(cues()) },
	csv: { ending: 'csv', hasHeadings: true, write: ({ table }) => csvLines(table) },
	json: { ending: 'json', holdsAll: true, write: ({ segments }) => [writeJson(segments)] },
} as const satisfies Readonly<Record<string, Format>>;

export type CaptionFormat = keyof typeof formats;
export const captionFormats = Object.keys(formats) as readonly CaptionFormat[];
/** Formats that need no headings in the reader's language. */
export const plainFormats = captionFormats.filter((format) => !formatOf(format).hasHeadings);

function formatOf(name: CaptionFormat): Format {
	return formats[name];
}

export function fileEnding(format: CaptionFormat): string {
	return formats[format].ending;
}

export function formatByEnding(ending: string): CaptionFormat | undefined {
	return captionFormats.find((format) => fileEnding(format) === ending.toLowerCase());
}

/** Whether the format holds a single track, alone or beside the source. JSON holds all tracks. */
export function hasOneTrack(format: CaptionFormat): boolean {
	return !formatOf(format).holdsAll;
}

/** Meant for people, who may know any of the languages. */
export function isPage(format: CaptionFormat): boolean {
	return formatOf(format).isPage ?? false;
}

/** `captionFile` returns the source from which main creates the file, not the file. */
export function isDocument(format: CaptionFormat): boolean {
	return format === 'docx';
}

/** The segments for such a file: texts that are not final are included only in pages for people, and marked. */
export function writable(segments: readonly Segment[], format: CaptionFormat): readonly Segment[] {
	return segments.filter(({ final }) => final || isPage(format));
}

export interface ExportWords extends TableWords {
	readonly said: string;
	/** Heading of the track's column. */
	readonly track: string;
	/** Text for missing speech of this length, ms. */
	readonly lost: (ms: number) => string;
	/** Follows text cut off before it was final. */
	readonly cutOff: string;
}

export interface ExportOptions {
	readonly format: CaptionFormat;
	readonly track: CaptionTrack;
	/**
	 * Writes the source beside the track (above it in subtitles). Ignored if the track is the source itself.
	 */
	readonly aligned: boolean;
	/** More columns of an aligned file, with headings; otherwise these tracks share one, in order of time. */
	readonly others?: readonly { readonly track: CaptionTrack; readonly head: string }[];
	readonly words: ExportWords;
	/** Finds doubtful facts in a source and its translation, in that order. If absent, nothing is marked. */
	readonly inDoubt?: InDoubt;
}

/** The text of one row in one language. */
export interface TextIn {
	readonly language: string;
	readonly text: string;
}

export type InDoubt = (said: TextIn, translated: TextIn) => readonly [readonly Span[], readonly Span[]];

/** The whole file, one or a few lines at a time. */
export function captionFile(given: readonly Segment[], options: ExportOptions): Iterable<string> {
	const { format, track, words, others = [] } = options;
	const both = options.aligned && (track.kind === 'translation' || track.kind === 'language');
	const segments = writable(given, format).map((segment) => ({
		...segment,
		// The mark of lost speech is in the reader's language; a file with every track has a field for it.
		...(segment.kind === 'lost' && hasOneTrack(format) && { language: words.locale }),
		text: textOf(segment, words),
	}));
	if (!both) {
		const columns = [words.track];
		const kept = [track, ...others.map((other) => other.track)];
		const content = contentOf(
			segments.filter((segment) => kept.some((one) => isOfTrack(segment, one))),
			columns,
		);
		return formats[format].write({ ...content, segments }, words);
	}
	const behind = others.map((other) => other.track);
	const rows = rowsOf(segments, track, behind)
		.filter(hasText)
		.map((row) => ({ ...row, doubts: options.inDoubt && doubtsIn(row, options.inDoubt) }))
		.map((row) => ({
			...row,
			// A typed text that is spoken untranslated has no original.
			untranslated:
				row.texts.filter((text) => text !== '').length === 1 &&
				(track.kind === 'language' || row.texts[0] !== ''),
		}));
	const columns = [words.said, words.track, ...others.map(({ head }) => head)];
	const table = { columns, rows, sided: isSided(segments) };
	const cues = () =>
		arranged(
			rows.map(({ texts, startMs, endMs }) => ({
				startMs,
				endMs,
				text: texts.filter((it) => it !== '').join('\n'),
			})),
		);
	return formats[format].write({ segments, cues, table }, words);
}

/** Compares the first column with each of the others, and marks it where any of them differs. */
function doubtsIn({ texts, languages }: TextRow, inDoubt: InDoubt): readonly (readonly Span[])[] {
	const [said, ...translated] = texts.map((text, at) => ({ text, language: languages[at] ?? '' }));
	if (!said) return [];
	const pairs = translated.map((one) => inDoubt(said, one));
	const ofSaid = pairs.flatMap(([some]) => some);
	// A range that two comparisons doubt is listed twice; mark it once.
	return [ofSaid.sort((a, b) => a.start - b.start), ...pairs.map(([, some]) => some)];
}

function textOf({ kind, text, final, startMs, endMs }: Segment, words: ExportWords): string {
	if (kind === 'lost') return words.lost(endMs - startMs);
	return final ? text : `${text} [${words.cutOff}]`;
}

/** A file of a plain format: the unchanged segments, of one track if the format holds only one. */
export function plainFile(format: CaptionFormat, segments: readonly Segment[]): string {
	return [...formats[format].write(contentOf(segments, ['']), noWords)].join('');
}

/** For formats without headings. */
export const noWords: ExportWords = {
	title: '',
	about: '',
	locale: '',
	direction: 'ltr',
	time: '',
	who: '',
	said: '',
	track: '',
	doubt: '',
	speaker: { outgoing: '', incoming: '' },
	lost: () => '',
	cutOff: '',
};

function contentOf(segments: readonly Segment[], columns: readonly string[]): Content {
	const rows = segments
		.map((segment) => ({
			...segment,
			texts: [captionText(segment)],
			languages: [segment.language],
			lost: segment.kind === 'lost',
		}))
		.filter(hasText);
	return { segments, cues: () => cuesOf(segments), table: { columns, rows, sided: isSided(segments) } };
}

function hasText({ texts }: { readonly texts: readonly string[] }): boolean {
	return texts.some((text) => text !== '');
}

/** A self-contained HTML page, line by line: to send, read in a browser and print. */
function* htmlLines(table: CaptionTable, words: TableWords): Generator<string> {
	const heads = columnsOf(table, words);
	yield `<!doctype html>\n<html lang="${escaped(words.locale)}" dir="${words.direction}">\n<head>\n<meta charset="utf-8">\n`;
	yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
	yield `<meta name="viewport" content="width=device-width">\n<title>${escaped(words.title)}</title>\n`;
	yield `<style>\n${STYLE}\n</style>\n</head>\n<body>\n<h1 dir="auto">${escaped(words.title)}</h1>\n`;
	if (words.about !== '') yield `<p>${escaped(words.about)}</p>\n`;
	if (hasDoubts(table)) yield `<p><mark>${MARK}</mark> ${escaped(words.doubt)}</p>\n`;
	yield `<table>\n<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead>\n<tbody>\n`;
	for (const row of table.rows) {
		const who = table.sided ? `<td class="who">${escaped(whoOf(row, words))}</td>` : '';
		const cells = shownTexts(row).map((text, at) => {
			const language = row.languages[at] && ` lang="${escaped(row.languages[at])}"`;
			return `<td${lostIf(row.untranslated && text === NOTHING)}${language || ''} dir="${directionOf(text)}">${htmlTextOf(row, at)}</td>`;
		});
		yield `<tr${lostIf(row.lost)}><td class="at">${clockOfRow(row)}</td>${who}${cells.join('')}</tr>\n`;
	}
	yield '</tbody>\n</table>\n</body>\n</html>\n';
}

function htmlTextOf(row: TableRow, column: number): string {
	return piecesOf(row, column)
		.map((piece, at) => {
			const shown = escaped(unisolated(piece));
			return at % 2 === 1 ? `<mark>${shown}</mark>` : shown;
		})
		.join('');
}

/** Safe in attributes as well. */
function escaped(text: string): string {
	return escapeMarkup(text.toWellFormed().replace(/\p{Cc}+/gu, ' ')).replaceAll('"', '&quot;');
}

/** The blocks of a SubRip file. The format has no escapes: an invisible character breaks up arrows and tags. */
function* srtBlocks(cues: Iterable<Cue>): Generator<string> {
	let number = 0;
	for (const { startMs, endMs, text } of cues) {
		number += 1;
		const times = `${clockTime(startMs, ',')} --> ${clockTime(endMs, ',')}`;
		yield `${number === 1 ? '' : '\n'}${number}\n${times}\n${harmless(text)}\n`;
	}
}

function harmless(text: string): string {
	return text.replaceAll('-->', `--${WORD_JOINER}>`).replace(/<(?=[a-z/!])|\{(?=\\)/gi, `$&${WORD_JOINER}`);
}

/** A WebVTT file, block by block, header first. */
function* vttBlocks(cues: Iterable<Cue>): Generator<string> {
	yield 'WEBVTT\n';
	for (const { startMs, endMs, text } of cues)
		yield `\n${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n${escapeMarkup(text)}\n`;
}

/** One caption in `captions.json`. Times in whole ms, 0 = Start pressed. */
export interface CaptionRecord {
	/** The same for a source and its translations. */
	readonly id: string;
	readonly part: string;
	readonly language: string;
	/** `lost`: the span of speech that never reached the interpreter; the text explains the gap. */
	readonly kind: Segment['kind'];
	readonly text: string;
	readonly start_ms: number;
	readonly end_ms: number;
	readonly final: boolean;
	/** The words of the other side, if both sides were recorded. */
	readonly leg?: 'incoming';
}

/** `captions.json`: all given segments in the given order, one caption per line. */
export function writeJson(segments: readonly Segment[]): string {
	if (segments.length === 0) return '[]\n';
	return `[\n${segments.map((segment) => `  ${JSON.stringify(recordOf(segment))}`).join(',\n')}\n]\n`;
}

function recordOf(segment: Segment): CaptionRecord {
	return {
		id: segment.transcriptionId,
		part: segment.partId,
		language: segment.language,
		kind: segment.kind,
		text: segment.text.toWellFormed(),
		start_ms: Math.round(segment.startMs),
		end_ms: Math.round(segment.endMs),
		final: segment.final,
		...(segment.leg === 'incoming' && { leg: segment.leg }),
	};
}

/** Rows of texts with their times: the basis of Markdown, CSV and HTML. */
export interface CaptionTable {
	/** Headings of the text columns. */
	readonly columns: readonly string[];
	/** The table contains both sides of a conversation, so each row names its speaker. */
	readonly sided: boolean;
	readonly rows: readonly TableRow[];
}

/** A range within a text (UTF-16 units). */
export interface Span {
	readonly start: number;
	readonly end: number;
}

export interface TableRow {
	readonly startMs: number;
	readonly endMs: number;
	/** One text per column, ready for display. */
	readonly texts: readonly string[];
	/** Language of each text; empty = not known. */
	readonly languages: readonly string[];
	/** Ranges of doubtful facts in each text, in order: facts that are missing in another language. */
	readonly doubts?: readonly (readonly Span[])[] | undefined;
	/** The speaker's direction; absent = mine. */
	readonly leg?: LegName | undefined;
	/** The row stands for speech that never reached the interpreter. */
	readonly lost?: boolean | undefined;
	/** Spoken but never translated: a page marks this gap. In other gaps the language was not requested then. */
	readonly untranslated?: boolean | undefined;
}

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
	/** The meaning of a mark in a text; written only if there is a mark. */
	readonly doubt: string;
}

export function columnsOf({ columns, sided }: CaptionTable, { time, who }: TableWords): readonly string[] {
	return [time, ...(sided ? [who] : []), ...columns];
}

/** Placeholder in a page where a language has no text. */
export const NOTHING = '—';

/** The texts of a row as a page shows them: gaps get a placeholder, except beside lost speech. */
export function shownTexts({ texts, lost }: TableRow): readonly string[] {
	return lost ? texts : texts.map((text) => text || NOTHING);
}

export function hasDoubts({ rows }: CaptionTable): boolean {
	return rows.some(({ doubts }) => doubts?.some((some) => some.length > 0));
}

/** A text of a row split into pieces; the pieces at odd indexes are doubtful. */
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

/** A Markdown page, line by line. No caption text is interpreted as Markdown or HTML. */
export function* markdownLines(table: CaptionTable, words: TableWords): Generator<string> {
	const heads = columnsOf(table, words);
	yield `# ${plain(words.title)}\n\n`;
	if (words.about !== '') yield `${plain(words.about)}\n\n`;
	if (hasDoubts(table)) yield `${MARK} ${plain(words.doubt)}\n\n`;
	yield `| ${heads.map(plain).join(' | ')} |\n`;
	yield `|${' --- |'.repeat(heads.length)}\n`;
	for (const row of table.rows) {
		const who = table.sided ? [whoOf(row, words)] : [];
		const texts = row.texts.map((_, column) => markdownTextOf(row, column));
		yield `| ${[clockOfRow(row), ...who.map(plain), ...texts].join(' | ')} |\n`;
	}
}

/** Precedes doubtful facts. */
export const MARK = '⚠';

function markdownTextOf(row: TableRow, column: number): string {
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

/** Written for programs that would otherwise assume another encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** A CSV file (RFC 4180), line by line, in UTF-8 with a byte order mark. */
export function* csvLines({ columns, rows }: CaptionTable): Generator<string> {
	yield `${BYTE_ORDER_MARK}${['start', 'end', ...columns].map(safeCell).join(',')}\r\n`;
	for (const { startMs, endMs, texts } of rows) {
		const times = [clockTime(whole(startMs), '.'), clockTime(whole(endMs), '.')];
		yield `${[...times, ...texts.map(safeCell)].join(',')}\r\n`;
	}
}

/** Escapes text for HTML and WebVTT, so that no text is read as a tag. */
export function escapeMarkup(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
