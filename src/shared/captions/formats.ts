import { arranged, type Cue, captionText, cuesOf } from './cues.ts';
import { htmlLines } from './export-html.ts';
import { writeJson } from './export-json.ts';
import { srtBlocks } from './export-srt.ts';
import { type CaptionTable, csvLines, markdownLines, type TableWords } from './export-table.ts';
import { vttBlocks } from './export-vtt.ts';
import type { Segment } from './segment.ts';
import { type CaptionTrack, isOfTrack, isSided, rowsOf, type TextRow } from './tracks.ts';

/** What there is to be written, in the shapes that formats are made from. */
interface Content {
	readonly segments: readonly Segment[];
	readonly cues: () => Iterable<Cue>;
	readonly table: CaptionTable;
}

interface Format {
	/** How the names of such files end. */
	readonly ending: string;
	/** It has headings, and so wants words of the reader's language. */
	readonly hasHeadings?: true;
	/** Minutes for a person: what is not certain is in it too, and marked. */
	readonly isPage?: true;
	/** It holds every track, the others one. */
	readonly holdsAll?: true;
	/** The file, a line or a few at a time. */
	readonly write: (content: Content, words: ExportWords) => Iterable<string>;
}

/** Every kind of file that captions are written to. A new one also wants its name in the catalogues, `captions.saveAs`. */
const formats = {
	srt: { ending: 'srt', write: ({ cues }) => srtBlocks(cues()) },
	vtt: { ending: 'vtt', write: ({ cues }) => vttBlocks(cues()) },
	text: { ending: 'txt', write: ({ table }) => table.rows.map(({ texts }) => `${texts.join('\t')}\n`) },
	markdown: {
		ending: 'md',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => markdownLines(table, words),
	},
	html: {
		ending: 'html',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => htmlLines(table, words),
	},
	// What main makes the document of (main/documents/): what knows its format is much, and the window does without.
	docx: {
		ending: 'docx',
		hasHeadings: true,
		isPage: true,
		write: ({ table }, words) => [JSON.stringify({ table, words })],
	},
	csv: { ending: 'csv', hasHeadings: true, write: ({ table }) => csvLines(table) },
	json: { ending: 'json', holdsAll: true, write: ({ segments }) => [writeJson(segments)] },
} as const satisfies Readonly<Record<string, Format>>;

export type CaptionFormat = keyof typeof formats;
export const captionFormats = Object.keys(formats) as readonly CaptionFormat[];
/** Those that need no words of the reader's. */
export const plainFormats = captionFormats.filter((format) => !formatOf(format).hasHeadings);

function formatOf(name: CaptionFormat): Format {
	return formats[name];
}

/** How the names of such files end. */
export function fileEnding(format: CaptionFormat): string {
	return formats[format].ending;
}

export function formatByEnding(ending: string): CaptionFormat | undefined {
	return captionFormats.find((format) => fileEnding(format) === ending.toLowerCase());
}

/** JSON holds everything; the others one track, alone or beside what was said. */
export function hasOneTrack(format: CaptionFormat): boolean {
	return !formatOf(format).holdsAll;
}

/** For a person to read, who may know each of the languages. */
export function isPage(format: CaptionFormat): boolean {
	return formatOf(format).isPage ?? false;
}

/** `captionFile` gives what main makes the file of, not the file. */
export function isDocument(format: CaptionFormat): boolean {
	return format === 'docx';
}

/** What such a file is made of: what is not final only where a person reads it, marked. */
export function writable(segments: readonly Segment[], format: CaptionFormat): readonly Segment[] {
	return segments.filter(({ final }) => final || isPage(format));
}

/** Words of the file, in the language of who reads it. */
export interface ExportWords extends TableWords {
	readonly said: string;
	/** Over the column of the track. */
	readonly track: string;
	/** So much speech is missing here, ms. */
	readonly lost: (ms: number) => string;
	/** Behind what was heard late: when it was said, Unix ms. */
	readonly late: (saidAtMs: number) => string;
	/** Behind what broke off before it was final. */
	readonly cutOff: string;
}

