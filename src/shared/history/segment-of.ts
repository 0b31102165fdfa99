import type { Segment } from '#shared/captions/segment.ts';
import type { HistoryCaption } from '#shared/host/history.ts';

/** Stands at what the other side said, and at its translation. */
export const INCOMING_MARK = 'incoming';

/** A kept caption for the writers of files. Null: of a kind that this version does not know. */
export function segmentOf({ row, part, kind, mark, ...rest }: HistoryCaption): Segment | null {
	if (kind !== 'source' && kind !== 'translation' && kind !== 'lost') return null;
	const leg = mark === INCOMING_MARK ? { leg: 'incoming' as const } : {};
	return { ...rest, kind, transcriptionId: row, partId: part, ...leg };
}

/** Everything there is to export: of what is not final, only a page for a person shows it. */
export function exportedSegments(captions: readonly HistoryCaption[]): readonly Segment[] {
	return captions.map(segmentOf).filter((segment) => segment !== null);
}
