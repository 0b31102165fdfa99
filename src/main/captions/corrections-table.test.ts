import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asCompared } from '#shared/captions/apply-corrections.ts';
import { type Correction, MOST_CORRECTIONS } from '#shared/captions/corrections.ts';
import { csvOf, withoutFormulas } from '#shared/lib/csv.ts';
import { readCorrections } from './corrections-table.ts';

function read(text: string): unknown {
	const found = readCorrections(text);
	return found.ok ? found.value : found.error.lines.map(({ line, reason }) => `${line} ${reason}`);
}
const ana: Correction = { language: 'en', wrong: 'Anna', right: 'Ana' };

test.each([
	['a row of titles', 'language,wrong,right\nen,Anna,Ana\n'],
	['semicolons and a byte order mark', '\uFEFFen;Anna;Ana'],
	['tabs and blanks', ' en\tAnna \tAna\t\n'],
	['blanks that do not break', 'en,\u00a0Anna,Ana\u3000\n\u00a0,\u00a0,\u00a0'],
	['a variant of the language', 'en-GB,Anna,Ana'],
	['the same words twice, of which the later holds', 'en,Anna,Anne\nen_US,Anna,Ana'],
])('with %s', (_, text) => {
	expect(read(text)).toEqual([ana]);
});

test('a word that a spreadsheet would take for a formula comes back as it was', () => {
	const words = ["=cmd|' /C calc'!A0", '+49', '-x', '@sum', "'=x", '\t=1', "it's", 'a;=b', "'quoted'"];
	for (const wrong of words) {
		const rows = [['en', withoutFormulas(wrong), withoutFormulas('=HYPERLINK("http://x")')]];
		expect(csvOf(rows)).not.toMatch(/(^|[,;\t"])[=+@-]/);
		expect(read(csvOf(rows))).toEqual([
			{ language: 'en', wrong: asCompared(wrong.trim()), right: '=HYPERLINK("http://x")' },
		]);
	}
});

test('what is wrong is named by line', () => {
	expect(read('en,Anna\nEnglish,Anna,Ana\nen,,Ana\nen,Anna,Ana,Anne\n')).toEqual([
		...['1 three-columns', '2 language', '3 empty', '4 three-columns'],
	]);
	expect(read('en,\u00a0,Ana')).toEqual(['1 empty']);
	expect(read('en,"Anna,Ana')).toEqual(['1 quotes']);
	expect(read('language,wrong,right\n')).toEqual(['0 nothing']);
	expect(read('')).toEqual(['0 nothing']);
});

test('a cell of 100 characters, and not one more', () => {
	expect(read(`en,${'x'.repeat(100)},${'y'.repeat(100)}`)).toHaveLength(1);
	expect(read(`en,x,y\nen,Anna,${'y'.repeat(101)}`)).toEqual(['2 too-long-words']);
});

test('as many as there may be, and not one more', () => {
	const rows = (count: number) =>
		Array.from({ length: count }, (_, at) => `en,word${at},Word ${at}`).join('\n');
	expect(read(rows(MOST_CORRECTIONS))).toHaveLength(MOST_CORRECTIONS);
	expect(read(rows(MOST_CORRECTIONS + 1))).toEqual(['0 too-many']);
});

test('what was written is read again, whatever stands in it', () => {
	const words = fc.oneof(
		fc.constantFrom('a,b', '"', 'two\nlines', "l'Anna", '.*', 'عمر', '=1+1', "'-"),
		fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
	);
	const given = fc.array(fc.tuple(fc.constantFrom('en', 'de', 'ar'), words, words), { minLength: 1 });
	fc.assert(
		fc.property(given, (rows) => {
			const kept = rows
				.map((cells) => cells.map((cell) => cell.normalize('NFC').replace(/\s+/gu, ' ').trim()))
				.filter((cells) => cells.every((cell) => cell !== '' && cell.length <= 100));
			// As the settings write them.
			const written = kept.map((cells) => cells.map(withoutFormulas));
			const found = readCorrections(csvOf([['language', 'wrong', 'right'], ...written]));
			const latest = new Map(kept.map(([language, wrong, right]) => [`${language} ${wrong}`, right]));
			const known = found.ok ? found.value : [];
			expect(new Map(known.map((one) => [`${one.language} ${one.wrong}`, one.right]))).toEqual(latest);
		}),
	);
});
