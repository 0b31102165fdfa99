import { expect, test } from 'vitest';
import { fromTo } from './format.ts';

test('the arrow points in the direction of reading', () => {
	expect(fromTo('English', 'Deutsch', 'en')).toBe('\u2068English\u2069 → \u2068Deutsch\u2069');
	expect(fromTo('English', 'Deutsch', 'ar')).toBe('\u2068English\u2069 ← \u2068Deutsch\u2069');
});
