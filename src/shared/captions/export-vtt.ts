import { type Cue, clockTime } from './cues.ts';
import { escapeMarkup } from './markup.ts';

/** A WebVTT file, block by block, header first. */
export function* vttBlocks(cues: Iterable<Cue>): Generator<string> {
	yield 'WEBVTT\n';
	for (const { startMs, endMs, text } of cues)
		yield `\n${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n${escapeMarkup(text)}\n`;
}
