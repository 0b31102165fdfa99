import { type Cue, clockTime } from './cues.ts';

/** Zero width, no line break: disarms markup without changing its look. */
const WORD_JOINER = '\u2060';

/**
 * A SubRip file, block by block. The format has no escapes, so an arrow or a tag in the text is broken up by an
 * invisible character.
 */
export function* srtBlocks(cues: Iterable<Cue>): Generator<string> {
	let number = 0;
	for (const { startMs, endMs, text } of cues) {
		number += 1;
		const times = `${clockTime(startMs, ',')} --> ${clockTime(endMs, ',')}`;
		yield `${number === 1 ? '' : '\n'}${number}\n${times}\n${harmless(text)}\n`;
	}
}

function harmless(text: string): string {
	return text.replaceAll('-->', `--${WORD_JOINER}>`).replace(/<(?=[a-z/!])|\{(?=\\)/gi, `$&${WORD_JOINER}`);
}
