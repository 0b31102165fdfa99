import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHttpDate, parseRetryAfter } from './http-dates.ts';

const moments = fc.date({ min: new Date('1971-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });

describe('times of the service', () => {
	test('are read as the platform would read them', () => {
		fc.assert(
			fc.property(moments, (date) => {
				expect(parseHttpDate(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000) * 1000);
			}),
		);
	});
});

describe('Retry-After', () => {
	const now = Date.parse('2026-11-21T02:00:00Z');
	test.each([
		['2', 2000],
		[' 86400 ', 86_400_000],
		['Sat, 21 Nov 2026 02:00:03 GMT', 3000],
		['Sat, 21 Nov 2026 01:00:00 GMT', 0],
		['soon', null],
		['-5', null],
		['', null],
		[null, null],
	])('%s means %s ms', (header, ms) => expect(parseRetryAfter(header, now)).toBe(ms));
});
