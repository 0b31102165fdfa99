import { expect, test } from 'vitest';
import { placeInTime } from './titles.ts';

/** Half past ten in the morning, here. */
const at = (day: number, month = 4, year = 2026) => new Date(year, month, day, 10, 42).getTime();
/** Just after midnight and just before it: the calendar counts, not the hours. */
const early = new Date(2026, 4, 20, 0, 1).getTime();
const late = new Date(2026, 4, 20, 23, 59).getTime();
const plain = (text: string) => text.replaceAll('\u202f', ' ');

test.each([
	[at(20), 'Today, 10:42 AM'],
	[at(19), 'Yesterday, 10:42 AM'],
	[at(18), 'Monday, 10:42 AM'],
	[at(14), 'Thursday, 10:42 AM'],
	[at(13), 'May 13, 10:42 AM'],
	[at(1, 11, 2025), 'December 1, 2025, 10:42 AM'],
	// A clock that was set back.
	[at(21), 'May 21, 10:42 AM'],
])('a time is said as one speaks of it', (unixMs, words) => {
	for (const now of [early, late]) expect(plain(placeInTime(unixMs, now, 'en'))).toBe(words);
});

test('in each language as it writes it', () => {
	const said = (locale: string) =>
		[at(20), at(18), at(13)].map((unixMs) => plain(placeInTime(unixMs, late, locale)));
	expect(said('de')).toEqual(['Heute, 10:42', 'Montag, 10:42', '13. Mai, 10:42']);
	expect(said('es')).toEqual(['Hoy, 10:42', 'Lunes, 10:42', '13 de mayo, 10:42']);
	expect(said('ja')).toEqual(['今日 10:42', '月曜日 10:42', '5月13日 10:42']);
	expect(said('ar')[0]).toMatch(/^اليوم، /);
});
