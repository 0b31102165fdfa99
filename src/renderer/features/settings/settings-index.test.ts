import { expect, test } from 'vitest';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import synonyms from '#shared/i18n/settings-search.json';
import { type FoundSetting, indexedSettings, searchSettings } from './settings-index.ts';

const all = indexedSettings((key) => key);
const setting = (name: FoundSetting['name'], label: string): FoundSetting => ({
	name,
	section: 'general',
	label,
});
const names = (found: readonly FoundSetting[]) => found.map(({ name }) => name);

test('every setting of the index has other words in every language of the interface, and none is left over', () => {
	expect(Object.keys(synonyms).sort()).toEqual(names(all).sort());
	for (const [name, words] of Object.entries(synonyms)) {
		expect([name, Object.keys(words).sort()]).toEqual([name, [...interfaceLanguages].sort()]);
		for (const text of Object.values(words)) expect(text.trim(), name).not.toBe('');
	}
});

test('every word that was typed must be there, in the label or in what else it is looked for by', () => {
	const some = [setting('theme', 'Theme'), setting('captionSize', 'Caption size')];
	expect(names(searchSettings(some, 'dark', 'en'))).toEqual(['theme']);
	expect(names(searchSettings(some, ' size  CAPTION ', 'en'))).toEqual(['captionSize']);
	expect(names(searchSettings(some, 'size subtitles', 'en'))).toEqual(['captionSize']);
	expect(names(searchSettings(some, 'size dark', 'en'))).toEqual([]);
	expect(searchSettings(some, '  ', 'en')).toEqual([]);
});

test('those called by what was typed come before those only looked for by it', () => {
	const some = [setting('captionSize', 'Caption size'), setting('overlayLook', 'Font')];
	expect(names(searchSettings(some, 'font', 'en'))).toEqual(['overlayLook', 'captionSize']);
});

test('it is looked for in the language of the interface, with or without its marks; an unknown one has English', () => {
	const some = [setting('interfaceLanguage', 'Idioma'), setting('transport', 'Conexión')];
	expect(names(searchSettings(some, 'conexion', 'es'))).toEqual(['transport']);
	expect(names(searchSettings(some, 'menus', 'es'))).toEqual(['interfaceLanguage']);
	expect(names(searchSettings(some, 'firewall', 'es'))).toEqual([]);
	expect(names(searchSettings(some, 'firewall', 'pt'))).toEqual(['transport']);
});
