import type { LegName } from '#shared/leg-name.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { CaptionRow, Segment } from './segment.ts';
import { createTypedTexts, type TypedState, type TypedText } from './typed-texts.ts';

/** More open texts than any conversation has at once; beyond that the oldest is set aside. */
const MAX_OPEN = 256;

/** The change that one message made. */
export interface CaptionChange {
	readonly segment: Segment;
	/** Index of its row. */
	readonly row: number;
	/** The row is new. */
	readonly added: boolean;
}

/**
 * Turns transcription messages into captions (protocol 4.6): a text replaces the one before it, a
 * final never changes, and the order in which messages come makes no difference to the transcript.
 * The cost of a message does not depend on how many there were.
 */
export interface Assembler {
	/**
	 * Takes a message that came at `nowMs` on the conversation's clock. `null` when it changes nothing:
	 * a partial after its final, a final for the second time, the same text again. `from`: which of two streams it came by.
	 */
	receive(message: TranscriptMessage, nowMs: number, from?: 'now' | 'former'): CaptionChange | null;
	/** A text was typed to be spoken: a row of its own. Returns its id. */
	type(typed: TypedText, nowMs: number): string;
	/** Its outcome; `heardAs` is the id that the service gave it. Ignores unknown ids. */
	settleTyped(id: string, state: TypedState, heardAs: string | null): void;
	/**
	 * `ms` of speech up to `nowMs` will never reach the interpreter: a row of its own, the same row as long as nothing
	 * else was heard meanwhile.
	 */
	lose(ms: number, nowMs: number): void;
	/**
	 * A new stream begins at `nowMs`, after a reconnect or with a new task: ids may repeat with another meaning. Call it
	 * before the first message too, if the stream's start is known. `streamStartMs` is where the stream's second 0 lies on
	 * the conversation's clock; without it, that is derived from the messages. Returns the texts that it leaves cut off.
	 */
	newEpoch(nowMs: number, streamStartMs?: number): readonly Segment[];
	/** Like `newEpoch`, but the previous stream continues beside it, its texts open, until `endFormer`. */
	handOver(nowMs: number): void;
	/** Nothing more comes from the previous stream. Returns the texts that it leaves cut off. */
	endFormer(): readonly Segment[];
	/**
	 * Nothing more is expected for now (a pause): open texts are cut off unless another word comes after all. Returns
	 * them.
	 */
	cutOff(): readonly Segment[];
	/** Rows in the order in which their first message came; an index always means the same row. */
	readonly rowCount: number;
	/** The same object as long as nothing in the row has changed, and fewer than `BUILT_ROWS` others were asked for since. */
	rowAt(index: number): CaptionRow | undefined;
	/** Texts that may still change, the least recently changed first. */
	open(): readonly Segment[];
	/** All finals in the order of their times, and the marks of lost speech among them. */
	finals(): readonly Segment[];
	/** Like `finals`, plus the texts that never became final. */
	segments(): readonly Segment[];
	/** The conversation is over: open texts stay as they are, not final. Returns them. */
	closeOpen(): readonly Segment[];
}

/** The stream a message belongs to: the scope of its ids, and its clock. */
interface Place {
	readonly epoch: number;
	stream: Stream;
}

/** How many rows stay built, more than any view shows at once: all of them would hold every text a third time. */
export const BUILT_ROWS = 500;

/** State of a text under way. */
const asSaid = { closed: false, cutOff: false };

