import type { LegName } from '#shared/leg-name.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { CaptionRow, Segment } from './segment.ts';
import { createTypedTexts, type TypedState, type TypedText } from './typed-texts.ts';

/** More open texts than any conversation has at once; beyond this number the oldest is set aside. */
const MAX_OPEN = 256;

export interface CaptionChange {
	readonly segment: Segment;
	/** Index of its row. */
	readonly row: number;
	readonly added: boolean;
}

/** The stream that a message belongs to: the scope of its ids, and its clock. */
interface Place {
	readonly epoch: number;
	stream: Stream;
}

/** How many built rows are cached, more than any view shows: caching all would hold every text a third time. */
export const BUILT_ROWS = 500;

/** State of a text that may still change. */
const asSaid = { closed: false, cutOff: false };

export type Assembler = ReturnType<typeof createAssembler>;

/**
 * Turns transcription messages into captions (protocol 4.6): a new version of a text replaces the previous one,
 * a final version never changes, and the order in which messages arrive does not affect the transcript. The cost
 * of a message does not depend on the number of earlier messages. `leg`: ids of the incoming direction begin with
 * its name, so that both directions fit into one transcript.
 */
export function createAssembler(leg: LegName = 'outgoing') {
	const prefix = leg === 'incoming' ? 'incoming-' : '';
	const entries = new Map<string, Entry>();
	const rows: Row[] = [];
	const rowsById = new Map<string, Row>();
	/** Cached rows, the least recently used one first. */
	const built = new Set<Row>();
	const typedTexts = createTypedTexts(prefix);
	/** In the order of their last change: re-inserting an entry moves it to the end. */
	const open = new Map<string, Entry>();
	/** Number of entries at the beginning of the epoch: an epoch without any text is reused. */
	let before = 0;
	let now: Place = { epoch: 0, stream: { startMs: null, estimateMs: null } };
	/** The previous stream, while both are active. */
	let former: Place | null = null;

	function receive(
		message: TranscriptMessage,
		nowMs: number,
		from: 'now' | 'former' = 'now',
	): CaptionChange | null {
		const place = from === 'former' ? former : now;
		// A late message of a stream that has ended.
		if (place === null) return null;
		const id = `${prefix}${message.transcriptionId}`;
		const heardId = place.epoch === 0 ? id : `${id}~${place.epoch}`;
		if (place === now && isReused(entries.get(keyOf(message, heardId)), message, nowMs)) {
			before = entries.size;
			now = { epoch: now.epoch + 1, stream: { startMs: null, estimateMs: null } };
			return receive(message, nowMs);
		}
		const typedId = typedTexts.idOf(message, !rowsById.has(heardId));
		if (typedId !== null) return put({ ...message, startS: null, endS: null }, typedId, nowMs, place);
		return put(message, heardId, nowMs, place);
	}

	/** `transcriptionId` is the id of the row; the only time known of a typed text is when it was typed. */
	function put(
		message: TranscriptMessage,
		transcriptionId: string,
		nowMs: number,
		place: Place = now,
	): CaptionChange | null {
		const key = keyOf(message, transcriptionId);
		const old = entries.get(key);
		// An empty text does not erase the previous words (protocol 5.2), but may make them final.
		if (message.text.trim() === '') {
			if (!message.final || old === undefined || old.message.final) return null;
			message = { ...message, text: old.message.text, language: old.message.language };
		}
		if (old !== undefined && !mayReplace(old, message)) return null;
		place.stream = placed(place.stream, message, nowMs);
		const { stream } = place;
		const added = !rowsById.has(transcriptionId);
		const row = rowsById.get(transcriptionId) ?? addRow(transcriptionId, place.epoch);
		const entry: Entry = old ?? { key, row, stream, firstMs: nowMs, lastMs: nowMs, message, ...asSaid };
		entry.message = message;
		entry.cutOff = false;
		entry.stream = stream;
		entry.lastMs = Math.max(entry.lastMs, nowMs);
		if (old === undefined) admit(entry);
		row.built = null;
		track(entry);
		return { segment: resolveSegment(entry), row: row.index, added };
	}

	function addRow(transcriptionId: string, epoch = now.epoch): Row {
		const row: Row = {
			index: rows.length,
			transcriptionId,
			epoch,
			leg,
			source: null,
			translations: [],
			typed: null,
			lost: null,
			built: null,
		};
		rows.push(row);
		rowsById.set(transcriptionId, row);
		return row;
	}

	function type(typed: TypedText, nowMs: number): string {
		const { text, language, translate } = typed;
		const transcriptionId = typedTexts.add(typed);
		const row = addRow(transcriptionId);
		row.typed = { is: 'sending' };
		const kind = translate ? 'source' : 'translation';
		const place = { transcriptionId, partId: '0', startS: null, endS: null };
		put({ type: 'transcript', kind, final: false, language, text, ...place }, transcriptionId, nowMs);
		return transcriptionId;
	}

	function settleTyped(id: string, state: TypedState, heardAs: string | null): void {
		const row = rowsById.get(id);
		if (!row) return;
		row.typed = state;
		row.built = null;
		const [entry] = row.source ? [row.source] : row.translations;
		if (entry) {
			entry.message = { ...entry.message, final: state.is === 'taken' };
			entry.closed = true;
			open.delete(entry.key);
		}
		if (state.is === 'taken') typedTexts.taken(id, heardAs);
		if (state.is === 'refused') typedTexts.dropped(id);
	}

	function lose(ms: number, nowMs: number): void {
		if (ms <= 0) return;
		const startMs = Math.max(0, Math.round(nowMs - ms));
		const last = rows.at(-1);
		const row = last?.lost ? last : addRow(`${prefix}lost-${rows.length}`);
		const lengthMs = (row.lost ? row.lost.endMs - row.lost.startMs : 0) + Math.round(ms);
		const from = row.lost?.startMs ?? startMs;
		row.lost = { startMs: from, endMs: from + lengthMs };
		row.built = null;
	}

	function admit(entry: Entry): void {
		entries.set(entry.key, entry);
		if (entry.message.kind === 'source') entry.row.source = entry;
		else entry.row.translations.push(entry);
	}

	function track(entry: Entry): void {
		open.delete(entry.key);
		if (entry.message.final) return;
		open.set(entry.key, entry);
		if (open.size <= MAX_OPEN) return;
		const oldest = open.values().next().value;
		if (oldest !== undefined) open.delete(oldest.key);
	}

	/** Cuts off open texts, except typed ones: the outcome of each typed text is reported separately. */
	function cutOpen(isOver: (entry: Entry) => boolean = () => true): readonly Entry[] {
		const left = [...open.values()].filter((entry) => entry.row.typed === null && isOver(entry));
		for (const entry of left) {
			entry.cutOff = true;
			entry.row.built = null;
		}
		return left;
	}

	function rowAt(index: number): CaptionRow | undefined {
		const row = rows[index];
		if (row === undefined) return undefined;
		row.built ??= buildRow(row);
		built.delete(row);
		built.add(row);
		if (built.size > BUILT_ROWS) {
			const [first = row] = built;
			built.delete(first);
			first.built = null;
		}
		return row.built;
	}

	function sorted(wanted: (entry: Entry) => boolean): readonly Segment[] {
		return [...entries.values()]
			.filter(wanted)
			.map(resolveSegment)
			.concat(rows.flatMap((row) => (row.lost ? [lostSegment(row, row.lost)] : [])))
			.sort(compareInTime);
	}

	return {
		/**
		 * Takes a message that arrived at `nowMs` on the conversation's clock. Returns `null` when the message
		 * changes nothing: a partial text after its final one, a repeated final text, or an unchanged text.
		 * `from`: which of two streams delivered the message.
		 */
		receive,
		/** Adds a row for a text that was typed to be spoken. Returns the row's id. */
		type,
		/** Records the outcome of a typed text; `heardAs` is the service's id of the text. Ignores unknown ids. */
		settleTyped,
		/** Marks `ms` of speech up to `nowMs` as lost, in its own row or in the last one if that is a mark. */
		lose,
		/**
		 * A new stream begins, after a reconnect or with a new task: the service may reuse ids for other texts. If
		 * the stream's start is known, call this before the first message too. `streamStartMs` is the position of
		 * the stream's second 0 on the conversation's clock; if omitted, it is derived from the messages. Returns
		 * the texts that the new stream leaves cut off.
		 */
		newEpoch(_nowMs: number, streamStartMs?: number): readonly Segment[] {
			const epoch = now.epoch + (entries.size > before ? 1 : 0);
			before = entries.size;
			const left = cutOpen();
			open.clear();
			typedTexts.newEpoch();
			former = null;
			now = { epoch, stream: { startMs: streamStartMs ?? null, estimateMs: null } };
			return left.map(resolveSegment);
		},
		/** Like `newEpoch`, but the previous stream continues in parallel, with its texts open, until `endFormer`. */
		handOver(_nowMs: number): void {
			former = now;
			before = entries.size;
			now = { epoch: former.epoch + 1, stream: { startMs: null, estimateMs: null } };
		},
		/** The previous stream has ended. Returns the texts that were cut off. */
		endFormer(): readonly Segment[] {
			const ended = former;
			former = null;
			if (ended === null) return [];
			const left = cutOpen(({ row }) => row.epoch <= ended.epoch);
			for (const { key } of left) open.delete(key);
			return left.map(resolveSegment);
		},
		/** Marks open texts as cut off, as for a pause; a later message reopens its text. Returns them. */
		cutOff(): readonly Segment[] {
			// In a pause the stream's clock stops: from now on its start is only an estimate.
			const { startMs } = now.stream;
			if (startMs !== null) now.stream = { startMs: null, estimateMs: startMs };
			return cutOpen().map(resolveSegment);
		},
		/** Rows in the order in which their first message arrived; an index always refers to the same row. */
		get rowCount(): number {
			return rows.length;
		},
		/** The same object until the row changes or `BUILT_ROWS` other rows have been requested. */
		rowAt,
		/** Texts that may still change, the least recently changed first. */
		open: (): readonly Segment[] => [...open.values()].map(resolveSegment),
		/** All final texts and the marks of lost speech, in order of time. */
		finals: (): readonly Segment[] => sorted((entry) => entry.message.final),
		/** Like `finals`, plus the texts that never became final. */
		segments: (): readonly Segment[] => sorted(() => true),
		/** The conversation is over: open texts keep their last version and do not become final. Returns them. */
		closeOpen(): readonly Segment[] {
			const left = [...open.values()];
			cutOpen();
			for (const entry of left) entry.closed = true;
			open.clear();
			return left.map(resolveSegment);
		},
	};
}

