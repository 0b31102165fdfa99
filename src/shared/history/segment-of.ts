import type { Segment } from '#shared/captions/segment.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

/** Marks the other side's words, and their translation. */
export const INCOMING_MARK = 'incoming';

/** Marks speech from while the connection was away, sent later. */
export const LATE_MARK = 'late';

/** Whether a caption has this mark; marks are words separated by spaces. */
export function hasMark({ mark }: Pick<HistoryCaption, 'mark'>, wanted: string): boolean {
	return mark.split(' ').includes(wanted);
}

/**
 * A kept caption as a segment for export; the conversation began at `startedAt`, Unix ms. Null: a kind unknown to this
 * version.
 */
export function segmentOf(caption: HistoryCaption, startedAt: number): Segment | null {
	const { row, part, kind, mark: _, ...rest } = caption;
	if (kind !== 'source' && kind !== 'translation' && kind !== 'lost') return null;
	const leg = hasMark(caption, INCOMING_MARK) ? { leg: 'incoming' as const } : {};
	const late = hasMark(caption, LATE_MARK) ? { late: startedAt + caption.startMs } : {};
	return { ...rest, kind, transcriptionId: row, partId: part, ...leg, ...late };
}

/** All segments for export; those not final appear only in pages for a person. */
export function exportedSegments(captions: readonly HistoryCaption[], startedAt: number): readonly Segment[] {
	return captions.map((caption) => segmentOf(caption, startedAt)).filter((segment) => segment !== null);
}
