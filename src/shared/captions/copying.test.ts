import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captionRow, lostRow } from '#test/support/fake-conversation.ts';
import { rowsText, rowText } from './copying.ts';

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
	expect(rowsText(rows, (ms) => `(${ms} ms lost)`)).toBe('One.\nUno.\n\n(4000 ms lost)');
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
