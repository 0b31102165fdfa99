import { join } from 'node:path';
import { expect, test } from 'vitest';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { behindPicture, FIRST, partOf, withLook, withWords, wordsApart } from './window.ts';

const link = (name: string) => `\t\t<link rel="stylesheet" crossorigin href="./assets/${name}.css">\n`;
const page = (head: string, foot: string) =>
	`<html>\n\t<head>\n\t\t<title>x</title>\n${head}\t</head>\n\t<body>\n\t\t<div></div>\n${foot}\t</body>\n</html>\n`;

test('behind the picture stand all styles but its own, in their order', () => {
	expect(behindPicture(page(link('base-1') + link('first-2') + link('look-3'), ''))).toBe(
		page(link('look-3'), link('base-1') + link('first-2')),
	);
});

test('a page without a first picture stays as it is', () => {
	const overlay = page(link('base-1') + link('overlay-look'), '');
	expect(behindPicture(overlay)).toBe(overlay);
});

test('the words of each language are named, of nothing else, and not in a page without a first picture', () => {
	const bundle = {
		'assets/en-1.js': { facadeModuleId: '/x/src/shared/i18n/en.first.words' },
		'assets/en-2.js': { facadeModuleId: '/x/src/shared/i18n/en.pages.words' },
		'assets/en-3.js': { facadeModuleId: '/x/src/shared/i18n/settings-search/en.json' },
		'assets/base.js': { facadeModuleId: null },
		'assets/look-3.css': {},
	};
	const words = '\t\t<link rel="modulepreload" crossorigin data-words="en" href="./assets/en-1.js">\n';
	expect(withWords(page(link('look-3'), ''), bundle)).toBe(page(link('look-3') + words, ''));
	expect(withWords(page(link('base-1'), ''), bundle)).toBe(page(link('base-1'), ''));
});

test('the styles of the first picture stand in the page itself, all others stay links', () => {
	const bundle = {
		'assets/look-3.css': { source: ':root{--a:"$&"}\n' },
		'assets/base-1.css': { source: 'b{}' },
	};
	expect(withLook(page(link('look-3'), link('base-1')), bundle)).toContain(
		'<style>:root{--a:"$&"}</style>\n',
	);
	expect(withLook(page(link('look-3'), link('base-1')), bundle)).toContain(link('base-1'));
	expect(withLook(page(link('look-3'), ''), {})).toBe(page(link('look-3'), ''));
});

const root = join(import.meta.dirname, '..', '..');

test('both files of a language together are its catalogue', () => {
	const [first, pages] = [partOf(en, 'first'), partOf(en, 'pages')];
	for (const [section, all] of Object.entries(en))
		expect({ ...first[section], ...pages[section] }, section).toEqual(all);
	for (const [section, keys] of Object.entries(FIRST))
		expect(Object.keys(first[section] ?? {}), section).toEqual(expect.arrayContaining([...keys]));
	expect(first.settings).toHaveProperty('title');
	expect(first.settings).not.toHaveProperty('foundNone');
	expect(pages.settings).not.toHaveProperty('title');
});

test('a part is a module of its own, anything else is left to others', async () => {
	const context = { resolve: async () => ({ id: join(root, 'src/shared/i18n/de.json') }) };
	const id = await wordsApart.resolveId.call(context, '#shared/i18n/de.json?pages');
	expect(id).toMatch(/de\.pages\.words$/);
	expect(await wordsApart.resolveId.call(context, '#shared/i18n/de.json')).toBeNull();
	expect(wordsApart.load(id ?? '')?.code).toContain('JSON.parse(');
	// As a second run of the tests asks for it.
	expect(await wordsApart.resolveId.call(context, '/src/shared/i18n/de.pages.words')).toBe(id);
	expect(wordsApart.load('/x/src/shared/i18n/de.json')).toBeNull();
});
