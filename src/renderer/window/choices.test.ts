import { expect, test } from 'vitest';
import { checkChoices } from '#shared/conversation/task-builder.ts';
import { OFFERED_TARGETS, swap } from '#shared/protocol/languages.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { choicesOf, planOf } from './choices.ts';

const plan = (settings: Partial<Settings>) => planOf(choicesOf({ ...defaultSettings, ...settings }));

test.each(['solo', 'captions', 'type'] as const)('%s is my direction alone', (mode) => {
	const { outgoing, incoming } = plan({ mode });
	expect([outgoing?.mode, incoming]).toEqual([mode, null]);
});

test('a meeting goes back from the language whose voice is heard to mine, with my own voices', () => {
	const voices = { 'en-us': 'mine', fr: 'theirs' };
	const { outgoing, incoming } = plan({
		mode: 'meeting',
		speak: 'en',
		hear: ['es', 'fr'],
		voiceOf: 'fr',
		voices,
	});
	expect(outgoing).toMatchObject({ speak: 'en', hear: ['es', 'fr'], voiceOf: 'fr', voices });
	expect(incoming).toMatchObject({ mode: 'meeting', speak: 'fr', hear: ['en-us'], voiceOf: 'en-us', voices });
});

test('every language that can be turned round makes a meeting that can start', () => {
	for (const target of OFFERED_TARGETS) {
		const turned = swap('en', target);
		const { incoming } = plan({ mode: 'meeting', speak: 'en', hear: [target], voiceOf: target });
		if (!incoming || target.startsWith('en')) continue;
		expect([target, checkChoices(incoming) === null]).toEqual([target, turned !== null]);
	}
});

test('what cannot be turned round says so before anything starts', () => {
	const { incoming } = plan({ mode: 'meeting', speak: 'auto' });
	expect(incoming && checkChoices(incoming)).toEqual({ kind: 'language-missing' });
});
