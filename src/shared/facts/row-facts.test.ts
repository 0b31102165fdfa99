import { describe, expect, it } from 'vitest';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { doubtsOf, type RowFacts, rowFacts } from './row-facts.ts';

/** Whether anything in a row is doubtful. */
function isInDoubt(facts: RowFacts): boolean {
	return [facts.said, ...facts.translated.values()].flat().some(({ verdict }) => verdict !== 'same');
}

function segment(
	kind: Segment['kind'],
	language: string,
	text: string,
	more: Partial<Segment> = {},
): Segment {
	const ids = { key: `${kind}|1|0|${language}|${text}`, transcriptionId: '1', partId: '0' };
	return { ...ids, kind, language, text, final: true, startMs: 0, endMs: 1, ...more };
}

function row(said: string, ...translations: readonly (readonly [string, string])[]): CaptionRow {
	return {
		transcriptionId: '1',
		source: segment('source', 'en', said),
		translations: translations.map(([language, text]) => segment('translation', language, text)),
	};
}

const shown = ({ said, translated }: ReturnType<typeof rowFacts>) => [
	said.map(({ fact, verdict }) => `${fact.text} ${verdict}`),
	...[...translated.values()].map((judged) => judged.map(({ fact, verdict }) => `${fact.text} ${verdict}`)),
];

describe('the facts of a row', () => {
	it('are in doubt as soon as one translation has them not', () => {
		const facts = rowFacts(
			row(
				'It is 14 km or 20 miles',
				['de', '14 km oder 20 Meilen'],
				['es', 'Son 14 km o 30 millas'],
				['fr', '14 km ou 20 miles'],
			),
		);
		expect(shown(facts)).toEqual([
			['14 same', '20 differs'],
			['14 same', '20 same'],
			['14 same', '30 differs'],
			['14 same', '20 same'],
		]);
		expect(isInDoubt(facts)).toBe(true);
		expect(isInDoubt(rowFacts(row('It is 14 km', ['de', 'Es sind 14 km'])))).toBe(false);
	});

	it('of a translation in pieces are those of all its pieces', () => {
		expect(
			isInDoubt(rowFacts(row('It is 14 km or 20 miles', ['de', '14 km'], ['de', 'oder 20 Meilen']))),
		).toBe(false);
	});

	it('are none while anything is unfinished, without a translation, and in languages that cannot be read', () => {
		const open = row('It is 14 km', ['de', 'Es sind 40 km']);
		expect(
			shown(rowFacts({ ...open, source: segment('source', 'en', 'It is 14 km', { final: false }) })),
		).toEqual([[]]);
		expect(
			shown(rowFacts({ ...open, translations: [segment('translation', 'de', 'Es sind', { final: false })] })),
		).toEqual([[]]);
		const pieces = [
			segment('translation', 'de', 'Es sind'),
			segment('translation', 'de', '40', { final: false }),
		];
		expect(shown(rowFacts({ ...open, translations: pieces }))).toEqual([[]]);
		expect(shown(rowFacts({ ...open, source: null }))).toEqual([[]]);
		expect(shown(rowFacts(row('It is 14 km')))).toEqual([[]]);
		expect(shown(rowFacts(row('It is 14 km', ['sv', 'Det är 40 km'])))).toEqual([[]]);
		expect(shown(rowFacts(row('It is 14 km', ['en-gb', 'It is 40 km'])))).toEqual([[]]);
	});

	it('are none where one side is longer than can be read: nothing is missing from what was not looked at', () => {
		const long = `Es sind 14 km. ${'Und so weiter. '.repeat(70)}`;
		expect(shown(rowFacts(row('It is 14 km', ['de', long])))).toEqual([[]]);
		expect(shown(rowFacts(row(`It is 14 km. ${'And so on. '.repeat(100)}`, ['de', '14 km'])))).toEqual([[]]);
		expect(shown(rowFacts(row('It is 14 km', ['de', long], ['es', 'Son 14 km'])))).toEqual([
			...[['14 same'], ['14 same']],
		]);
		const said = { language: 'en', text: 'It is 14 km' };
		expect(doubtsOf(said, { language: 'de', text: long })).toEqual([[], []]);
		expect(doubtsOf({ language: 'de', text: long }, said)).toEqual([[], []]);
	});

	it('that are in doubt are told by their places, for files', () => {
		const said = { language: 'en', text: 'It is 14 km or 4 miles' };
		expect(doubtsOf(said, { language: 'de', text: '14 km oder 5 Meilen' })).toEqual([
			[{ start: 15, end: 16 }],
			[{ start: 11, end: 12 }],
		]);
		expect(doubtsOf(said, { language: 'sv', text: '40 km' })).toEqual([[], []]);
		expect(doubtsOf(said, { language: 'en-us', text: '40 km' })).toEqual([[], []]);
		expect(doubtsOf(said, { language: 'de', text: '' })).toEqual([[], []]);
		expect(doubtsOf({ language: '', text: '' }, { language: 'de', text: '14 km' })).toEqual([[], []]);
	});
});
