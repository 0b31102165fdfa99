import type { Segment } from '#shared/captions/segment.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

/** Stands at what the other side said, and at its translation. */
export const INCOMING_MARK = 'incoming';

/** Stands at what was said while the connection was away, and heard later. */
export const LATE_MARK = 'late';

/** One of the marks at a caption, which are words with spaces between them. */
export function hasMark({ mark }: Pick<HistoryCaption, 'mark'>, wanted: string): boolean {
	return mark.split(' ').includes(wanted);
}

/**
 * A kept caption for the writers of files; the conversation began at `startedAt`, Unix ms. Null: of a kind that this version
 * does not know.
 */
export function segmentOf(caption: HistoryCaption, startedAt: number): Segment | null {
	const { row, part, kind, mark: _, ...rest } = caption;
	if (kind !== 'source' && kind !== 'translation' && kind !== 'lost') return null;
	const leg = hasMark(caption, INCOMING_MARK) ? { leg: 'incoming' as const } : {};
	const late = hasMark(caption, LATE_MARK) ? { late: startedAt + caption.startMs } : {};
	return { ...rest, kind, transcriptionId: row, partId: part, ...leg, ...late };
}

/** Everything there is to export: of what is not final, only a page for a person shows it. */
export function exportedSegments(captions: readonly HistoryCaption[], startedAt: number): readonly Segment[] {
	return captions.map((caption) => segmentOf(caption, startedAt)).filter((segment) => segment !== null);
}
