import { expect, test } from 'vitest';
import { choices } from '#test/support/conversation-rig.ts';
import { lessOf } from './less.ts';
import { SPEAKERS_VOICE } from './voice-choice.ts';

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
