import { type Cue, clockTime, cuesOf } from './cues.ts';
import type { Segment } from './segment.ts';

/** WebVTT text of one track: give it the segments of one kind and language. */
export function writeVtt(segments: readonly Segment[]): string {
	return [...vttBlocks(cuesOf(segments))].join('');
}

/** Block after block of the file, its head first. */
export function* vttBlocks(cues: Iterable<Cue>): Generator<string> {
	yield 'WEBVTT\n';
	for (const { startMs, endMs, text } of cues)
		yield `\n${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n${escaped(text)}\n`;
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
