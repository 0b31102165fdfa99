import { expect, test } from 'vitest';
import { hashOf, isPathId, normaliseId, readTimestamp } from './values.ts';

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

test('the last day of every month is read, the day after it is none, in years that leap and in others', () => {
	for (const year of [1900, 1999, 2000, 2023, 2024, 2100, 2400]) {
		for (let month = 1; month <= 12; month += 1) {
			const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
			const day = (number: number) =>
				`${year}-${String(month).padStart(2, '0')}-${String(number).padStart(2, '0')}`;
			expect(readTimestamp(day(1))).toBe(Date.UTC(year, month - 1, 1));
			expect(readTimestamp(day(days))).toBe(Date.UTC(year, month - 1, days));
			expect(readTimestamp(day(days + 1))).toBeNull();
			expect(readTimestamp(day(0))).toBeNull();
		}
		expect(readTimestamp(`${year}-00-10`)).toBeNull();
		expect(readTimestamp(`${year}-13-10`)).toBeNull();
	}
	expect(readTimestamp('0000-01-01T00:00:00Z')).toBe(-62_167_219_200_000);
});

const NOON = Date.UTC(2024, 9, 11, 12);
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
test.each([
	['2024-10-11', NOON - 12 * HOUR],
	['2024-10-11Z', NOON - 12 * HOUR],
	['2024-10-11T12:00', NOON],
	['2024-10-11 12:00Z', NOON],
	['2024-10-11t12:00:00z', NOON],
	['2024-10-11T12:00:00 Z', NOON],
	[' 2024-10-11T12:00:00Z ', NOON],
	['2024-10-11T12:00:59Z', NOON + 59 * SECOND],
	['2024-10-11T12:00:60Z', NOON + MINUTE],
	['2024-10-11T12:00:61Z', null],
	['2024-10-11T12:59:00Z', NOON + 59 * MINUTE],
	['2024-10-11T12:60:00Z', null],
	['2024-10-11T23:00:00Z', NOON + 11 * HOUR],
	['2024-10-11T24:00:00Z', null],
	['2024-10-11T12:00:00.1Z', NOON + 100],
	['2024-10-11T12:00:00,25Z', NOON + 250],
	['2024-10-11T12:00:00.0019Z', NOON + 1],
	['2024-10-11T12:00:00.999999999999Z', NOON + 999],
	['2024-10-11T12:00:00.Z', null],
	['2024-10-11T12:00:00+02', NOON - 2 * HOUR],
	['2024-10-11T12:00:00+02:30', NOON - 2 * HOUR - 30 * MINUTE],
	['2024-10-11T12:00:00+0230', NOON - 2 * HOUR - 30 * MINUTE],
	['2024-10-11T12:00:00 -02:30', NOON + 2 * HOUR + 30 * MINUTE],
	['2024-10-11T12:00:00-11', NOON + 11 * HOUR],
	['2024-10-11T12:00:00+2', null],
	['2024-10-11T12Z', null],
	['x2024-10-11', null],
	['2024-10-11x', null],
	['24-10-11', null],
	['12024-10-11', null],
])('%s', (text, at) => {
	expect(readTimestamp(text)).toBe(at);
});

test('what is longer than 63 letters is none, spaces and all', () => {
	expect(readTimestamp('2024-10-11T12:00Z'.padEnd(63))).toBe(NOON);
	expect(readTimestamp('2024-10-11T12:00Z'.padEnd(64))).toBeNull();
});