/** `leg`: ids of the incoming one begin with its name, so that two legs make one transcript. */
export function createAssembler(leg: LegName = 'outgoing'): Assembler {
	const prefix = leg === 'incoming' ? 'incoming-' : '';
	const entries = new Map<string, Entry>();
	const rows: Row[] = [];
	const rowsById = new Map<string, Row>();
	/** Cached rows, the least recently used one first. */
	const built = new Set<Row>();
	const typedTexts = createTypedTexts(prefix);
	/** In the order of their last change: re-inserting moves to the end. */
	const open = new Map<string, Entry>();
	/** Number of entries at the beginning of the epoch: an epoch in which nothing was said is continued. */
	let before = 0;
	let now: Place = { epoch: 0, stream: { startMs: null, estimateMs: null } };
	/** The previous stream, as long as both are heard. */
	let former: Place | null = null;

	function receive(
		message: TranscriptMessage,
		nowMs: number,
		from: 'now' | 'former' = 'now',
	): CaptionChange | null {
		const place = from === 'former' ? former : now;
		// A late word of a stream that has ended.
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

	/** `transcriptionId` is the row's; the only time of a typed text is when it was typed. */
	function put(
		message: TranscriptMessage,
		transcriptionId: string,
		nowMs: number,
		place: Place = now,
	): CaptionChange | null {
		const key = keyOf(message, transcriptionId);
		const old = entries.get(key);
		// An empty text does not erase the words before it (protocol 5.2), but may end them.
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

	/** Typed texts are left out: the outcome of each is reported separately. */
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
		receive,
		type,
		settleTyped,
		lose,
		newEpoch(_nowMs, streamStartMs) {
			const epoch = now.epoch + (entries.size > before ? 1 : 0);
			before = entries.size;
			const left = cutOpen();
			open.clear();
			typedTexts.newEpoch();
			former = null;
			now = { epoch, stream: { startMs: streamStartMs ?? null, estimateMs: null } };
			return left.map(resolveSegment);
		},
		handOver() {
			former = now;
			before = entries.size;
			now = { epoch: former.epoch + 1, stream: { startMs: null, estimateMs: null } };
		},
		endFormer() {
			const ended = former;
			former = null;
			if (ended === null) return [];
			const left = cutOpen(({ row }) => row.epoch <= ended.epoch);
			for (const { key } of left) open.delete(key);
			return left.map(resolveSegment);
		},
		cutOff() {
			// In a pause the stream's clock stands still: from here on its start is only an estimate.
			const { startMs } = now.stream;
			if (startMs !== null) now.stream = { startMs: null, estimateMs: startMs };
			return cutOpen().map(resolveSegment);
		},
		get rowCount() {
			return rows.length;
		},
		rowAt,
		open: () => [...open.values()].map(resolveSegment),
		finals: () => sorted((entry) => entry.message.final),
		segments: () => sorted(() => true),
		closeOpen() {
			const left = [...open.values()];
			cutOpen();
			for (const entry of left) entry.closed = true;
			open.clear();
			return left.map(resolveSegment);
		},
	};
}

/** There is one source text per id, whatever language is detected so far (protocol 4.6). */
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
 * The service has forgotten the task and counts its ids from the start without a word: a text that differs from the
 * final with its id cannot belong to that final if it comes this late, or if both state their time, at another time.
 */
function isReused(old: Entry | undefined, next: TranscriptMessage, nowMs: number): boolean {
	if (!old?.message.final || nowMs - old.lastMs <= LATEST_MS) return false;
	const { text, startS } = old.message;
	if (next.text.trim() === '' || next.text === text) return false;
	return startS === null || next.startS === null || startS !== next.startS;
}

/** No speech is older than the press of Start; an earlier time is from another clock, ms. */
const BEFORE_START_MS = 5000;
/** No text is later than this; if one seems so, the stream's clock stood still, as in a pause, ms. */
const LATEST_MS = 20_000;

/**
 * Speech is never heard before it is spoken: the stream's start is the earliest that fits the messages. Returns the
 * stream the message belongs to, a new one if its clock has stood still.
 */
function placed(stream: Stream, message: TranscriptMessage, nowMs: number): Stream {
	if (message.endS === null || stream.startMs !== null) return stream;
	const beganMs = nowMs - message.endS * 1000;
	if (beganMs < -BEFORE_START_MS) return stream;
	if (stream.estimateMs !== null && beganMs > stream.estimateMs + LATEST_MS)
		return { startMs: null, estimateMs: beganMs };
	stream.estimateMs = Math.min(stream.estimateMs ?? beganMs, beganMs);
	return stream;
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
