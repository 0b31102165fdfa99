import { expect, test } from 'vitest';
import { readTimestamp } from './timestamp.ts';

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
