import type { LegName } from '#shared/leg-name.ts';
import { sameLanguage } from '#shared/protocol/languages.ts';
import { captionText } from './cues.ts';
import type { Segment } from './segment.ts';

/** The source or one translation of a conversation; `language`: all texts of both sides in one language. */
export interface CaptionTrack {
	readonly id: string;
	readonly kind: Segment['kind'] | 'language';
	readonly language: string;
}

/** Whether the segments include both sides of a conversation. */
export function isSided(segments: Iterable<Pick<Segment, 'leg'>>): boolean {
	let first: LegName | null = null;
	for (const { leg = 'outgoing' } of segments) {
		first ??= leg;
		if (leg !== first) return true;
	}
	return false;
}

/** Whether two people read each other's words: in two directions, or in one session that detects the language. */
function isTwoWay(segments: readonly Pick<Segment, 'kind' | 'language' | 'leg'>[]): boolean {
	if (isSided(segments)) return true;
	const languagesOf = (wanted: Segment['kind']) => [
		...new Set(segments.filter(({ kind }) => kind === wanted).map(({ language }) => language)),
	];
	const spoken = languagesOf('source');
	// A single speaker may be translated from one variant of a language into another.
	if (spoken.every((one) => sameLanguage(one, spoken[0] ?? ''))) return false;
	return languagesOf('translation').some((one) => spoken.some((other) => sameLanguage(one, other)));
}

/** The source and each translation; with two directions, one track for each language. */
export function captionTracks(
	segments: readonly Pick<Segment, 'kind' | 'language' | 'leg'>[],
): readonly CaptionTrack[] {
	const texts = segments.filter(({ kind }) => kind !== 'lost');
	const tracks = new Map<string, CaptionTrack>();
	if (isTwoWay(texts)) {
		for (const { language } of texts) {
			const known = [...tracks.values()].some((track) => sameLanguage(track.language, language));
			if (known) continue;
			const id = `language|${language}`;
			tracks.set(id, { id, kind: 'language', language });
		}
		return [...tracks.values()];
	}
	for (const { kind, language } of texts) {
		const id = `${kind}|${language}`;
		tracks.set(id, { id, kind, language });
	}
	return [...tracks.values()];
}

/** Whether the segment belongs to this track; marks of lost speech belong to all. */
export function isOfTrack({ kind, language }: Segment, track: CaptionTrack): boolean {
	if (kind === 'lost') return true;
	if (track.kind === 'language') return sameLanguage(language, track.language);
	return kind === track.kind && language === track.language;
}

/** Whether another column can be shown beside the track. */
export function mayAlign(track: CaptionTrack, tracks: readonly CaptionTrack[]): boolean {
	if (track.kind === 'language') return besideOf(track, tracks) !== null;
	return track.kind === 'translation' && tracks.some(({ kind }) => kind === 'source');
}

/** The other tracks of the same kind, besides `track` and its neighbour. */
export function othersOf(track: CaptionTrack, tracks: readonly CaptionTrack[]): readonly CaptionTrack[] {
	const beside = besideOf(track, tracks);
	return tracks.filter((one) => one !== track && one !== beside && one.kind === track.kind);
}

/** The language of the column beside a language track; null if that column is the source, whatever its language. */
export function besideOf(track: CaptionTrack, tracks: readonly CaptionTrack[]): CaptionTrack | null {
	return track.kind === 'language' ? (tracks.find(({ id }) => id !== track.id) ?? null) : null;
}

/** One row: a text for each column, any of which may be empty. Ready for display. */
export interface TextRow {
	readonly startMs: number;
	readonly endMs: number;
	readonly texts: readonly string[];
	/** Language of each text; empty = not known. */
	readonly languages: readonly string[];
	/** The speaker's direction; absent = mine. */
	readonly leg?: LegName | undefined;
	/** Speech that never reached the interpreter. */
	readonly lost: boolean;
}

/**
 * Everything spoken, in any language, with its translation in `track`, followed by those in `others`: one row
 * each, in order of time. Untranslated speech has a row of its own. With both sides, the first column holds the
 * texts spoken in, or translated into, the other language.
 */
export function rowsOf(
	segments: readonly Segment[],
	track: CaptionTrack,
	others: readonly CaptionTrack[],
): readonly TextRow[] {
	const beside = besideOf(track, captionTracks(segments));
	const isBeside = (segment: Segment): boolean =>
		beside ? isOfTrack(segment, beside) : segment.kind !== 'translation';
	const columns = [
		isBeside,
		...[track, ...others].map((one) => (segment: Segment) => !isBeside(segment) && isOfTrack(segment, one)),
	];
	const rows = new Map<string, Segment[]>();
	for (const segment of segments) {
		if (!columns.some((isOf) => isOf(segment))) continue;
		const row = rows.get(segment.transcriptionId);
		if (row) row.push(segment);
		else rows.set(segment.transcriptionId, [segment]);
	}
	return [...rows.values()].map((row) => rowOf(row, columns)).sort((a, b) => a.startMs - b.startMs);
}

function rowOf(row: readonly Segment[], columns: readonly ((segment: Segment) => boolean)[]): TextRow {
	const cells = columns.map((isOf) => row.filter(isOf));
	return {
		startMs: row.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
		endMs: row.reduce((most, { endMs }) => Math.max(most, endMs), 0),
		// Isolated as a whole: the pieces are one sentence.
		texts: cells.map((cell) =>
			captionText({ text: cell.map(({ text }) => text).join(' '), language: cell[0]?.language ?? '' }),
		),
		languages: cells.map(([first]) => first?.language ?? ''),
		leg: row[0]?.leg,
		lost: row.every(({ kind }) => kind === 'lost'),
	};
}
