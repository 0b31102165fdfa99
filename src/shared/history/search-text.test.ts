import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import { folded, pieces, wordsOf } from './search-text.ts';

const hits = (text: string, query: string) =>
	pieces(text, wordsOf(query))
		.filter(({ hit }) => hit)
		.map(({ text: found }) => found);

describe('searching', () => {
	test.each([
		['Adiós, SEÑOR.', 'adios senor', ['Adiós', 'SEÑOR']],
		['İstanbul ve Ankara', 'istanbul', ['İstanbul']],
		['Işık açık', 'ışık', ['Işık']],
		['ışık', 'IŞIK', ['ışık']],
		['مَرْحَبًا بِكَ', 'مرحبا', ['مَرْحَبًا']],
		['世界の平和を', '平和', ['平和']],
		['naïve \u202eand\u202c plain', 'NAIVE and', ['naïve', 'and']],
		['Στις Αθήνας', 'ΑΘΗΝΑΣ', ['Αθήνας']],
		['ΤΗΣ ΑΘΗΝΑΣ', 'αθήνας', ['ΑΘΗΝΑΣ']],
		['Straße', 'strasse', []],
		['नमस्ते', 'नमस', ['नमस']],
		['one two', 'three', []],
	])('in %j for %j lights %j', (text, query, found) => {
		expect(hits(text, query).map((hit) => hit.replace(/[\u202c\u202e]/g, ''))).toEqual(found);
	});

	test('marked and unmarked parts together form the text, for any text and query', () => {
		const any = fc.oneof(fc.string({ unit: 'grapheme' }), anyText);
		fc.assert(
			fc.property(any, fc.array(any, { maxLength: 4 }), (text, words) => {
				const all = pieces(text, wordsOf(words.join(' ')));
				expect(all.map((piece) => piece.text).join('')).toBe(text);
				expect(all.every((piece) => piece.text !== '')).toBe(true);
			}),
		);
	});

	test('a word that stands in the text is always lit', () => {
		// One character that folds to four words.
		expect(pieces('a ﷺ', ['الله'])).toContainEqual({ text: 'ﷺ', hit: true });
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, word) => {
				const [first] = wordsOf(word);
				fc.pre(first !== undefined && !/\s/u.test(word));
				expect(pieces(`${before}${word}`, [first ?? '']).some(({ hit }) => hit)).toBe(true);
			}),
		);
	});

	test('folding twice is folding once', () => {
		fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => folded(folded(text)) === folded(text)));
	});
});
