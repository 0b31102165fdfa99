import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A `title` on an element, not on a component of ours. */
const NATIVE = /<[a-z][a-z0-9]*(?=\s)(?:=>|[^<>])*?\stitle=/;

test('no element of the window has a tooltip of the browser', () => {
	const files = globSync('src/renderer/**/*.tsx').filter((file) => !file.includes('.test.'));
	expect(files.length).toBeGreaterThan(100);
	expect(files.filter((file) => NATIVE.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('such a tooltip is found', () => {
	expect(NATIVE.test('<p className={a} onClick={() => go()} title="x">')).toBe(true);
	expect(NATIVE.test('<Section title="x"><p data-title="y" />')).toBe(false);
});
