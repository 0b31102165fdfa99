import { expect, test } from 'vitest';
import { valuesOf } from '#shared/conversation/presets.ts';
import { buildTask, checkChoices } from '#shared/conversation/task-builder.ts';
import { OFFERED_TARGETS, swap } from '#shared/protocol/languages.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { choicesOf, planOf, wantedLegs } from './choices.ts';

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

const face = { mode: 'face', speak: 'en', hear: ['pt-br', 'fr'], voiceOf: 'pt-br' } as const;

test('face to face, holding: one direction each, between two languages and no more', () => {
	const { outgoing, incoming } = plan({ ...face, hear: ['pt-br', 'fr'] });
	expect(outgoing).toMatchObject({ speak: 'en', hear: ['pt-br'], voiceOf: 'pt-br' });
	expect(incoming).toMatchObject({ speak: 'pt', hear: ['en-us'], voiceOf: 'en-us' });
	expect(outgoing?.bothWays ?? incoming?.bothWays).toBeUndefined();
});

test.each([
	['automatic', { faceTalk: 'automatic' }],
	['with one session', { faceOneSession: true }],
] as const)(
	'face to face, %s: one that tells the two languages apart, and translates each into the other',
	(_, how) => {
		const settings: Settings = { ...defaultSettings, ...face, hear: ['pt-br', 'fr'], ...how };
		expect(wantedLegs(settings)).toEqual(['outgoing']);
		const { outgoing } = planOf(choicesOf(settings));
		expect(outgoing).toMatchObject({
			speak: 'auto',
			detectable: ['en', 'pt'],
			hear: ['pt-br', 'en-us'],
			bothWays: true,
		});
		expect(outgoing && checkChoices(outgoing)).toBeNull();
	},
);

test('two people of one language need no interpreter, and that is said before anything starts', () => {
	for (const faceTalk of ['hold', 'automatic'] as const) {
		const { outgoing } = plan({ ...face, faceTalk, hear: ['en-gb'], voiceOf: 'en-gb' });
		expect(outgoing && checkChoices(outgoing)).toMatchObject({ kind: 'languages-same' });
		const detected = plan({ ...face, faceTalk, speak: 'auto', hear: ['es'], voiceOf: 'es' });
		const problems = Object.values(detected).map((one) => one && checkChoices(one)?.kind);
		expect(problems).toContain('language-missing');
	}
});

test('to listen is the other direction alone, from their language or among several', () => {
	const pair = { mode: 'listen', speak: 'en', hear: ['es-mx'], voiceOf: 'es-mx' } as const;
	const known = plan({ ...pair, hear: ['es-mx'] });
	expect(known).toMatchObject({
		outgoing: null,
		incoming: { speak: 'es', hear: ['en-us'], voiceOf: 'en-us' },
	});
	const found = plan({ ...pair, hear: ['es-mx'], listenDetect: true, detectable: ['es', 'fr'] });
	expect(found.incoming).toMatchObject({ speak: 'auto', detectable: ['es', 'fr'], hear: ['en-us'] });
});

test('a meeting finds out what they speak, and what they hear stays what is chosen', () => {
	const { outgoing, incoming } = plan({
		mode: 'meeting',
		speak: 'en',
		hear: ['es-mx'],
		voiceOf: 'es-mx',
		listenDetect: true,
		detectable: ['es', 'fr'],
	});
	expect(outgoing).toMatchObject({ speak: 'en', hear: ['es-mx'], voiceOf: 'es-mx' });
	expect(incoming).toMatchObject({ speak: 'auto', detectable: ['es', 'fr'], hear: ['en-us'] });
	expect([outgoing, incoming].map((one) => one && checkChoices(one))).toEqual([null, null]);
	const none = plan({ mode: 'meeting', listenDetect: true, detectable: [] });
	expect(none.incoming && checkChoices(none.incoming)).toEqual({ kind: 'language-missing' });
});

test('the local interpreter ends sentences sooner and translates during speech, unless the settings differ', () => {
	const valuesOn = (settings: Partial<Settings>) => {
		const { outgoing } = plan({ speak: 'en', hear: ['pt'], ...settings });
		return outgoing && valuesOf(outgoing);
	};
	expect(valuesOn({ service: 'service' })).toMatchObject({
		silenceThresholdS: 0.7,
		translatePartials: false,
	});
	expect(valuesOn({ service: 'local' })).toMatchObject({ silenceThresholdS: 0.5, translatePartials: true });
	expect(valuesOn({ service: 'local', preset: 'accurate' })).toMatchObject({ silenceThresholdS: 0.9 });
	const expert = { ...defaultSettings.expert, silenceThresholdS: 1.2, translatePartials: false };
	expect(valuesOn({ service: 'local', expert })).toMatchObject({
		silenceThresholdS: 1.2,
		translatePartials: false,
	});
});

test('corrections go to the interpreter on this computer, and to no service', () => {
	const corrections = Array.from({ length: 501 }, (_, at) => ({
		language: 'en',
		wrong: `wrong ${at}`,
		right: `right ${at}`,
	}));
	const sentTo = (service: Settings['service']) => {
		const { outgoing } = plan({ speak: 'en', hear: ['pt'], service, corrections });
		return outgoing && buildTask(outgoing, 'websocket').pipeline.transcription.corrections;
	};
	expect(sentTo('service')).toBeUndefined();
	expect(sentTo('local')).toEqual(corrections.slice(1));
});
