import { expect, test } from 'vitest';
import { behindPicture } from './first-styles.ts';

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
