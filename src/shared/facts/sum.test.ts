import { describe, expect, test } from 'vitest';
import { type Atom, Sum } from './sum.ts';

const and = (value: number): Atom => ({ value, and: true });
const times = (scale: number): Atom => ({ scale });

/** The number that the parts form, up to the first that does not belong to it; null for each that is not one. */
function read(parts: readonly (number | Atom)[], start: readonly number[] | null = null) {
	const sum = new Sum(start);
	const isDigits = start !== null;
	const wrong = parts.findIndex(
		(part, at) => !sum.add(typeof part === 'number' ? { value: part } : part, isDigits && at === 0),
	);
	return wrong < 0 ? sum.values() : `no ${wrong}`;
}

describe('a number in words', () => {
	test.each<readonly [string, readonly (number | Atom)[], number]>([
		['five', [5], 5],
		['zero', [0], 0],
		['twenty five', [20, 5], 25],
		['vingt et un', [20, and(1)], 21],
		['treinta y cinco', [30, and(5)], 35],
		['soixante dix', [60, 10], 70],
		['soixante et onze', [60, and(11)], 71],
		['quatre-vingts dix-neuf', [80, 19], 99],
		['three ten, in Arabic', [3, 10], 13],
		['five and twenty, in one word', [{ value: 5 }, { value: 20, and: true, joined: true }], 25],
		['five hundred', [5, times(100)], 500],
		['hundred', [times(100)], 100],
		['nineteen hundred', [19, times(100)], 1900],
		['two hundred and five', [2, times(100), and(5)], 205],
		['two hundred and twenty-five', [2, times(100), and(20), 5], 225],
		['three hundred, in two words of value', [3, 100], 300],
		['nine hundred so', [9, 100], 900],
		['five hundred of one word and three', [500, 3], 503],
		['two thousand of one word and five hundred', [2000, 500], 2500],
		['two thousand five, of one word', [2000, 5], 2005],
		['thousand', [times(1000)], 1000],
		['two thousand', [2, times(1000)], 2000],
		['two thousand and five', [2, times(1000), and(5)], 2005],
		[
			'two hundred and five thousand three hundred',
			[2, times(100), and(5), times(1000), 3, times(100)],
			205_300,
		],
		['two million three thousand four', [2, times(1e6), 3, times(1e3), 4], 2_003_004],
		['dos mil millones', [2, times(1000), times(1e6)], 2e9],
		['two thousand five million', [2, times(1000), 5, times(1e6)], 2_005_000_000],
		['million and a half thousand', [times(1e6), times(1e9)], 1e15],
	])('%s', (_, parts, number) => {
		expect(read(parts)).toEqual([number]);
	});

	test.each<readonly [string, readonly (number | Atom)[], number]>([
		['ten and five', [10, and(5)], 1],
		['five and six', [5, and(6)], 1],
		['twenty-one and five', [21, and(5)], 1],
		['twenty and twenty', [20, and(20)], 1],
		['five and twenty, in two words', [5, and(20)], 1],
		['and twenty behind ten, in one word', [10, { value: 20, and: true, joined: true }], 1],
		['and a hundred behind five, in one word', [5, { value: 100, and: true, joined: true }], 1],
		['and nineteen behind five, in one word', [5, { value: 19, and: true, joined: true }], 1],
		['five six', [5, 6], 1],
		['five zero', [5, 0], 1],
		['twenty zero', [20, 0], 1],
		['twenty five six', [20, 5, 6], 2],
		['nineteen five', [19, 5], 1],
		['ten five', [10, 5], 1],
		['fifty ten', [50, 10], 1],
		['sixty eleven hundreds', [60, 11, 100], 2],
		['seventy ten', [70, 10], 1],
		['three eleven', [3, 11], 1],
		['ten ten', [10, 10], 1],
		['five twenty', [5, 20], 1],
		['ten hundred, of one word', [10, 100], 1],
		['five five hundred', [5, 500], 1],
		['twenty hundred', [20, times(100)], 1],
		['two thousand thousand', [2, times(1000), times(1000)], 2],
		['million thousand', [times(1e6), times(1000)], 1],
		['hundred hundred', [times(100), times(100)], 1],
	])('%s is more than one', (_, parts, wrong) => {
		expect(read(parts)).toBe(`no ${wrong}`);
	});

	test('may begin with "and"', () => {
		expect(read([and(5)])).toEqual([5]);
		expect(read([{ value: 20, and: true, joined: true }])).toEqual([20]);
	});
});

describe('a number in digits and words', () => {
	test('is multiplied, in each way it may be read', () => {
		expect(read([times(1000)], [1.5])).toEqual([1500]);
		expect(read([times(100)], [3])).toEqual([300]);
		expect(read([times(1e6)], [1234, 1.234])).toEqual([1_234_000_000, 1_234_000]);
		expect(read([], [1234, 1.234])).toEqual([1234, 1.234]);
		expect(read([times(1000)], [0.1 + 0.2])).toEqual([300]);
	});

	test('takes nothing else', () => {
		expect(read([5], [20])).toBe('no 0');
		expect(read([and(5)], [20])).toBe('no 0');
	});
});

test('what a half is of, is what came last: a scale, or half of the Arabic two thousand', () => {
	const last = (...parts: readonly Atom[]) => {
		const sum = new Sum();
		for (const part of parts) sum.add(part, false);
		return sum.lastScale();
	};
	expect(last()).toBe(1);
	expect(last({ value: 5 })).toBe(1);
	expect(last({ value: 999 })).toBe(1);
	expect(last({ value: 1000 })).toBe(500);
	expect(last({ value: 2000 })).toBe(1000);
	expect(last({ value: 2 }, times(1e6))).toBe(1e6);
});

test('a copy goes on by itself', () => {
	const sum = new Sum();
	sum.add({ value: 20 }, false);
	const copy = sum.copy();
	copy.add({ value: 5 }, false);
	expect([sum.values(), copy.values()]).toEqual([[20], [25]]);
});
