import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanced, balanceOf, LADDER, rungOf, rungOfVolume, volumesAt } from './volumes.ts';

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

const LOWEST = 20;
const FULL = 65_536;
const dbOf = (gain: number) => 20 * Math.log10(gain);

test('the ladder goes down from 1 in steps of 1.5 dB to 30 dB below', () => {
	expect(LADDER).toHaveLength(LOWEST + 1);
	expect(LADDER[0]).toBe(1);
	for (const [rung, gain] of LADDER.entries()) expect(dbOf(gain)).toBeCloseTo(-1.5 * rung, 9);
});

test('a gain stands on the rung at or below it, never above', () => {
	for (const [rung, gain] of LADDER.entries()) {
		expect(rungOf(gain)).toBe(rung);
		// What two computations of one gain differ by is nothing.
		expect(rungOf(gain - 1e-10)).toBe(rung);
		expect(rungOf(gain - 1e-8)).toBe(Math.min(LOWEST, rung + 1));
		expect(rungOf(gain + 1e-8)).toBe(rung);
	}
	expect([rungOf(2), rungOf(0.001), rungOf(0)]).toEqual([0, LOWEST, LOWEST]);
});

test('on a rung each channel has the same share of its own volume, and the cube of it is the gain', () => {
	expect(volumesAt([FULL, 40_000], 0)).toEqual([FULL, 40_000]);
	for (const rung of [4, 12, LOWEST]) {
		const [left = 0, right = 0] = volumesAt([FULL, 40_000], rung);
		expect(60 * Math.log10(left / FULL)).toBeCloseTo(-1.5 * rung, 1);
		expect(60 * Math.log10(right / 40_000)).toBeCloseTo(-1.5 * rung, 1);
		expect([left, right].every(Number.isInteger)).toBe(true);
	}
	expect(volumesAt([FULL], LOWEST + 1)).toEqual([FULL]);
});

test('a rung is known again, also where the server rounds by as much as 24', () => {
	const full = [FULL, 40_000];
	for (let rung = 0; rung <= LOWEST; rung += 1) {
		const set = volumesAt(full, rung);
		for (const rounding of [-24, 0, 24])
			expect(
				rungOfVolume(
					full,
					set.map((one) => one + rounding),
				),
			).toBe(rung);
		for (const rounding of [-25, 25]) {
			const changed = set.map((one, channel) => (channel === 1 ? one + rounding : one));
			expect(rungOfVolume(full, changed)).toBe(-1);
		}
	}
});

test('what somebody else has set is no rung: one channel alone, or other channels', () => {
	expect(rungOfVolume([FULL, FULL], [volumesAt([FULL], 4)[0] ?? 0, FULL])).toBe(-1);
	expect(rungOfVolume([FULL], [FULL, FULL])).toBe(-1);
	expect(rungOfVolume([FULL, FULL], [FULL])).toBe(-1);
	expect(rungOfVolume([FULL], [FULL * 1.5])).toBe(-1);
});
