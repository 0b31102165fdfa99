import { expect, test } from 'vitest';
import { daysOf, NUMERIC_DAY } from './find-facts.ts';

function days(text: string, order: 'day' | 'month' | 'either' = 'day') {
	const matches = [...text.matchAll(NUMERIC_DAY)];
	return matches.flatMap((match) => daysOf(match as unknown as Record<number, string | undefined>, order));
}
const march14 = { month: 3, day: 14 };

test.each([
	['2026-03-14', [{ year: 2026, ...march14 }]],
	['2026/3/14', [{ year: 2026, ...march14 }]],
	['2026.03.14', [{ year: 2026, ...march14 }]],
	['2026-03.14', []],
	['14.3.2026', [{ year: 2026, ...march14 }]],
	['14/03/26', [{ year: 2026, ...march14 }]],
	['14-3-1999', [{ year: 1999, ...march14 }]],
	['14.3-2026', []],
	['14/3', [march14]],
	['14.3.', [march14]],
	['14.3', []],
	['14.3.5', []],
	['on 14/3, or 15/3', [march14, { month: 3, day: 15 }]],
	['14/3/202', []],
	['114/3', []],
	['1.14/3', []],
	['-14/3', []],
	['14/3.5', []],
	['0/3', []],
	['14/0', []],
	['31/12', [{ month: 12, day: 31 }]],
	['32/12', []],
	['31/13', []],
	['1/1', [{ month: 1, day: 1 }]],
])('%s, where the day stands first', (text, found) => {
	expect(days(text)).toEqual(found);
});

test('where the month stands first, or either may, it is read so; a year in front leaves no doubt', () => {
	expect(days('3/4', 'month')).toEqual([{ month: 3, day: 4 }]);
	expect(days('14/3', 'month')).toEqual([]);
	expect(days('3/4/26', 'either')).toEqual([
		{ year: 2026, month: 3, day: 4 },
		{ year: 2026, month: 4, day: 3 },
	]);
	expect(days('3/14', 'either')).toEqual([march14]);
	expect(days('2026-03-04', 'either')).toEqual([{ year: 2026, month: 3, day: 4 }]);
});