/** One source text per id, even if its detected language changes (protocol 4.6). */
function keyOf(message: TranscriptMessage, transcriptionId: string): string {
	if (message.kind === 'source') return `source|${transcriptionId}|0|`;
	return `translation|${transcriptionId}|${message.partId}|${message.language}`;
}

function mayReplace(entry: Entry, next: TranscriptMessage): boolean {
	const { message, closed } = entry;
	if (message.final) return false;
	if (next.final) return true;
	return (
		!closed &&
		(message.text !== next.text || message.language !== next.language || message.endS !== next.endS)
	);
}

/**
 * Whether the service has lost the task and restarted its ids without notice: a text that differs from the final
 * text with the same id cannot belong to it if it arrives this late, unless both have the same start time.
 */
function isReused(old: Entry | undefined, next: TranscriptMessage, nowMs: number): boolean {
	if (!old?.message.final || nowMs - old.lastMs <= LATEST_MS) return false;
	const { text, startS } = old.message;
	if (next.text.trim() === '' || next.text === text) return false;
	return startS === null || next.startS === null || startS !== next.startS;
}

/** No speech is older than the press of Start; an earlier time belongs to another clock, ms. */
const BEFORE_START_MS = 5000;
/** Longest delay of a text, ms; a longer one means that the stream's clock stopped, as in a pause. */
const LATEST_MS = 20_000;

