import { z } from 'zod/mini';
import type { Segment } from '#shared/captions/segment.ts';
import { Problem } from '#shared/problem.ts';

/** Messages between window and main about kept conversations. */

const nothing = z.undefined();
/** Longest `short` text, such as a query, in UTF-16 units. */
export const SHORT_AT_MOST = 200;
/** How long the deletion of a conversation can be undone, ms; then main erases the conversation. */
export const BRING_BACK_MS = 30_000;
const short = z.string().check(z.maxLength(SHORT_AT_MOST));
const ms = z.int().check(z.gte(0));

/** One caption as stored. No text exceeds the limit; a new kind of row does not require a new version. */
export const HistoryCaption = z.lazy(() =>
	z.object({
		/**
		 * Unique in the conversation; a caption with the same key replaces the earlier one,
		 * but a partial never replaces a final.
		 */
		key: z.string().check(z.minLength(1), z.maxLength(500)),
		/** The same for a source and its translations. */
		row: short,
		part: short,
		/** `source`, `translation`, or a mark of another kind such as lost speech or `CONTINUED`. */
		kind: short,
		language: short,
		text: z.string().check(z.maxLength(20_000)),
		/** Time since Start. */
		startMs: ms,
		endMs: ms,
		final: z.boolean(),
		/** Space-separated words: `typed` (not spoken), `incoming`; empty = nothing special. */
		mark: short,
	}),
);
export type HistoryCaption = z.infer<typeof HistoryCaption>;

/** A sound file with all or a section of a conversation. */
export const HistoryRecording = z.lazy(() =>
	z.object({
		/** Start of the recording, counted from the conversation's Start. */
		startMs: ms,
		/** Null: the file was moved or deleted. */
		lengthMs: z.nullable(ms),
		/** The file's name, without its folder. */
		name: z.string(),
		/** The address from which the window's player loads the sound. */
		address: z.string(),
	}),
);
export type HistoryRecording = z.infer<typeof HistoryRecording>;

export const HistoryRow = z.lazy(() =>
	z.object({
		id: z.string(),
		/** The user's title; empty = none. */
		title: z.string(),
		/** The mode in which the conversation began. */
		mode: z.string(),
		/** The first words of the conversation, at most 160 characters. */
		preview: z.string(),
		/** Unix ms by the clock of this computer. */
		startedAt: z.number(),
		/** Null: the conversation is running, or was cut off. */
		endedAt: z.nullable(z.number()),
		lengthMs: z.number(),
		/**
		 * Number of utterances, spoken or typed; an utterance counts once with all its pieces and translations.
		 */
		lines: z.number(),
		/** Language codes of the speech and of the translations. */
		sources: z.array(z.string()),
		targets: z.array(z.string()),
		/** `running` in this program now; `cut-off` by a crash; `undecided` until the user chooses; `kept`. */
		state: z.enum(['running', 'cut-off', 'undecided', 'kept']),
	}),
);
export type HistoryRow = z.infer<typeof HistoryRow>;

/** A conversation found by a search, and the first matching line. */
export const HistoryHit = z.lazy(() =>
	z.object({
		row: HistoryRow,
		/** Number of lines with a text that contains all search words. */
		hits: z.number(),
		/** The first matching line. */
		first: z.nullable(HistoryCaption),
	}),
);
export type HistoryHit = z.infer<typeof HistoryHit>;

export const HistoryState = z.lazy(() =>
	z.object({
		revision: z.number(),
		/** Number of ended conversations that await the user's choice. */
		undecided: z.number(),
		/** The newest conversation that was cut off. */
		offer: z.nullable(HistoryRow),
		/** Why the history cannot be written or read, or that a broken file was set aside. */
		problem: z.nullable(Problem),
	}),
);
export type HistoryState = z.infer<typeof HistoryState>;

