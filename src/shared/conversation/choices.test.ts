import { expect, test } from 'vitest';
import { choices } from '#test/support/conversation-rig.ts';
import {
	fixedVoice,
	isSpeakersVoice,
	lessOf,
	SPEAKERS_VOICE,
	sessionsNeeded,
	speechOf,
	withFixedVoices,
} from './choices.ts';

const { byPitch, like } = SPEAKERS_VOICE;

test('two choices leave the voice to the service, and they are told from every id of a voice', () => {
	expect([byPitch, like]).toEqual(['speaker:high-or-low', 'speaker:like']);
	expect([byPitch, like, 'mine', 'default_high', '', undefined].map(isSpeakersVoice)).toEqual([
		...[true, true, false, false, false, false],
	]);
});

test.each([
	[undefined, { voice_id: 'default_low' }],
	['mine', { voice_id: 'mine' }],
	// An imitated voice never has an id beside it.
	[like, { voice_cloning: true }],
	[
		byPitch,
		{
			voice_id: 'default_low',
			voice_timbre_detection: {
				enabled: true,
				high_timbre_voices: ['default_high'],
				low_timbre_voices: ['default_low'],
			},
		},
	],
])('%s is asked for as the service knows it', (voice, speech) => {
	expect(speechOf(voice)).toEqual(speech);
});

test('what has no speaker to go by has the default voice instead, and any other as it is', () => {
	expect([undefined, byPitch, like, 'mine'].map(fixedVoice)).toEqual([
		...['default_low', 'default_low', 'default_low', 'mine'],
	]);
	const voices = { es: like, fr: 'mine', de: byPitch, it: 'theirs' };
	expect(withFixedVoices({ voices, hear: 'es' })).toEqual({
		voices: { fr: 'mine', it: 'theirs' },
		hear: 'es',
	});
	for (const fixed of [{ voices: {} }, { voices: { fr: 'mine' } }])
		expect(withFixedVoices(fixed)).toBe(fixed);
});

test('what a service may not know is left out one thing at a time, and then nothing more', () => {
	const asked = { ...choices, glossaries: ['g1'], voices: { es: SPEAKERS_VOICE.like, fr: 'mine' } };
	const first = lessOf(asked);
	expect(first).toEqual({ choices: { ...asked, glossaries: 'all' }, lacks: 'glossaries' });
	const second = lessOf(first?.choices ?? choices);
	expect(second).toEqual({
		choices: { ...asked, glossaries: 'all', voices: { fr: 'mine' } },
		lacks: 'speakers-voice',
	});
	expect(lessOf(second?.choices ?? asked)).toBeNull();
});

test('a conversation in both directions has a session for each', () => {
	expect([false, true].map((bothDirections) => sessionsNeeded({ bothDirections }))).toEqual([1, 2]);
});
