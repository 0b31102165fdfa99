import { expect, test } from 'vitest';
import { isTooQuiet } from './path-outcome.ts';

test('a tone that arrives more than 20 dB quieter was turned down on the way', () => {
	const arrives = (gainDb: number) => isTooQuiet({ passed: true, delayMs: 100, gainDb });
	expect([arrives(0), arrives(-20), arrives(-20.1)]).toEqual([false, false, true]);
});