export interface ExportOptions {
	readonly format: CaptionFormat;
	readonly track: CaptionTrack;
	/** What was said beside it (above it in subtitles). Means nothing when the track is the source itself. */
	readonly aligned: boolean;
	/** Further columns when it is aligned, and what stands over each. */
	readonly others?: readonly { readonly track: CaptionTrack; readonly head: string }[];
	readonly words: ExportWords;
	/** Finds what is in doubt in what was said and in a translation of it: both in their order. Without it nothing is marked. */
	readonly inDoubt?: InDoubt;
}

/** What one row says in one language. */
export interface TextIn {
	readonly language: string;
	readonly text: string;
}

export type InDoubt = (said: TextIn, translated: TextIn) => readonly [readonly string[], readonly string[]];

/** The file, a line or a few at a time; together they are the whole. */
export function captionFile(given: readonly Segment[], options: ExportOptions): Iterable<string> {
	const { format, track, words, others = [] } = options;
	const both = options.aligned && (track.kind === 'translation' || track.kind === 'language');
	// Of what stands side by side one is marked; what holds all has a field for it.
	const marks = !both && hasOneTrack(format);
	const segments = writable(given, format).map((segment) => ({
		...segment,
		text: marks ? withLate(textOf(segment, words), segment.late, words) : textOf(segment, words),
	}));
	if (!both) {
		const columns = [words.track];
		const content = contentOf(
			segments.filter((segment) => isOfTrack(segment, track)),
			columns,
		);
		return formats[format].write({ ...content, segments }, words);
	}
	const behind = others.map((other) => other.track);
	const rows = rowsOf(segments, track, behind)
		.filter(hasText)
		.map((row) => ({ ...row, doubts: options.inDoubt && doubtsIn(row, options.inDoubt) }))
		.map((row) => ({ ...row, texts: lateMarked(row, words) }));
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

/** The first column is compared with each of the others, and marked where any of them differs. */
function doubtsIn({ texts, languages }: TextRow, inDoubt: InDoubt): readonly (readonly string[])[] {
	const [said, ...translated] = texts.map((text, at) => ({ text, language: languages[at] ?? '' }));
	if (!said) return [];
	const pairs = translated.map((one) => inDoubt(said, one));
	const ofSaid = new Set(pairs.flatMap(([some]) => some));
	const inOrder = [...ofSaid].sort((a, b) => said.text.indexOf(a) - said.text.indexOf(b));
	return [inOrder, ...pairs.map(([, some]) => some)];
}

function textOf({ kind, text, final, startMs, endMs }: Segment, words: ExportWords): string {
	if (kind === 'lost') return words.lost(endMs - startMs);
	return final ? text : `${text} [${words.cutOff}]`;
}

function withLate(text: string, late: number | undefined, words: ExportWords): string {
	return late === undefined ? text : `${text} [${words.late(late)}]`;
}

function lateMarked({ texts, late }: TextRow, words: ExportWords): readonly string[] {
	const first = texts.findIndex((text) => text !== '');
	return texts.map((text, at) => (at === first ? withLate(text, late, words) : text));
}

/** A file of one of the plain formats: the segments as they are, of one track where it holds one. */
export function plainFile(format: CaptionFormat, segments: readonly Segment[]): string {
	return [...formats[format].write(contentOf(segments, ['']), noWords)].join('');
}

/** For what has no headings. */
export const noWords: ExportWords = {
	...{
		title: '',
		about: '',
		locale: '',
		direction: 'ltr',
		time: '',
		who: '',
		said: '',
		track: '',
		doubt: '',
	},
	speaker: { outgoing: '', incoming: '' },
	lost: () => '',
	late: () => '',
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

/** What such a file may be called: `name` as a person wrote it, made fit for every system. */
export function exportName(name: string, { format, track, aligned }: Omit<ExportOptions, 'words'>): string {
	const stem = [...name.replace(/[^\p{L}\p{N} ._-]/gu, '_').trim()].slice(0, 80).join('');
	const middle = !hasOneTrack(format) || (aligned && track.kind !== 'source') ? '' : `.${track.language}`;
	return `${stem || 'dragoman'}${middle}.${fileEnding(format)}`;
}
