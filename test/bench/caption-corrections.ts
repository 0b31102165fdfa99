import type { Correction } from '#shared/captions/correction.ts';
import { createCorrect } from '#shared/captions/corrections.ts';
import { SENTENCE } from './talker.ts';

/** The best of these counts. */
const ROUNDS = 40;
const TEXTS = 500;

/** Microseconds to correct one caption with `count` corrections, of which one is in the text. */
export function correctUs(count: number): number {
	const [first = ''] = SENTENCE.split(' ');
	// Every second one begins with a word of the text.
	const others = Array.from(
		{ length: Math.max(0, count - 1) },
		(_, at): Correction => ({
			...{ language: 'en', right: `Word ${at}` },
			wrong: at % 2 === 0 ? `word${at}` : `${first} word${at}`,
		}),
	);
	const correct = createCorrect(
		count === 0 ? [] : [...others, { language: 'en', wrong: first, right: 'Right' }],
	);
	const one = (): number => {
		const start = performance.now();
		for (let at = 0; at < TEXTS; at++) correct(`${SENTENCE} ${at}`, 'en');
		return ((performance.now() - start) * 1000) / TEXTS;
	};
	return Math.min(...Array.from({ length: ROUNDS }, one));
}
