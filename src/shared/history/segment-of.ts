import type { Segment } from '#shared/captions/segment.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

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