const id = z.object({ id: z.string() });
/** Most rows or captions returned at once. */
export const PAGE_AT_MOST = 500;
/** `after` is null for the first page, otherwise `next` of the previous page. */
const page = { after: z.nullable(z.string()), limit: z.int().check(z.gte(1), z.lte(PAGE_AT_MOST)) };
const next = z.nullable(z.string());

/** `agoMs`: since Start. `id`: an ended conversation that resumes. `continues`: the one to append this to. */
const HistoryStart = z.object({
	mode: short,
	agoMs: ms,
	id: z.optional(z.string()),
	continues: z.optional(z.string()),
});
export const APPEND_AT_MOST = 200;

export const historyRequests = {
	/** For a page that is starting: marks a conversation that is still being recorded as cut off. */
	'history.state': { input: nothing, output: HistoryState },
	/** Called as soon as a conversation has something to store. */
	'history.begin': { input: HistoryStart, output: id },
	/** Answers when the captions are written: from then on a crash does not lose them. Harmless to repeat. */
	'history.append': {
		input: z.object({
			id: z.string(),
			captions: z.array(HistoryCaption).check(z.maxLength(APPEND_AT_MOST)),
		}),
		output: nothing,
	},
	/** Ends a conversation; the user's setting decides whether it is kept. Unknown ids are harmless. */
	'history.end': { input: id, output: nothing },
	'history.list': {
		input: z.object(page),
		output: z.object({ rows: z.array(HistoryRow), next }),
	},
	'history.search': {
		input: z.object({ ...page, query: short }),
		output: z.object({ hits: z.array(HistoryHit), next }),
	},
	/** A page of the conversation's captions in order of time. */
	'history.read': {
		input: z.object({ ...page, id: z.string() }),
		output: z.object({ row: HistoryRow, captions: z.array(HistoryCaption), next }),
	},
	/** In order of time. */
	'history.recordings': { input: id, output: z.array(HistoryRecording) },
	/** Asks the user where a missing recording is. `no-recording`: not a WAV; `taken`: it is another recording. */
	'history.find-recording': {
		input: z.object({ id: z.string(), address: z.string() }),
		output: z.enum(['found', 'cancelled', 'no-recording', 'taken']),
	},
	'history.rename': { input: z.object({ id: z.string(), title: short }), output: HistoryRow },
	/** Deletes a conversation; this can be undone for a while, then it is erased. */
	'history.delete': { input: id, output: nothing },
	'history.undelete': { input: id, output: HistoryRow },
	/** Erases permanently and at once: one conversation, or with null all but the running one. */
	'history.erase': { input: z.object({ id: z.nullable(z.string()) }), output: nothing },
	/** Keeps a conversation that was cut off or is undecided; returns the one that it continues. */
	'history.recover': { input: id, output: HistoryRow },
} as const;

/** A caption without text: what follows was said later and appended; the mark is its start, Unix ms. */
export const CONTINUED = 'continued';

/** A caption without text, for main only: a recording begins here; the mark is the path of its file. */
export const RECORDED = 'recorded';

/** Marks the words of the other side, and their translation. */
export const INCOMING_MARK = 'incoming';

/** Whether a caption has this mark; marks are words separated by spaces. */
export function hasMark({ mark }: Pick<HistoryCaption, 'mark'>, wanted: string): boolean {
	return mark.split(' ').includes(wanted);
}

/** A stored caption as a segment for export; null: this version does not know its kind. */
export function segmentOf(caption: HistoryCaption): Segment | null {
	const { row, part, kind, mark: _, ...rest } = caption;
	if (kind !== 'source' && kind !== 'translation' && kind !== 'lost') return null;
	const leg = hasMark(caption, INCOMING_MARK) ? { leg: 'incoming' as const } : {};
	return { ...rest, kind, transcriptionId: row, partId: part, ...leg };
}

/** All segments for export; partial texts are included only in pages for people. */
export function exportedSegments(captions: readonly HistoryCaption[]): readonly Segment[] {
	return captions.map(segmentOf).filter((segment) => segment !== null);
}
