import { type HistoryCaption, hasMark, INCOMING_MARK } from '#shared/host/history.ts';

/** What belongs together: a thing said and its translations, as one row of the transcript. */
export interface TranscriptRow {
	readonly id: string;
	readonly startMs: number;
	readonly captions: readonly HistoryCaption[];
	/** Speech that never reached the interpreter, ms; such a row has nothing else. */
	readonly lostMs: number | null;
	readonly typed: boolean;
	/** Said while the connection was away, and sent later. */
	/** The other side said it; null where only one side was written down. */
	readonly side: 'mine' | 'theirs' | null;
}

/** Rows in the order in which they begin; the captions are given in order of time. */
export function transcriptOf(captions: readonly HistoryCaption[]): readonly TranscriptRow[] {
	const rows = new Map<string, HistoryCaption[]>();
	const isSided = new Set(captions.map(isIncoming)).size > 1;
	for (const caption of captions) {
		const row = rows.get(caption.row);
		if (row) row.push(caption);
		else rows.set(caption.row, [caption]);
	}
	return [...rows].map(([id, all]) => {
		const lost = all.find(({ kind }) => kind === 'lost');
		return {
			id,
			startMs: all[0]?.startMs ?? 0,
			captions: all,
			lostMs: lost ? lost.endMs - lost.startMs : null,
			typed: all.some(({ mark }) => mark === 'typed'),
			side: isSided ? (all.some(isIncoming) ? 'theirs' : 'mine') : null,
		};
	});
}

function isIncoming(caption: HistoryCaption): boolean {
	return hasMark(caption, INCOMING_MARK);
}

/** The texts of a row in one column: what was said, or each language it was told in, in order of appearance. */
export function column(
	{ captions }: TranscriptRow,
	kind: 'source' | 'translation',
): readonly (readonly [language: string, captions: readonly HistoryCaption[]])[] {
	const groups = new Map<string, HistoryCaption[]>();
	for (const caption of captions) {
		// A kind unknown to this version is shown in the source column.
		const side = caption.kind === 'translation' ? 'translation' : 'source';
		if (side !== kind || caption.text === '') continue;
		const group = groups.get(caption.language);
		if (group) group.push(caption);
		else groups.set(caption.language, [caption]);
	}
	return [...groups].map(([language, all]) => [language, all.sort(byPart)] as const);
}

function byPart(one: HistoryCaption, other: HistoryCaption): number {
	return Number(one.part) - Number(other.part) || one.startMs - other.startMs;
}
