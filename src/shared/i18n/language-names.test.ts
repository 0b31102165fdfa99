import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OFFERED_SOURCES, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import {
	folded,
	languageLabel,
	languageName,
	languageNames,
	matchesLanguage,
	searchLanguages,
} from './language-names.ts';

test('every language offered has a name of its own and one in each interface language', () => {
	for (const code of new Set([...OFFERED_SOURCES, ...OFFERED_TARGETS])) {
		for (const locale of ['en', 'es', 'ar']) {
			const { native, local, tag } = languageName(code, locale);
			expect(
				[native, local].filter((text) => text === '' || text.toLowerCase() === tag.toLowerCase()),
				code,
			).toEqual([]);
		}
	}
});

test('no two targets look alike in the list', () => {
	const shown = languageNames(OFFERED_TARGETS, 'en').map(({ native, local }) => `${native}|${local}`);
	expect(shown.filter((text, index) => shown.indexOf(text) !== index)).toEqual([]);
});

test('names a language in itself, and in the reader’s language if that differs', () => {
	const labels = (locale: string) =>
		['de', 'en', 'ar', 'zh-hant', 'id', 'ka'].map((code) => languageLabel(code, locale));
	expect(labels('en')).toEqual([
		'Deutsch · German',
		'English',
		'\u2068العربية\u2069 · Arabic',
		'中文（繁體） · Chinese (Traditional)',
		'Bahasa Indonesia · Indonesian',
		'ქართული · Georgian',
	]);
	expect(labels('de').slice(0, 2)).toEqual(['Deutsch', 'English · Englisch']);
	expect(languageLabel('fil', 'en')).toBe('Filipino');
});

test.each(['xx', 'qaa', 'x-y-z', 'not a code', '', '__proto__', 'constructor'])(
	'an unknown language is called by its code: %s',
	(code) => {
		expect(languageName(code, 'de')).toMatchObject({ native: code, local: code, label: code });
	},
);

test('a language whose own name the platform does not know has the name the reader gives it, not the English one', () => {
	expect(languageLabel('tlh', 'de')).toBe('Klingonisch');
});

test('sorts language names by the rules of the reader’s language', () => {
	const codes = ['zh', 'cs', 'de', 'sv', 'ar'];
	const inOrder = (locale: string) => languageNames(codes, locale).map(({ code }) => code);
	expect(inOrder('en')).toEqual(['ar', 'zh', 'cs', 'de', 'sv']);
	expect(inOrder('de')).toEqual(['ar', 'zh', 'de', 'sv', 'cs']);
});

test('a language is found by its own name, by the reader’s, by the English one and by its code', () => {
	const german = languageName('de', 'es');
	for (const typed of ['deutsch', 'aleman', 'german', 'de', 'Deutsch · Alemán'])
		expect([typed, matchesLanguage(german, typed)]).toEqual([typed, true]);
	expect(matchesLanguage(german, 'allemand')).toBe(false);
});

test('accents, case and blanks do not matter when searching', () => {
	const french = languageName('fr', 'es');
	for (const typed of ['francais', 'FRANCÉS', ' frances ', 'fr', ''])
		expect(matchesLanguage(french, typed)).toBe(true);
	expect(matchesLanguage(french, 'alem')).toBe(false);
});

test('what begins with the letters typed comes before what only holds them', () => {
	const found = searchLanguages(languageNames(OFFERED_TARGETS, 'en'), 'ja').map(({ code }) => code);
	expect(found).toEqual(['ja', 'az']);
});

test('the names of regions are those of the service: es-ch is Chile', () => {
	expect(languageName('es-ch', 'en').local).toMatch(/Chile/);
	expect(languageName('es-la', 'en').local).toMatch(/Latin America/);
});

test('folded leaves no mark and no capital, in Latin letters and in any other', () => {
	expect(folded(' Français ')).toBe('francais');
	expect(folded('हिन्दी')).toBe('हनद');
	expect(folded('العَرَبية')).toBe('العربية');
	const letters = fc.string({
		unit: fc.constantFrom('a', 'É', '\u0301', '\u036f', '\u0370', 'ي', '\u064e', ' '),
	});
	fc.assert(
		fc.property(letters, (text) => {
			const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
			return folded(text) === plain;
		}),
	);
});
