import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { promises } from '#test/promises/all.ts';

test('there is a mistake for every promise of the README and of docs/security.md', () => {
	expect(promises.length).toBeGreaterThanOrEqual(60);
	const names = promises.map(({ promise }) => promise);
	expect(names).toEqual([...new Set(names)]);
});

test.each(promises)('$promise: what would break it can be put into $file', ({ file, from, to }) => {
	expect([from, readFileSync(file, 'utf8').split(from).length - 1]).toEqual([from, 1]);
	expect(to).not.toBe(from);
});
