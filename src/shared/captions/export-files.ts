import { arranged, captionText, cuesOf } from './cues.ts';
import { writeJson } from './export-json.ts';
import { srtBlocks } from './export-srt.ts';
import { type CaptionTable, csvLines, markdownLines } from './export-table.ts';
import { vttBlocks } from './export-vtt.ts';
import type { Segment } from './segment.ts';
import { type CaptionTrack, isOfTrack, pairsOf } from './tracks.ts';

export const captionFormats = ['srt', 'vtt', 'text', 'markdown', 'csv', 'json'] as const;
export type CaptionFormat = (typeof captionFormats)[number];

/** How the names of such files end. */
export const fileEnding: { readonly [Format in CaptionFormat]: string } = {
	srt: 'srt',
	vtt: 'vtt',
	text: 'txt',
	markdown: 'md',
	csv: 'csv',
	json: 'json',
};

/** JSON holds everything; the others one track, alone or beside what was said. */
export function hasOneTrack(format: CaptionFormat): boolean {
	return format !== 'json';
}

export interface ExportWish {
	readonly format: CaptionFormat;
	readonly track: CaptionTrack;
	/** What was said beside it (above it in subtitles). Means nothing when the track is the source itself. */
	readonly aligned: boolean;
	/** Words of the file, in the language of who reads it. */
	readonly words: {
		readonly title: string;
		readonly time: string;
		readonly said: string;
		/** Over the column of the track. */
		readonly track: string;
		/** So much speech is missing here, ms. */
		readonly lost: (ms: number) => string;
	};
}

/** The file, a line or a few at a time; together they are the whole. */
export function captionFile(given: readonly Segment[], wish: ExportWish): Iterable<string> {
	const { format, track, words } = wish;
	const segments = given.map((segment) =>
		segment.kind === 'lost' ? { ...segment, text: words.lost(segment.endMs - segment.startMs) } : segment,
	);
	const both = wish.aligned && (track.kind === 'translation' || track.kind === 'language');
	const lines = both
		? pairsOf(segments, track).map(({ said, translated, ...times }) => ({
				...times,
				texts: [said, translated],
			}))
		: segments
				.filter((segment) => isOfTrack(segment, track))
				.map((segment) => ({ ...segment, texts: [captionText(segment)] }));
	const rows = lines.filter(({ texts }) => texts.some((text) => text !== ''));
	const table: CaptionTable = { columns: both ? [words.said, words.track] : [words.track], rows };
	const cues = () =>
		both
			? arranged(
					rows.map(({ texts, ...times }) => ({ ...times, text: texts.filter((it) => it !== '').join('\n') })),
				)
			: cuesOf(segments.filter((segment) => isOfTrack(segment, track)));
	switch (format) {
		case 'srt':
			return srtBlocks(cues());
		case 'vtt':
			return vttBlocks(cues());
		case 'text':
			return rows.map(({ texts }) => `${texts.join('\t')}\n`);
		case 'markdown':
			return markdownLines(table, words);
		case 'csv':
			return csvLines(table);
		case 'json':
			return [writeJson(segments)];
	}
}

/** What such a file may be called: `name` as a person wrote it, made fit for every system. */
export function exportName(name: string, { format, track, aligned }: Omit<ExportWish, 'words'>): string {
	const stem = [...name.replace(/[^\p{L}\p{N} ._-]/gu, '_').trim()].slice(0, 80).join('');
	const middle = !hasOneTrack(format) || (aligned && track.kind !== 'source') ? '' : `.${track.language}`;
	return `${stem || 'dragoman'}${middle}.${fileEnding[format]}`;
}
