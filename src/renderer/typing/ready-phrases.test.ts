import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import ours from '#shared/i18n/ready-phrases.json' with { type: 'json' };
import { phraseCommands } from '#shared/keys/commands.ts';
import { OFFERED_SOURCES, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import { defaultSettings, LONGEST_PHRASE, Settings } from '#shared/settings/schema.ts';
import { phraseLanguage, readyPhrases, withPhrases } from './ready-phrases.ts';

const none = phraseCommands.map(() => '');

test('the app has a phrase for every key, in every language of the interface and in many others', () => {
	expect(Object.keys(ours)).toEqual(expect.arrayContaining([...interfaceLanguages]));
	for (const [language, phrases] of Object.entries(ours)) {
		expect([...OFFERED_SOURCES, ...OFFERED_TARGETS], language).toContain(language);
		expect(phrases.length, language).toBe(phraseCommands.length);
		expect(new Set(phrases).size, language).toBe(phrases.length);
		for (const text of phrases) {
			expect(text.trim()).not.toBe('');
			expect(text.length).toBeLessThanOrEqual(LONGEST_PHRASE);
		}
	}
});

test('a region has the phrases of its language, and a language without any has none', () => {
	expect(readyPhrases('en-gb', {})[0]).toBe('One moment, please.');
	expect(readyPhrases('de', { de: ['Moment!'] })).toEqual(['Moment!', '', '', '', '']);
	expect(['zh', 'zh-hans', 'zh-hant'].map((language) => readyPhrases(language, {})[0])).toEqual([
		...['请稍等。', '请稍等。', '請稍等。'],
	]);
	expect(withPhrases({ zh: ['等等'] }, 'zh-hant', ['稍候'])).toEqual({ zh: ['等等'], 'zh-hant': ['稍候'] });
	for (const language of ['fi', '', 'auto', '__proto__', 'constructor', 'toString'])
		expect(readyPhrases(language, {}), language).toEqual(none);
});

test('changed phrases are kept for their language alone, and the app’s own are not stored', () => {
	const text = fc.constantFrom('', ' ', 'Hello', ' Hello ', 'constructor', 'One moment, please.');
	const languages = fc.constantFrom('en', 'en-us', 'fi', 'de');
	fc.assert(
		fc.property(
			fc.array(fc.tuple(languages, fc.array(text, { minLength: 5, maxLength: 5 })), { maxLength: 6 }),
			(changes) => {
				let changed: Settings['phrases'] = {};
				const last = new Map<string, readonly string[]>();
				for (const [language, texts] of changes) {
					changed = withPhrases(changed, language, texts);
					last.set(language.slice(0, 2), texts);
				}
				for (const [language, texts] of last)
					expect(readyPhrases(language, changed)).toEqual(texts.map((one) => one.trim()));
				expect(Settings.parse({ phrases: changed }).phrases).toEqual(changed);
			},
		),
	);
	expect(withPhrases({ en: ['Mine'], fi: ['Hetki'] }, 'en', readyPhrases('en', {}))).toEqual({
		fi: ['Hetki'],
	});
	expect(withPhrases({}, 'fi', none)).toEqual({});
});

test('a settings file holds as many phrases as there are keys, each up to its length', () => {
	const isValid = (phrases: unknown) => Settings.safeParse({ phrases }).success;
	expect(isValid({ en: none })).toBe(true);
	expect(isValid({ en: [...none, ''] })).toBe(false);
	expect(isValid({ en: ['a'.repeat(LONGEST_PHRASE)] })).toBe(true);
	expect(isValid({ en: ['a'.repeat(LONGEST_PHRASE + 1)] })).toBe(false);
});

test('they are in the language one types in', () => {
	const values = { ...defaultSettings, speak: 'de', hear: ['es', 'fr'], voiceOf: 'es' };
	expect(phraseLanguage(values, '')).toBe('de');
	expect(phraseLanguage(values, 'in-fr')).toBe('fr');
	expect(phraseLanguage(values, 'from-ja')).toBe('de');
	expect(phraseLanguage({ ...values, speak: 'auto', detectable: ['it', 'de'] }, '')).toBe('it');
	expect(phraseLanguage({ ...values, mode: 'type' }, '')).toBe('es');
	expect(phraseLanguage({ ...values, mode: 'type', typedLanguage: 'cs' }, 'in-fr')).toBe('cs');
	expect(phraseLanguage({ ...values, speak: 'auto', detectable: [], hear: [], voiceOf: '' }, '')).toBe('en');
});
