import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import {
	captionTargets,
	chooseHear,
	chooseSpeak,
	detectsTheirs,
	giveVoice,
	heardLanguage,
	LOOKED_BACK,
	type Pair,
	setCaptionTargets,
	swapped,
} from './language-pair.ts';

const pair: Pair & Parameters<typeof swapped>[0] = {
	mode: 'solo',
	listenDetect: false,
	translateCaptions: true,
	speak: 'en',
	hear: ['es', 'fr'],
	voiceOf: 'es',
	detectable: ['en'],
	recentSpeak: ['de'],
	recentHear: [],
};

test('choosing a language to hear keeps the others as captions and remembers it', () => {
	expect(chooseHear(pair, 'ja')).toEqual({ hear: ['ja', 'fr'], voiceOf: 'ja', recentHear: ['ja'] });
	expect(chooseHear(pair, 'fr')).toEqual({ hear: ['fr'], voiceOf: 'fr', recentHear: ['fr'] });
});

test('a captions-only language can take the voice without losing the other', () => {
	expect(giveVoice(pair, 'fr')).toEqual({ hear: ['fr', 'es'], voiceOf: 'fr' });
});

test('ticking languages keeps their order and never drops the voice', () => {
	expect(setCaptionTargets(pair, ['ja', 'fr'])).toEqual({ hear: ['es', 'fr', 'ja'], voiceOf: 'es' });
	expect(setCaptionTargets(pair, [])).toEqual({ hear: ['es'], voiceOf: 'es' });
});

test('swapping turns the voice language round and gives English its region', () => {
	expect(swapped(pair)).toEqual({ speak: 'es', hear: ['en-us', 'fr'], voiceOf: 'en-us' });
});

test('swapping drops a caption language that is now the spoken one', () => {
	expect(swapped({ ...pair, hear: ['es', 'es-mx'] })).toEqual({
		speak: 'es',
		hear: ['en-us'],
		voiceOf: 'en-us',
	});
});

test('a detected language cannot be swapped', () => {
	expect(swapped({ ...pair, speak: 'auto' })).toBeNull();
	expect(swapped({ ...pair, mode: 'listen', listenDetect: true })).toBeNull();
	expect(swapped({ ...pair, mode: 'solo', listenDetect: true })).not.toBeNull();
});

test('what the others speak is detected where they are listened to, and a meeting can be swapped all the same', () => {
	const modes = (['solo', 'meeting', 'listen', 'face', 'captions', 'type'] as const).filter((mode) =>
		detectsTheirs({ mode, listenDetect: true }),
	);
	expect(modes).toEqual(['meeting', 'listen']);
	expect(detectsTheirs({ mode: 'meeting', listenDetect: false })).toBe(false);
	expect(swapped({ ...pair, mode: 'meeting', listenDetect: true })).toMatchObject({ speak: 'es' });
});

test('captions in the spoken language alone have nothing to swap', () => {
	expect(swapped({ ...pair, mode: 'captions', translateCaptions: false })).toBeNull();
	expect(swapped({ ...pair, mode: 'captions' })).not.toBeNull();
	expect(swapped({ ...pair, translateCaptions: false })).not.toBeNull();
});

test('recent languages are newest first, without doubles, at most five, and never "detect"', () => {
	const many = { ...pair, recentSpeak: ['de', 'fr', 'it', 'ja', 'ko'] };
	expect(chooseSpeak(many, 'ja').recentSpeak).toEqual(['ja', 'de', 'fr', 'it', 'ko']);
	expect(chooseSpeak(many, 'ar').recentSpeak).toEqual(['ar', 'de', 'fr', 'it', 'ja']);
	expect(chooseSpeak(many, 'auto').recentSpeak).toEqual(many.recentSpeak);
});

test('a voice that is none of the targets falls to the first', () => {
	expect(captionTargets({ hear: ['es', 'fr'], voiceOf: 'de' })).toEqual(['fr']);
});

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
