import { describe, expect, test } from 'vitest';
import { compareFacts } from './compare-facts.ts';
import type { Fact } from './fact.ts';

/** A fact; those of one list stand one after another. */
function facts(...parts: readonly Partial<Fact>[]): readonly Fact[] {
	return parts.map((part, at) => ({
		kind: 'number',
		strength: 'firm',
		text: String(part.numbers?.[0] ?? 'x'),
		start: at * 10,
		end: at * 10 + 1,
		numbers: [],
		...part,
	}));
}
const number = (...numbers: readonly number[]): Partial<Fact> => ({ numbers });
const weak = (value: number): Partial<Fact> => ({ numbers: [value], strength: 'weak' });
const loose = (value: number): Partial<Fact> => ({ numbers: [value], strength: 'loose' });
const money = (unit: string, value: number): Partial<Fact> => ({ kind: 'money', unit, numbers: [value] });
const time = (minutes: number, sure = true): Partial<Fact> => ({ kind: 'time', time: { minutes, sure } });
const date = (...days: NonNullable<Fact['days']>): Partial<Fact> => ({ kind: 'date', days });
const phone = (literal: string): Partial<Fact> => ({ kind: 'phone', literal });

type Side = readonly Partial<Fact>[];
/** The verdicts on each fact, for both sides. */
function verdicts(said: Side, translated: Side) {
	const both = compareFacts(facts(...said), facts(...translated));
	return [both.said, both.translated].map((judged) => judged.map(({ verdict }) => verdict).join());
}
const isSame = (said: Side, translated: Side) =>
	verdicts(said, translated).every((side) => !side.includes('differs') && !side.includes('missing'));

describe('two facts are the same', () => {
	test.each<readonly [string, Partial<Fact>, Partial<Fact>, boolean]>([
		['a number that may mean it', number(1234, 1.234), number(1.234), true],
		['another number', number(20), number(30), false],
		['a sum and a bare number, where no currency is said', money('€', 20), number(20), false],
		['one sum in two currencies', money('€', 20), money('$', 20), false],
		['one currency, another sum', money('€', 20), money('€', 21), false],
		['an address', { kind: 'email', literal: 'a@b.de' }, { kind: 'email', literal: 'a@b.de' }, true],
		['another address', { kind: 'email', literal: 'a@b.de' }, { kind: 'email', literal: 'a@b.fr' }, false],
		['a code, in one word and in two', { literal: 'lh455', numbers: [455] }, number(455), true],
		[
			'two codes of one number',
			{ literal: 'lh455', numbers: [455] },
			{ literal: 'ba455', numbers: [455] },
			false,
		],
		['a telephone number with the code of its country', phone('4930901820'), phone('30901820'), true],
		['seven digits at the end of a longer one', phone('0301234567'), phone('1234567'), true],
		['six digits at the end of a longer one', phone('030123456'), phone('123456'), false],
		[
			'a telephone number without gaps',
			phone('030901820'),
			{ numbers: [30_901_820], text: '030901820' },
			true,
		],
		['another without gaps', phone('030901820'), { numbers: [30_901_821], text: '030901821' }, false],
		['a day and less of it', date({ year: 2026, month: 3, day: 14 }), date({ month: 3 }), true],
		[
			'a day that may be it',
			date({ month: 3, day: 4 }, { month: 4, day: 3 }),
			date({ month: 4, day: 3 }),
			true,
		],
		['the day of another month', date({ month: 3, day: 14 }), date({ month: 4, day: 14 }), false],
		['another year', date({ year: 2025, month: 3 }), date({ year: 2026, month: 3 }), false],
		['a day of the week and a day of the month', date({ weekday: 1 }), date({ day: 14 }), false],
		['another day of the week', date({ weekday: 1 }), date({ weekday: 2 }), false],
		['a day and a number that is none of it', date({ month: 3, day: 14 }), number(15), false],
		['a day of the week and a number', date({ weekday: 1 }), number(1), false],
		['a time', time(870), time(870), true],
		['the same of the other half of the day, in doubt', time(870), time(150, false), true],
		['the same of the other half of the day, for sure', time(870), time(150), false],
		['another time', time(870, false), time(151, false), false],
		['half past two and 14.5', time(870), number(14.5), true],
		['half past two and 1430', time(870), number(1430), true],
		['half past two and 14.30', time(870), number(14.3), true],
		['half past two in the afternoon and 2.5', time(870), number(2.5), true],
		['half past two at night, for sure, and 14.5', time(150), number(14.5), false],
		['half past two and 14.5, in doubt', time(150, false), number(14.5), true],
		['twelve at night and twelve', time(0, false), number(12), true],
		['noon and twelve', time(720), number(12), true],
		['midnight and 24', time(0), number(24), true],
		['half past midnight, for sure, and 12.5', time(30), number(12.5), true],
		['midnight as 24:00 and 24', time(1440), number(24), true],
		['midnight as 24:00 and as 0:00', time(1440), time(0), true],
		['midnight and noon, for sure', time(1440), time(720), false],
		['midnight and 23', time(0), number(23), false],
		['noon, for sure, and 24', time(720), number(24), false],
		['two o’clock and three', time(120), number(3), false],
	])('%s', (_, one, other, same) => {
		expect(isSame([one], [other])).toBe(same);
		expect(isSame([other], [one])).toBe(same);
	});
});

