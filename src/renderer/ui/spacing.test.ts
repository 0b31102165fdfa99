import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SPACING = /^\s*((?:row-|column-)?gap|(?:padding|margin)[a-z-]*): ([^;]*);/gm;
/** Smaller distances are hairlines: the width of a border, or a correction for the eye. */
const HAIRLINE_PX = 3;

/** Distances that are no multiple of 4 px, as `property: value`. */
function offGrid(css: string): readonly string[] {
	return [...css.matchAll(SPACING)].flatMap(([, property, value = '']) => {
		const sizes = [...value.matchAll(/([\d.]+)px/g)].map(([, px]) => Number(px));
		return sizes.every((px) => px <= HAIRLINE_PX || px % 4 === 0) ? [] : [`${property}: ${value}`];
	});
}

test('distances are multiples of 4 px', () => {
	const found = globSync('src/renderer/**/*.css').flatMap((path) =>
		offGrid(readFileSync(path, 'utf8')).map((one) => `${path}: ${one}`),
	);
	expect(found).toEqual([]);
	expect(offGrid('a {\n\tpadding: 4px 6px;\n\tgap: 2px;\n}')).toEqual(['padding: 4px 6px']);
});
