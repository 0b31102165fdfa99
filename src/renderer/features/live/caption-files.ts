import { writeJson } from '#shared/captions/export-json.ts';
import { writeSrt } from '#shared/captions/export-srt.ts';
import { writeText } from '#shared/captions/export-text.ts';
import { writeVtt } from '#shared/captions/export-vtt.ts';
import type { Segment } from '#shared/captions/segment.ts';

export const formats = ['srt', 'vtt', 'text', 'json'] as const;
export type CaptionFormat = (typeof formats)[number];

/** Every format but JSON holds one language. */
export function oneTrackOnly(format: CaptionFormat): boolean {
	return format !== 'json';
}

export interface CaptionTrack {
	readonly id: string;
	readonly kind: Segment['kind'];
	readonly language: string;
}

/** What was said and each translation, in order of appearance. */
export function captionTracks(segments: readonly Segment[]): readonly CaptionTrack[] {
	const tracks = new Map<string, CaptionTrack>();
	for (const { kind, language } of segments) {
		if (kind === 'lost') continue;
		const id = `${kind}|${language}`;
		if (!tracks.has(id)) tracks.set(id, { id, kind, language });
	}
	return [...tracks.values()];
}

/**
 * What `file.save-text` wants. `name` is the stem of the suggested file name; `lostWords` says in every
 * track that so much speech (ms) is missing there.
 */
export function captionFile(
	finals: readonly Segment[],
	format: CaptionFormat,
	track: CaptionTrack,
	name: string,
	lostWords: (ms: number) => string,
): { readonly suggestedName: string; readonly text: string } {
	const segments = finals.map((segment) =>
		segment.kind === 'lost' ? { ...segment, text: lostWords(segment.endMs - segment.startMs) } : segment,
	);
	const ofTrack = () =>
		segments.filter(
			({ kind, language }) => kind === 'lost' || (kind === track.kind && language === track.language),
		);
	switch (format) {
		case 'srt':
			return { suggestedName: `${name}.${track.language}.srt`, text: writeSrt(ofTrack()) };
		case 'vtt':
			return { suggestedName: `${name}.${track.language}.vtt`, text: writeVtt(ofTrack()) };
		case 'text':
			return { suggestedName: `${name}.${track.language}.txt`, text: writeText(ofTrack()) };
		case 'json':
			return { suggestedName: `${name}.json`, text: writeJson(segments) };
	}
}