describe('a fact of several numbers', () => {
	test.each<readonly [string, Partial<Fact>, Side, boolean]>([
		[
			'a date, its year and day apart',
			date({ year: 2026, month: 3, day: 14 }),
			[number(14), number(2026)],
			true,
		],
		['a date, its day alone', date({ year: 2026, month: 3, day: 14 }), [number(14)], false],
		['a month alone and a number', date({ month: 3 }), [number(3)], false],
		['a time, its hour and minutes apart', time(870), [number(14), number(30)], true],
		['a time on a clock of twelve', time(870), [number(2), number(30)], true],
		['midnight on a clock of twelve', time(0), [number(12)], true],
		['a full hour alone', time(840), [number(14)], true],
		['a time, its hour alone', time(870), [number(14)], false],
		['a sum and its cents', money('€', 19.99), [number(19), number(99)], true],
		['a bare number and its parts', number(19.99), [number(19), number(99)], true],
		['twice the same part', time(840 + 14), [number(14)], false],
		['a part that only hints', time(870), [number(14), loose(30)], false],
	])('%s', (_, one, others, same) => {
		expect(isSame([one], others)).toBe(same);
		expect(isSame(others, [one])).toBe(same);
	});
});

describe('what is in doubt', () => {
	test('is missing where nothing stands in its place, and else differs', () => {
		expect(verdicts([number(20)], [])).toEqual(['missing', '']);
		expect(verdicts([], [number(20)])).toEqual(['', 'missing']);
		expect(verdicts([number(20)], [number(30)])).toEqual(['differs', 'differs']);
		expect(verdicts([number(20), number(40)], [number(40)])).toEqual(['missing,same', 'same']);
	});

	test('is no small number in words, unless another was put for it', () => {
		expect(verdicts([weak(3)], [])).toEqual(['', '']);
		expect(verdicts([], [weak(3)])).toEqual(['', '']);
		expect(verdicts([weak(3)], [weak(4)])).toEqual(['differs', 'differs']);
		expect(verdicts([weak(3), weak(5)], [weak(4)])).toEqual(['', '']);
		expect(verdicts([weak(3)], [number(40)])).toEqual(['differs', 'differs']);
		expect(verdicts([number(40)], [weak(3)])).toEqual(['differs', 'differs']);
	});

	test('is never a word that only hints, nor what such a word may mean', () => {
		expect(verdicts([loose(12)], [])).toEqual(['', '']);
		expect(verdicts([loose(12)], [number(12)])).toEqual(['', 'same']);
		expect(verdicts([number(12)], [loose(12)])).toEqual(['same', '']);
		expect(verdicts([loose(12)], [number(13)])).toEqual(['', 'missing']);
		expect(verdicts([loose(12)], [loose(13)])).toEqual(['', '']);
	});

	test('is not what is said again, where the first of it has its like', () => {
		expect(verdicts([number(20), number(20)], [number(20)])).toEqual(['same,same', 'same']);
		expect(verdicts([number(20)], [number(20), number(20)])).toEqual(['same', 'same,same']);
		// Where something else is left as well, one may stand for the other.
		expect(verdicts([number(20), number(20)], [number(20), number(30)])).toEqual([
			'same,differs',
			'same,differs',
		]);
	});

	test('is the one that has no like, whatever the order', () => {
		expect(verdicts([number(20), number(30), number(40)], [number(40), number(20)])).toEqual([
			'same,missing,same',
			'same,same',
		]);
		// A pair of one kind goes before one that is only nearly so.
		expect(verdicts([money('€', 20), number(20)], [number(20), money('€', 20)])).toEqual([
			'same,same',
			'same,same',
		]);
		expect(verdicts([number(20), money('€', 20)], [money('€', 20)])).toEqual(['missing,same', 'same']);
	});
});
