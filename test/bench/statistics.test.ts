import { expect, it, test } from 'vitest';
import { createRandom } from '#test/support/random.ts';
import { exactly, median, medianOf, percentile, ratioOf, shuffled, verdict } from './statistics.ts';

test('the median is the middle one, or between the middle two', () => {
	expect(median([9, 1, 5])).toBe(5);
	expect(median([4, 1, 9, 2])).toBe(3);
});

test('an interval holds its estimate, narrows with more samples, and is the same again', () => {
	const random = createRandom(7);
	const draw = (count: number) => Array.from({ length: count }, () => 100 + 20 * random());
	const few = medianOf(draw(8));
	const many = medianOf(draw(200));
	for (const { value, low, high } of [few, many]) {
		expect(low).toBeLessThanOrEqual(value);
		expect(high).toBeGreaterThanOrEqual(value);
	}
	expect(many.high - many.low).toBeLessThan(few.high - few.low);
	const values = draw(10);
	expect(medianOf(values)).toEqual(medianOf(values));
});

test('a ratio is that of the medians, and its interval leaves 1 out when there is a difference', () => {
	const slow = [200, 210, 190, 205, 195, 202, 198, 207];
	const quick = [100, 104, 98, 101, 99, 103, 97, 102];
	const ratio = ratioOf(slow, quick);
	expect(ratio.value).toBeCloseTo(median(slow) / median(quick));
	expect(ratio.low).toBeGreaterThan(1.8);
});

test('a percentile is one of the values, that so many of them do not exceed', () => {
	const values = [50, 10, 40, 20, 30];
	expect([0, 0.2, 0.21, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([
		10, 10, 20, 30, 50, 50,
	]);
	expect(percentile([], 0.5)).toBeNaN();
});

test('another order has the same values', () => {
	const values = Array.from({ length: 50 }, (_, index) => index);
	const mixed = shuffled(values, createRandom(3));
	expect(mixed).not.toEqual(values);
	expect([...mixed].sort((one, other) => one - other)).toEqual(values);
});

const OVER = 'wide';
const seen = (low: number, value: number, high: number) => ({ low, value, high });

it('lets the median decide, and says where the interval reaches over the goal', () => {
	expect(verdict([{ seen: seen(1, 2, 3), most: 3 }])).toEqual({ reached: true });
	expect(verdict([{ seen: seen(1, 2, 4), most: 3 }])).toEqual({ reached: true, because: OVER });
	expect(verdict([{ seen: seen(1, 4, 5), most: 3 }])).toEqual({ reached: false, because: OVER });
	expect(verdict([{ seen: seen(4, 5, 6), most: 3 }])).toEqual({ reached: false });
	expect(verdict([{ seen: seen(98, 99.5, 99.9), least: 99 }])).toEqual({ reached: true, because: OVER });
	expect(verdict([{ seen: seen(97, 98, 98.9), least: 99 }])).toEqual({ reached: false });
});

it('names what stands in the way only where the goal is not reached', () => {
	expect(verdict([{ seen: exactly(2), most: 3 }], 'slow')).toEqual({ reached: true });
	expect(verdict([{ seen: exactly(4), most: 3 }], 'slow')).toEqual({ reached: false, because: 'slow' });
	expect(verdict([{ seen: seen(1, 4, 5), most: 3 }], 'slow').because).toBe(`slow; ${OVER}`);
});

it('does not doubt a no for an interval when another bound is missed whatever is drawn', () => {
	const wide = { seen: seen(1, 2, 4), most: 3 };
	expect(verdict([wide, { seen: exactly(1), most: 0 }])).toEqual({ reached: false });
	expect(verdict([wide, { seen: exactly(0), most: 0 }])).toEqual({ reached: true, because: OVER });
});

it('cannot tell what was not measured', () => {
	expect(verdict([{ seen: seen(Number.NaN, Number.NaN, Number.NaN), most: 3 }]).reached).toBeNull();
});
