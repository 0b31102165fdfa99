import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitText } from './split-text.ts';

describe('splitting a text', () => {
	test('keeps a short text whole', () =>
		expect(splitText(' Hello. You there? ', 'en', 100)).toEqual(['Hello. You there?']));

	test('cuts between sentences', () =>
		expect(splitText('One is here. Two is here. Three is here.', 'en', 26)).toEqual([
			'One is here. Two is here.',
			'Three is here.',
		]));

	test('cuts a sentence that is too long between words', () =>
		expect(splitText('many words without any end', 'en', 12)).toEqual(['many words', 'without any', 'end']));

	test('finds sentences where they end in other signs', () =>
		expect(splitText('おはよう。元気ですか。', 'ja', 6)).toEqual(['おはよう。', '元気ですか。']));

	test('nothing is nothing', () => expect(splitText(' \n ', 'en', 10)).toEqual([]));

	test('no piece is empty, too long or half a character, and every letter is there', () => {
		const text = fc.string({ unit: 'grapheme', maxLength: 200 });
		fc.assert(
			fc.property(text, fc.integer({ min: 2, max: 40 }), (given, longest) => {
				const pieces = splitText(given, 'en', longest);
				expect(
					pieces.every((piece) => piece.length > 0 && piece.length <= longest && piece.isWellFormed()),
				).toBe(true);
				const letters = (all: string) => all.replace(/\s/gu, '');
				expect(letters(pieces.join(''))).toBe(letters(given.toWellFormed()));
			}),
		);
	});
});
