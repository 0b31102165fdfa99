import { expect, test } from 'vitest';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import { type FoundSetting, indexedSettings, loadSynonyms, searchSettings } from './settings-index.ts';

const all = indexedSettings((key) => key);
const setting = (name: FoundSetting['name'], label: string): FoundSetting => ({
	name,
	section: 'general',
	label,
});
const names = (found: readonly FoundSetting[]) => found.map(({ name }) => name);

const english = await loadSynonyms('en');

test.each(interfaceLanguages)(
	'every setting of the index has other words in %s, and none is left over',
	async (language) => {
		const synonyms = await loadSynonyms(language);
		expect(Object.keys(synonyms).sort()).toEqual(names(all).sort());
		for (const [name, text] of Object.entries(synonyms)) expect(text.trim(), name).not.toBe('');
	},
);

test('every word that was typed must be there, in the label or in what else it is looked for by', () => {
	const some = [setting('theme', 'Theme'), setting('captionSize', 'Caption size')];
	expect(names(searchSettings(some, 'dark', english))).toEqual(['theme']);
	expect(names(searchSettings(some, ' size  CAPTION ', english))).toEqual(['captionSize']);
	expect(names(searchSettings(some, 'size subtitles', english))).toEqual(['captionSize']);
	expect(names(searchSettings(some, 'size dark', english))).toEqual([]);
	expect(searchSettings(some, '  ', english)).toEqual([]);
});

test('those called by what was typed come before those only looked for by it', () => {
	const some = [setting('captionSize', 'Caption size'), setting('overlayLook', 'Font')];
	expect(names(searchSettings(some, 'font', english))).toEqual(['overlayLook', 'captionSize']);
});

test('it is looked for in the language of the interface, with or without its marks; an unknown one has English', async () => {
	const some = [setting('interfaceLanguage', 'Idioma'), setting('transport', 'Conexión')];
	const spanish = await loadSynonyms('es');
	expect(names(searchSettings(some, 'conexion', spanish))).toEqual(['transport']);
	expect(names(searchSettings(some, 'menus', spanish))).toEqual(['interfaceLanguage']);
	expect(names(searchSettings(some, 'firewall', spanish))).toEqual([]);
	expect(names(searchSettings(some, 'firewall', await loadSynonyms('pt')))).toEqual(['transport']);
});

test('until the other words are there, labels are found', () => {
	const some = [setting('theme', 'Theme'), setting('captionSize', 'Caption size')];
	expect(names(searchSettings(some, 'theme', {}))).toEqual(['theme']);
	expect(names(searchSettings(some, 'dark', {}))).toEqual([]);
});
