import { expect, test } from 'vitest';
import { dayAndTime, fromTo, gapLength, seconds } from './format.ts';

test('the arrow points in the direction of reading', () => {
	expect(fromTo('English', 'Deutsch', 'en')).toBe('\u2068English\u2069 → \u2068Deutsch\u2069');
	expect(fromTo('English', 'Deutsch', 'ar')).toBe('\u2068English\u2069 ← \u2068Deutsch\u2069');
});

test('a long gap is not counted in seconds, a recording is', () => {
	const times = [4200, 119_900, 120_000, 3_600_000].map((ms) => gapLength(ms, 'en'));
	expect(times).toEqual(['4.2 sec', '119.9 sec', '2 min', '60 min']);
	expect(seconds(121_000, 'en')).toBe('121 sec');
});

test('what follows a time of day stays on its line', () => {
	const [en, ar] = ['en', 'ar'].map((locale) => dayAndTime(Date.UTC(2026, 10, 29, 15, 52), locale));
	expect(en).toMatch(/:52[\u00a0\u202f]PM$/);
	expect(ar).toMatch(/52[\u00a0\u202f]م$/);
});
