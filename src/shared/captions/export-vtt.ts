import { clockTime, cuesOf } from './cues.ts';
import type { Segment } from './segment.ts';

/** WebVTT text of one track: give it the segments of one kind and language. */
export function writeVtt(segments: readonly Segment[]): string {
	const cues = cuesOf(segments).map(
		({ startMs, endMs, text }) =>
			`${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n${escaped(text)}\n`,
	);
	return ['WEBVTT\n', ...cues].join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
