import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heardLanguage, LOOKED_BACK } from './heard-language.ts';
import type { CaptionRow, Segment } from './segment.ts';

interface Said {
	readonly language: string;
	readonly final: boolean;
	/** Absent: spoken. */
	readonly typed?: true;
}

function row({ language, final, typed }: Said): CaptionRow {
	const source: Segment = {
		key: language,
		transcriptionId: 't',
		partId: '0',
		kind: 'source',
		language,
		text: 'x',
		final,
		startMs: 0,
		endMs: 1,
	};
	return {
		transcriptionId: 't',
		source,
		translations: [],
		...(typed && { typed: { is: 'taken' as const } }),
	};
}

const heard = (...said: readonly Said[]) =>
	heardLanguage((index) => said[index] && row(said[index]), said.length);
const done = (language: string): Said => ({ language, final: true });
const open = (language: string): Said => ({ language, final: false });

test('nothing was heard yet, or nothing that has a language', () => {
	expect(heard()).toBeNull();
	expect(heard(done('auto'), open(''))).toBeNull();
});

test('what is being heard says it until a sentence is finished, and never against one that is', () => {
	expect(heard(open('es'), open('fr'))).toBe('fr');
	expect(heard(done('es'), open('fr'))).toBe('es');
	expect(heard(done('es'), done('fr'))).toBe('fr');
});

test('neither what was typed nor what is lost says anything', () => {
	expect(heard(done('es'), { ...done('fr'), typed: true })).toBe('es');
	const lost: CaptionRow = { transcriptionId: 'l', source: null, translations: [] };
	expect(heardLanguage((index) => [row(done('es')), lost][index], 2)).toBe('es');
});

test('the search goes back so many rows and no further, however long the conversation', () => {
	const silent = (rows: number) => Array.from({ length: rows }, () => done(''));
	expect(heard(done('es'), ...silent(LOOKED_BACK - 1))).toBe('es');
	expect(heard(done('es'), ...silent(LOOKED_BACK))).toBeNull();
});

test('it is always a language of a row, and the last finished one where there is any', () => {
	const said = fc.record({ language: fc.constantFrom('es', 'fr', 'auto', ''), final: fc.boolean() });
	fc.assert(
		fc.property(fc.array(said), (rows) => {
			const named = rows.filter(({ language }) => language !== '' && language !== 'auto');
			const last = named.findLast(({ final }) => final) ?? named.at(-1);
			expect(heard(...rows)).toBe(last?.language ?? null);
		}),
	);
});
