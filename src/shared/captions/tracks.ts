import { captionText } from './cues.ts';
import type { Segment } from './segment.ts';

/** The source or one translation of a conversation. */
export interface CaptionTrack {
	readonly id: string;
	readonly kind: Segment['kind'];
	readonly language: string;
}

/** What was said and each translation, in order of appearance. */
export function captionTracks(
	segments: Iterable<Pick<Segment, 'kind' | 'language'>>,
): readonly CaptionTrack[] {
	const tracks = new Map<string, CaptionTrack>();
	for (const { kind, language } of segments) {
		if (kind === 'lost') continue;
		const id = `${kind}|${language}`;
		if (!tracks.has(id)) tracks.set(id, { id, kind, language });
	}
	return [...tracks.values()];
}

/** Of this track, or a mark that speech was lost, which belongs to all. */
export function isOfTrack({ kind, language }: Segment, track: CaptionTrack): boolean {
	return kind === 'lost' || (kind === track.kind && language === track.language);
}

/** What was said at one time, beside its translation; either may be empty. Texts are ready to be shown. */
export interface Pair {
	readonly startMs: number;
	readonly endMs: number;
	readonly said: string;
	readonly translated: string;
}

/**
 * Everything said, in whatever language it was heard, with its translation of `track`: what belongs together
 * stands together, in order of time. What was said and not translated yet stands alone.
 */
export function pairsOf(segments: readonly Segment[], track: CaptionTrack): readonly Pair[] {
	const rows = new Map<string, Segment[]>();
	for (const segment of segments) {
		if (segment.kind !== 'source' && !isOfTrack(segment, track)) continue;
		const row = rows.get(segment.transcriptionId);
		if (row) row.push(segment);
		else rows.set(segment.transcriptionId, [segment]);
	}
	return [...rows.values()].map(pairOf).sort((a, b) => a.startMs - b.startMs);
}

function pairOf(row: readonly Segment[]): Pair {
	const textOf = (wanted: (segment: Segment) => boolean) =>
		row
			.filter(wanted)
			.map(captionText)
			.filter((text) => text !== '')
			.join(' ');
	return {
		startMs: row.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
		endMs: row.reduce((most, { endMs }) => Math.max(most, endMs), 0),
		said: textOf(({ kind }) => kind !== 'translation'),
		translated: textOf(({ kind }) => kind === 'translation'),
	};
}
