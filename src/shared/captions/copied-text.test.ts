import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captionRow, lostRow } from '#test/support/fake-conversation.ts';
import { rowsFrom, rowsText, rowText, segmentsOf } from './copied-text.ts';

test('a row is what was said and each translation, a line each; from right to left isolated', () => {
	const row = captionRow(
		0,
		['en', 'Good\nmorning.'],
		[
			['ar', 'صباح الخير.'],
			['es', 'Buenos días.'],
		],
	);
	expect(rowText(row)).toBe('Good morning.\n\u2067صباح الخير.\u2069\nBuenos días.');
});

test('everything is the rows apart, with what was lost in words', () => {
	const rows = [
		captionRow(0, ['en', 'One.'], [['es', 'Uno.']]),
		lostRow(1, 4000),
		captionRow(2, ['en', ' '], []),
	];
	expect(rowsText(rows, { lost: (ms) => `(${ms} ms lost)` })).toBe('One.\nUno.\n\n(4000 ms lost)');
});

test('a row of which a language has no text has no empty line', () => {
	const row = captionRow(
		0,
		['en', ' '],
		[
			['es', 'Uno.'],
			['fr', ''],
		],
	);
	expect(rowText(row)).toBe('Uno.');
	const { source: _, ...unheard } = captionRow(0, ['en', ''], [['es', 'Uno.']]);
	expect(rowText({ ...unheard, source: null })).toBe('Uno.');
});

test('the pieces of a sentence are one line', () => {
	const row = captionRow(
		0,
		['en', 'One and two.'],
		[
			['es', 'Uno'],
			['fr', 'Un'],
			['es', 'y dos.'],
		],
	);
	expect(rowText(row)).toBe('One and two.\nUno y dos.\nUn');
});

test('rows are taken from one place to before another, those that are there', () => {
	const rows = [0, 1, 2, 3].map((at) => captionRow(at, ['en', `${at}`], []));
	const row = (at: number) => (at === 2 ? undefined : rows[at]);
	expect(rowsFrom(row, 1, 4)).toEqual([rows[1], rows[3]]);
	expect(rowsFrom(row, 3, 3)).toEqual([]);
});

test('the texts of a row are all there is of it', () => {
	const row = captionRow(0, ['en', 'One.'], [['es', 'Uno.']]);
	expect(segmentsOf(row).map(({ text }) => text)).toEqual(['One.', 'Uno.']);
	const lost = lostRow(1, 4000);
	expect(segmentsOf(lost)).toEqual([lost.lost]);
});

test('whatever is said, what is copied closes every isolate it opens and opens none of its own', () => {
	fc.assert(
		fc.property(
			fc.string({ unit: fc.constantFrom('a', 'ب', '\u2067', '\u2069', '\u202e', '\n') }),
			(text) => {
				const copied = rowText(captionRow(0, ['ar', text], [['es', text]]));
				let open = 0;
				for (const letter of copied) {
					if (letter === '\u2067') open++;
					if (letter === '\u2069') open--;
					expect(open).toBeGreaterThanOrEqual(0);
					expect(open).toBeLessThanOrEqual(1);
				}
				expect(open).toBe(0);
				expect(copied).not.toContain('\u202e');
			},
		),
	);
});
