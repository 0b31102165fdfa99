import { z } from 'zod/mini';
import type { Segment } from '#shared/captions/segment.ts';
import { Problem } from '#shared/problem.ts';

/** Messages between window and main about kept conversations. */

const nothing = z.undefined();
/** Longest `short` text, such as a query, in UTF-16 units. */
export const SHORT_AT_MOST = 200;
/** How long a deleted conversation can be brought back, ms; then main erases it. */
export const BRING_BACK_MS = 30_000;
const short = z.string().check(z.maxLength(SHORT_AT_MOST));
const ms = z.int().check(z.gte(0));

/** One caption as stored. No text exceeds the limit; a new kind of row needs no new version. */
export const HistoryCaption = z.lazy(() =>
	z.object({
		/**
		 * Unique in the conversation; the same key again replaces the caption, but a final is never replaced by a partial.
		 */
		key: z.string().check(z.minLength(1), z.maxLength(500)),
		/** Same on a source and its translations. */
		row: short,
		part: short,
		/** `source`, `translation`, or a mark of another kind such as lost speech or `CONTINUED`. */
		kind: short,
		language: short,
		text: z.string().check(z.maxLength(20_000)),
		/** From Start. */
		startMs: ms,
		endMs: ms,
		final: z.boolean(),
		/** Words: `typed` (not spoken), `incoming`; empty = nothing special. */
		mark: short,
	}),
);
export type HistoryCaption = z.infer<typeof HistoryCaption>;

/** The sound file of a conversation, or of a part of it. */
export const HistoryRecording = z.lazy(() =>
	z.object({
		/** When it begins, from the conversation's Start. */
		startMs: ms,
		/** Null: the file was moved or deleted. */
		lengthMs: z.nullable(ms),
		/** The file's name, without its folder. */
		name: z.string(),
		/** Where the window's player gets the sound. */
		address: z.string(),
	}),
);
export type HistoryRecording = z.infer<typeof HistoryRecording>;

export const HistoryRow = z.lazy(() =>
	z.object({
		id: z.string(),
		/** The user's title; empty = none yet. */
		title: z.string(),
		/** The mode it was begun in. */
		mode: z.string(),
		/** How it began, at most 160 characters. */
		preview: z.string(),
		/** Unix ms of this computer. */
		startedAt: z.number(),
		/** Null: it is running, or was cut off. */
		endedAt: z.nullable(z.number()),
		lengthMs: z.number(),
		/** Number of utterances, spoken or typed; one with its translations, in however many parts, counts once. */
		lines: z.number(),
		/** Language codes: spoken, and translated into. */
		sources: z.array(z.string()),
		targets: z.array(z.string()),
		/** `running` here and now; `cut-off` by a crash; `undecided` until the user chooses; `kept`. */
		state: z.enum(['running', 'cut-off', 'undecided', 'kept']),
	}),
);
export type HistoryRow = z.infer<typeof HistoryRow>;

/** A conversation found by a search, and where. */
export const HistoryHit = z.lazy(() =>
	z.object({
		row: HistoryRow,
		/** Lines with a text that contains all search words. */
		hits: z.number(),
		/** The first of them. */
		first: z.nullable(HistoryCaption),
	}),
);
export type HistoryHit = z.infer<typeof HistoryHit>;

export const HistoryState = z.lazy(() =>
	z.object({
		revision: z.number(),
		/** Conversations whose end waits for the user's choice. */
		undecided: z.number(),
		/** The newest conversation that was cut off. */
		offer: z.nullable(HistoryRow),
		/** Why it cannot be written or read, or that a broken file was set aside. */
		problem: z.nullable(Problem),
	}),
);
export type HistoryState = z.infer<typeof HistoryState>;

const id = z.object({ id: z.string() });
/** Rows or captions that are given at once. */
export const PAGE_AT_MOST = 500;
/** `after` is null for the first page, otherwise `next` of the previous page. */
const page = { after: z.nullable(z.string()), limit: z.int().check(z.gte(1), z.lte(PAGE_AT_MOST)) };
const next = z.nullable(z.string());

/**
 * `agoMs`: how long ago Start was pressed. `id`: this one has ended, and goes on. `continues`: a kept one to which this one is
 * appended once it is kept, too.
 */
const HistoryStart = z.object({
	mode: short,
	agoMs: ms,
	id: z.optional(z.string()),
	continues: z.optional(z.string()),
});
export const APPEND_AT_MOST = 200;

export const historyRequests = {
	/** For a page that starts: a conversation still being recorded is cut off. */
	'history.state': { input: nothing, output: HistoryState },
	/** A conversation has something to keep. */
	'history.begin': { input: HistoryStart, output: id },
	/** Answers when they are written: from then on a crash does not lose them. Harmless to repeat. */
	'history.append': {
		input: z.object({
			id: z.string(),
			captions: z.array(HistoryCaption).check(z.maxLength(APPEND_AT_MOST)),
		}),
		output: nothing,
	},
	/** The user's setting decides what becomes of it. Unknown ids are harmless. */
	'history.end': { input: id, output: nothing },
	'history.list': {
		input: z.object(page),
		output: z.object({ rows: z.array(HistoryRow), next }),
	},
	'history.search': {
		input: z.object({ ...page, query: short }),
		output: z.object({ hits: z.array(HistoryHit), next }),
	},
	/** A page of its captions in order of time. */
	'history.read': {
		input: z.object({ ...page, id: z.string() }),
		output: z.object({ row: HistoryRow, captions: z.array(HistoryCaption), next }),
	},
	/** In order of time. */
	'history.recordings': { input: id, output: z.array(HistoryRecording) },
	'history.rename': { input: z.object({ id: z.string(), title: short }), output: HistoryRow },
	/** Can be undone for a while; then it is erased. */
	'history.delete': { input: id, output: nothing },
	'history.undelete': { input: id, output: HistoryRow },
	/** Erases for good, at once: one conversation, or with null all but the running one. */
	'history.erase': { input: z.object({ id: z.nullable(z.string()) }), output: nothing },
	/** Keeps a conversation that was cut off or is undecided. One that continues another answers with that one. */
	'history.recover': { input: id, output: HistoryRow },
} as const;

/** A caption without text: what follows was said later, and was appended. Its mark is when that began, Unix ms. */
export const CONTINUED = 'continued';

/**
 * A caption without text, which never leaves main: a recording begins here. Its mark is the path of the file. An older
 * version shows it as an empty row.
 */
export const RECORDED = 'recorded';

/** Marks the other side's words, and their translation. */
export const INCOMING_MARK = 'incoming';

/** Whether a caption has this mark; marks are words separated by spaces. */
export function hasMark({ mark }: Pick<HistoryCaption, 'mark'>, wanted: string): boolean {
	return mark.split(' ').includes(wanted);
}

/** A kept caption as a segment for export; null: a kind unknown to this version. */
export function segmentOf(caption: HistoryCaption): Segment | null {
	const { row, part, kind, mark: _, ...rest } = caption;
	if (kind !== 'source' && kind !== 'translation' && kind !== 'lost') return null;
	const leg = hasMark(caption, INCOMING_MARK) ? { leg: 'incoming' as const } : {};
	return { ...rest, kind, transcriptionId: row, partId: part, ...leg };
}

/** All segments for export; those not final appear only in pages for a person. */
export function exportedSegments(captions: readonly HistoryCaption[]): readonly Segment[] {
	return captions.map(segmentOf).filter((segment) => segment !== null);
}
