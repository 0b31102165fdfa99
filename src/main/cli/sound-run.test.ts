import { expect, test } from 'vitest';
import { remarksOf } from './sound-run.ts';

const fine = { durationMs: 4000, givenMs: 3990, lostMs: 0, texts: 2, unwritten: false };

test('of a run with nothing odd nothing is said', () => {
	expect(remarksOf(fine)).toEqual([]);
	expect(remarksOf({ ...fine, durationMs: null })).toEqual([]);
});

test('a file that is shorter than it says, with nothing in it', () => {
	expect(remarksOf({ ...fine, givenMs: 20, texts: 0, unwritten: true })).toEqual([
		'The file is cut short: of the 4.0 s its head promises there are 0.02 s.',
		'Nothing was understood. No captions were written. Check that there is speech in it, in the language of --from.',
	]);
});

test('without files none are missed; what was lost on the way is said', () => {
	const remarks = remarksOf({ ...fine, lostMs: 1500, texts: 0 });
	expect(remarks[0]).toBe('The connection was too slow: 1.5 s of sound were not sent.');
	expect(remarks[1]).toMatch(/^Nothing was understood\. Check/);
});
