import { expect, test } from 'vitest';
import { hashOf, isPathId, normaliseId } from './ids.ts';

test.each([
	['plain', 'a-1:b/c', 'a-1:b/c'],
	['as long as may be', 'x'.repeat(128), 'x'.repeat(128)],
	['of another script', 'идентификатор😀', 'идентификатор😀'],
	['a number', 17, '17'],
	['zero', 0, '0'],
	['a number without end', Number.POSITIVE_INFINITY, null],
	['no number', Number.NaN, null],
	['a large number', 12n, '12'],
	['a number of 201 digits, cut', 10n ** 200n, `1${'0'.repeat(127)}`],
	['empty', '', null],
	['only spaces', ' \t', null],
	['missing', undefined, null],
	['null', null, null],
	['true', true, null],
	['an object', {}, null],
])('an id that is %s', (_, given, id) => {
	expect(normaliseId(given)).toBe(id);
});

test.each([
	'x'.repeat(129),
	'a b',
	'a|b',
	'~a',
	'a\u0000',
	'a\u007f',
	'\ud800',
	'prototype',
	'__proto__',
	'constructor',
])('%j becomes a hash of itself', (id) => {
	expect(normaliseId(id)).toBe(`~${hashOf(id)}`);
});

test.each([
	['a', true],
	['a/b?c#d', true],
	['x'.repeat(4096), true],
	['x'.repeat(4097), false],
	['', false],
	['.', false],
	['..', false],
	['...', true],
	['.a', true],
	['a.', true],
	['\udc00', false],
])('that %j can go into a path is %s', (id, can) => {
	expect(isPathId(id)).toBe(can);
});

test('a hash is FNV-1a, and beside it one that knows the order of what it read', () => {
	expect(hashOf('')).toBe('cbf29ce4811c9dc5');
	expect(hashOf('a').slice(8)).toBe('e40c292c');
	expect(hashOf('foobar').slice(8)).toBe('bf9cf968');
	// The other half begins elsewhere and adds each place: `a` at 0, then `a` again as if it were `b`.
	const half = (...units: readonly number[]) => {
		let word = 0xcbf29ce4n;
		for (const unit of units) word = ((word ^ BigInt(unit)) * 0x01000193n) & 0xffff_ffffn;
		return word.toString(16).padStart(8, '0');
	};
	expect(hashOf('aa').slice(0, 8)).toBe(half(97, 98));
	expect(hashOf('€a').slice(0, 8)).toBe(half(0x20ac, 98));
});

test('a hash has sixteen digits, whatever it is of', () => {
	const hashes = Array.from({ length: 2000 }, (_, index) => hashOf(`text ${index}`));
	expect(hashes.filter((hash) => !/^[0-9a-f]{16}$/.test(hash))).toEqual([]);
	expect(new Set(hashes).size).toBe(2000);
	expect(hashes.some((hash) => hash.startsWith('0'))).toBe(true);
});
