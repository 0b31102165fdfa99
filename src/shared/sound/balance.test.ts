import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanced, balanceOf } from './balance.ts';

test.each([
	[1, 0, 1],
	[0, 1, -1],
	[1, 1, 0],
	[0.5, 0.5, 0],
	[1, 0.25, 0.75],
	[0.2, 0.8, -0.75],
	[0.4, 0.1, 0.75],
	[0, 0, 0],
])('voice %f and original %f stand at %f', (voice, original, balance) => {
	expect(balanceOf({ voice, original })).toBeCloseTo(balance);
});

const volume = fc.double({ min: 0, max: 1, noNaN: true });

test.each([
	[-1, 0, 0.8],
	[-0.25, 0.6, 0.8],
	[0, 0.8, 0.8],
	[0.25, 0.8, 0.6],
	[1, 0.8, 0],
	[-2, 0, 0.8],
	[2, 0.8, 0],
])('at %f the quieter one gives way: %f and %f', (balance, voice, original) => {
	for (const now of [
		{ voice: 0.8, original: 0.1 },
		{ voice: 0.1, original: 0.8 },
	]) {
		const next = balanced(balance, now);
		expect(next.voice).toBeCloseTo(voice, 9);
		expect(next.original).toBeCloseTo(original, 9);
	}
});

test('from 60 dB below on it stays as loud as it is', () => {
	expect(balanced(0, { voice: 0.001, original: 0 })).toEqual({ voice: 0.001, original: 0.001 });
	expect(balanced(0, { voice: 0.000_999, original: 0 })).toEqual({ voice: 1, original: 1 });
});

test('what nobody can hear is silent', () => {
	expect(balanced(0.5, { voice: Number.MIN_VALUE, original: 0 })).toEqual({ voice: 1, original: 0.5 });
});

test('what is set is what is read, and the louder one stays as loud', () => {
	fc.assert(
		fc.property(fc.double({ min: -1, max: 1, noNaN: true }), volume, volume, (balance, voice, original) => {
			const louder = Math.max(voice, original);
			const next = balanced(balance, { voice, original });
			expect(balanceOf(next)).toBeCloseTo(balance, 5);
			expect(Math.max(next.voice, next.original)).toBeCloseTo(louder < 0.001 ? 1 : louder, 5);
			for (const one of [next.voice, next.original]) {
				expect(one).toBeGreaterThanOrEqual(0);
				expect(one).toBeLessThanOrEqual(1);
			}
		}),
	);
});
