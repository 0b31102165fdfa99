import { expect, test } from 'vitest';
import { OFFERED_SOURCES, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import { languageName, languageNames, matchesLanguage, searchLanguages } from './languages.ts';

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
