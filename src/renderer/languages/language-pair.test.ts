import { expect, test } from 'vitest';
import {
	captionTargets,
	chooseHear,
	chooseSpeak,
	detectsTheirs,
	giveVoice,
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
