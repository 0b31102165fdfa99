import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BARE_ROOT, withFirstPicture } from './first-picture.ts';

const picture = { language: 'ar', theme: 'dark', motion: 'reduced', page: 'welcome' } as const;

test('the page begins with the language, direction, theme and motion it will keep', () => {
	expect(withFirstPicture(`<!doctype html>\n${BARE_ROOT}\n<body>`, picture)).toBe(
		'<!doctype html>\n<html lang="ar" dir="rtl" data-theme="dark" data-motion="reduced" data-first="welcome">\n<body>',
	);
	expect(withFirstPicture(BARE_ROOT, { ...picture, language: 'de', page: 'live' })).toBe(
		'<html lang="de" dir="ltr" data-theme="dark" data-motion="reduced" data-first="live">',
	);
});

test('of the words that the build names, those of the language are fetched with the page', () => {
	const link = (of: string) =>
		`\t\t<link rel="modulepreload" data-words="${of}" href="./assets/${of}-1.js">\n`;
	const page = (links: string) => `<head>\n${links}\t</head>`;
	const all = page(link('en') + link('ar') + link('ja'));
	expect(withFirstPicture(all, picture)).toBe(page(link('ar')));
	expect(withFirstPicture(page('\t\t<link rel="stylesheet" href="x">\n'), picture)).toContain('stylesheet');
});

test('the window’s page is one that can be dressed, and that of the captions over other windows stays as it is', () => {
	const read = (path: string) => readFileSync(`src/renderer/${path}`, 'utf8');
	expect(read('index.html').split(BARE_ROOT)).toHaveLength(2);
	expect(withFirstPicture(read('overlay/index.html'), picture)).toBe(read('overlay/index.html'));
});
