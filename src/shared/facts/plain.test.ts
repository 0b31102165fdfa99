import { expect, test } from 'vitest';
import { plainOf } from './plain.ts';

test.each([
	['ABC Ä É', 'abc ä é'],
	['٠١٢٣٤٥٦٧٨٩', '0123456789'],
	['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
	['０１２３４５６７８９', '0123456789'],
	// Their neighbours are no digits.
	['\u065f\u066e\u06ef\uff0f\uff1a', '\u065f\u066e\u06ef/:'],
	['％٪：．，－–‑−＋￥＄（）／', '%%:.,----+¥$()/'],
	['a　b\u202fc\u2009d', 'a b\u00a0c\u00a0d'],
	['\u200e5\u200f\u2066\u2067\u2068\u2069', ' 5     '],
	['أإآىة', 'اااiه'.replace('i', 'ي')],
	// A character that would become longer stays unchanged.
	['İ', 'İ'],
	['👍 😀', '👍 😀'],
	['', ''],
])('%j is plainly %j, each sign in its place', (text, plain) => {
	expect(plainOf(text)).toBe(plain);
	expect(plain.length).toBe(text.length);
});
