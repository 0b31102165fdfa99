import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { OF_PAGES, partOf, wordsApart } from './words-apart.ts';

const root = join(import.meta.dirname, '..', '..');

test('both files of a language together are its catalogue', () => {
	const [first, pages] = [partOf(en, 'first'), partOf(en, 'pages')];
	for (const [section, all] of Object.entries(en))
		expect({ ...first[section], ...pages[section] }, section).toEqual(all);
	expect(Object.keys(pages).toSorted()).toEqual(Object.keys(OF_PAGES).toSorted());
	expect(first.settings).toHaveProperty('title');
	expect(first.settings).not.toHaveProperty('foundNone');
	expect(pages.settings).not.toHaveProperty('title');
});

test('the live page and what stands in it use no word that comes with the other pages', () => {
	const first = partOf(en, 'first');
	const own =
		/renderer\/((settings|glossaries|sessions)\/|(history|voices|diagnosis)\/(?!keep-question|.*-notices|.*voice-(picker|options)))|\.test\.tsx?$/;
	const files = globSync('src/renderer/**/*.{ts,tsx}', { cwd: root }).filter((file) => !own.test(file));
	expect(files.length).toBeGreaterThan(200);
	const used = files.flatMap((file) =>
		[...readFileSync(join(root, file), 'utf8').matchAll(/\bt\(\s*[`'"](\w+)\.([\w-]+)/g)].map(
			([, section = '', key = '']) => ({ file, section, key }),
		),
	);
	expect(used.length).toBeGreaterThan(300);
	// With `_one` and `_other` where it counts.
	const has = (section: string, key: string) =>
		Object.keys(first[section] ?? {}).some((one) => one === key || one.startsWith(`${key}_`));
	const missing = used.filter(({ section, key }) => section in en && !has(section, key));
	expect(missing).toEqual([]);
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
