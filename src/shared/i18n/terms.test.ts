import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { interfaceLanguages } from './interface-languages.ts';

/** Every text by its key, `a.b.c`. CONTRIBUTING.md wants one name for one thing. */
function textsOf(language: string): ReadonlyMap<string, string> {
	const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as object;
	const flat = (tree: object, path: string): [string, string][] =>
		Object.entries(tree).flatMap(([name, value]): [string, string][] =>
			typeof value === 'string' ? [[path + name, value]] : flat(value as object, `${path}${name}.`),
		);
	return new Map([
		...flat(read(`./${language}.json`), ''),
		...flat(read(`./shell/${language}.json`), 'shell.'),
	]);
}

const catalogues = new Map(interfaceLanguages.map((language) => [language, textsOf(language)]));

/** Words that would be a second name for something that already has one. */
const TWINS: Readonly<Record<(typeof interfaceLanguages)[number], RegExp>> = {
	en: /loudspeaker|\berase|\bsubtitles?\b|latency|\bmachine\b/i,
	de: /\baufgehoben|gespräche? aufheben|mitschrift|\blöschung|latenz|\bdu\b|\bdein(e|en|em|er|es)?\b|\bdich\b|(?<!-)\bdir\b/i,
	es: /altoparlante|parlantes|\bborr|latencia|\busted\b|sabrá\b|\binstale\b|\bordenador/i,
	fr: /enceintes?\b|effac(er|ée?s?|ez)\b|latence/i,
	ar: /النصوص المترجمة|الترجمة النصية|الترجمة المكتوبة|تُمحى|محوها/,
	ja: /消去|ラウドスピーカー|字幕表示|レイテンシ/,
};

/** "Subtitles" is the name of two kinds of files. */
const FILES = /^captions\.saveAs\./;

test.each(interfaceLanguages)('%s: no second name for a thing that has one', (language) => {
	const found = [...(catalogues.get(language) ?? [])].filter(
		([key, text]) => !FILES.test(key) && TWINS[language].test(text),
	);
	expect(found).toEqual([]);
});

test('the list of terms says what the window says, in all languages', () => {
	const terms = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');
	const [head = [], , ...rows] = (terms.split('## In the window')[1] ?? '')
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
	expect([...head].sort()).toEqual([...interfaceLanguages].sort());
	const keys = [...(catalogues.get('en') ?? new Map()).keys()];
	const unsaid = rows.filter(
		(row) =>
			!keys.some((key) =>
				head.every(
					(language, at) =>
						catalogues.get(language as (typeof interfaceLanguages)[number])?.get(key) === row[at],
				),
			),
	);
	expect(rows.length).toBeGreaterThan(30);
	expect(unsaid.map(([english]) => english)).toEqual([]);
});
