import type { LegName } from '#shared/leg-name.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { TypedState } from './typed-texts.ts';

/** One caption: a piece of source speech or one translation of it. */
export interface Segment {
	/**
	 * `kind|transcriptionId|partId|language`, unique within a conversation; a source leaves the language
	 * empty, for it may be heard as another one while it is still open.
	 */
	readonly key: string;
	/**
	 * The service's id; after a reconnect with the suffix `~1`, `~2`, …, since ids may repeat, and with the leg's name as
	 * prefix unless it is the outgoing one.
	 */
	readonly transcriptionId: string;
	readonly partId: string;
	/** `lost`: no text, but the time of speech that never reached the interpreter. */
	readonly kind: 'source' | 'translation' | 'lost';
	readonly language: string;
	readonly text: string;
	readonly final: boolean;
	/** Not final, and nothing more is expected: a pause, a new stream or the end came first. */
	readonly cutOff?: true;
	/** ms on the conversation's clock (0 = Start pressed). Never decreasing in the assembler's lists. */
	readonly startMs: number;
	readonly endMs: number;
	/** Whose words these are; absent = mine, or a conversation with one leg. */
	readonly leg?: LegName | undefined;
}

/** What one row of the captions view shows: a source segment with its translations. */
export interface CaptionRow {
	readonly transcriptionId: string;
	readonly source: Segment | null;
	/** By target language, parts in order. */
	readonly translations: readonly Segment[];
	/** Typed, not spoken, and its progress. */
	readonly typed?: TypedState | undefined;
	/** Whose words these are; absent = mine, or a conversation with one leg. */
	readonly leg?: LegName | undefined;
	/** Speech that never reached the interpreter; such a row has nothing else. */
	readonly lost?: Segment | undefined;
}

/** Where a stream's own clock lies on the conversation's, ms. */
export interface Stream {
	/** The stream's second 0, if known. */
	readonly startMs: number | null;
	/** Its second 0 as derived from messages. */
	estimateMs: number | null;
}

/** One caption as the assembler keeps it: the latest message and when it came. */
export interface Entry {
	readonly key: string;
	readonly row: Row;
	/** The stream of its latest message. */
	stream: Stream;
	/** Arrival of the first and the latest message that counted, ms. */
	readonly firstMs: number;
	lastMs: number;
	message: TranscriptMessage;
	/** Left open at the end: only a final may still replace it. */
	closed: boolean;
	/** Nothing more is expected: a pause, another stream, the end. A further word reopens it. */
	cutOff: boolean;
}

export interface Row {
	readonly index: number;
	readonly transcriptionId: string;
	/** Epoch of the stream it began in. */
	readonly epoch: number;
	readonly leg: LegName;
	source: Entry | null;
	/** As they came; ordered when the row is built. */
	readonly translations: Entry[];
	/** It was typed, not said. */
	typed: TypedState | null;
	/** The span of speech that never reached the interpreter; such a row has no texts. */
	lost: Span | null;
	/** Built on demand, dropped when something changes. */
	built: CaptionRow | null;
}

export interface Span {
	readonly startMs: number;
	readonly endMs: number;
}

/** A stream clock further ahead of ours than this is not trusted, ms. */
const TOLERANCE_MS = 5000;

export function resolveSegment(entry: Entry): Segment {
	const { key, message, row } = entry;
	return {
		key,
		transcriptionId: row.transcriptionId,
		partId: message.partId,
		kind: message.kind,
		language: message.language,
		text: message.text,
		final: message.final,
		...(entry.cutOff && !message.final && { cutOff: true as const }),
		...spanOf(entry),
		...legOf(row),
	};
}

/** The service's times, or else those of the source it translates, or else the time of arrival. */
function spanOf(entry: Entry): Span {
	const own = statedSpan(entry);
	if (own !== null) return own;
	const { source } = entry.row;
	const inherited = source && statedSpan(source);
	return inherited || arrivalSpan(source ?? entry);
}

function statedSpan({ message, stream, lastMs }: Entry): Span | null {
	const offsetMs = stream.startMs ?? stream.estimateMs;
	if (offsetMs === null || message.startS === null) return null;
	const startMs = Math.max(0, Math.round(offsetMs + message.startS * 1000));
	if (startMs > lastMs + TOLERANCE_MS) return null;
	const endMs = message.endS === null ? lastMs : Math.round(offsetMs + message.endS * 1000);
	return { startMs, endMs: Math.max(startMs, Math.min(endMs, lastMs + TOLERANCE_MS)) };
}

function arrivalSpan({ firstMs, lastMs }: Entry): Span {
	const startMs = Math.max(0, Math.round(firstMs));
	return { startMs, endMs: Math.max(startMs, Math.round(lastMs)) };
}

export function buildRow(row: Row): CaptionRow {
	return {
		transcriptionId: row.transcriptionId,
		source: row.source === null ? null : resolveSegment(row.source),
		translations: row.translations
			.map((entry) => ({ entry, segment: resolveSegment(entry) }))
			.sort(
				(a, b) => compareText(a.segment.language, b.segment.language) || comparePart(a.segment, b.segment),
			)
			.map(({ segment }) => segment),
		...(row.typed && { typed: row.typed }),
		...legOf(row),
		...(row.lost && { lost: lostSegment(row, row.lost) }),
	};
}

function legOf({ leg }: Row): { readonly leg?: LegName } {
	return leg === 'incoming' ? { leg } : {};
}

export function lostSegment(row: Row, span: Span): Segment {
	const { transcriptionId } = row;
	const key = `lost|${transcriptionId}|0|`;
	return {
		key,
		transcriptionId,
		partId: '0',
		kind: 'lost',
		language: '',
		text: '',
		final: true,
		...span,
		...legOf(row),
	};
}

/** By start; what starts together: source first, then by language, part and key, never by arrival. */
export function compareInTime(a: Segment, b: Segment): number {
	return (
		a.startMs - b.startMs ||
		a.endMs - b.endMs ||
		compareText(a.kind, b.kind) ||
		compareText(a.language, b.language) ||
		compareText(a.transcriptionId, b.transcriptionId) ||
		comparePart(a, b)
	);
}

function comparePart(a: Segment, b: Segment): number {
	const difference = Number(a.partId) - Number(b.partId);
	return Number.isNaN(difference) || difference === 0 ? compareText(a.partId, b.partId) : difference;
}

/** By code unit: the same everywhere, whatever the locale. */
function compareText(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