/** Speech is never heard before it is spoken, so take the earliest start that fits. Returns the stream. */
function placed(stream: Stream, message: TranscriptMessage, nowMs: number): Stream {
	if (message.endS === null || stream.startMs !== null) return stream;
	const beganMs = nowMs - message.endS * 1000;
	if (beganMs < -BEFORE_START_MS) return stream;
	if (stream.estimateMs !== null && beganMs > stream.estimateMs + LATEST_MS)
		return { startMs: null, estimateMs: beganMs };
	stream.estimateMs = Math.min(stream.estimateMs ?? beganMs, beganMs);
	return stream;
}

/** The offset of a stream's own clock on the conversation's clock, ms. */
export interface Stream {
	/** The stream's second 0, if known. */
	readonly startMs: number | null;
	/** Its second 0 as derived from messages. */
	estimateMs: number | null;
}

/** One caption as the assembler stores it: the latest message and its arrival time. */
export interface Entry {
	readonly key: string;
	readonly row: Row;
	/** The stream of its latest message. */
	stream: Stream;
	/** Arrival of the first and the latest accepted message, ms. */
	readonly firstMs: number;
	lastMs: number;
	message: TranscriptMessage;
	/** Still open when the conversation ended: only a final text may replace it. */
	closed: boolean;
	/** Nothing more is expected after a pause, a new stream or the end. A further message reopens it. */
	cutOff: boolean;
}

export interface Row {
	readonly index: number;
	readonly transcriptionId: string;
	/** Epoch of the stream in which it began. */
	readonly epoch: number;
	readonly leg: LegName;
	source: Entry | null;
	/** In order of arrival; sorted when the row is built. */
	readonly translations: Entry[];
	/** Set if the text was typed, not spoken. */
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

/** A stream clock further ahead of our clock than this is not trusted, ms. */
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

/** The service's times; without them those of the translated source; otherwise the arrival time. */
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

/**
 * By start time; at the same start the source comes first, then language, part and key; arrival never counts.
 */
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
