import { captionText } from './cues.ts';
import type { Segment } from './segment.ts';

/** Plain text, one caption a line, in the order given. Write finals of one kind and language for a readable page. */
export function writeText(segments: readonly Segment[]): string {
	return segments
		.map(captionText)
		.filter((line) => line !== '')
		.map((line) => `${line}\n`)
		.join('');
}
