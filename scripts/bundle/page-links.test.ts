import { expect, test } from 'vitest';
import { behindPicture, withLook, withWords } from './page-links.ts';

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
