import { expect, test } from 'vitest';
import { wordsOf } from './problem-words.ts';

test('a service that refuses without a time is not asked again in no time', () => {
	expect(wordsOf({ kind: 'rate-limited', retryAfterMs: 0 })).toBe('Too many requests. Try again in 1 s.');
	expect(wordsOf({ kind: 'rate-limited', retryAfterMs: 2400 })).toBe('Too many requests. Try again in 3 s.');
});
