import { describe, expect, it } from 'vitest';
import {
	arrived,
	latenessOf,
	narrowRate,
	reportTexts,
	saidTo,
	type TextLine,
	type TextWindow,
} from './bad-line-texts.ts';
import type { TextSlot } from './forwarder.ts';

const FROM_MS = 1_000_000;

const text = (key: string, atMs: number, rest: Partial<TextSlot> = {}): TextSlot => ({
	key,
	atMs: FROM_MS + atMs,
	kind: 'finished',
	connection: 0,
	bytes: 300,
	...rest,
});
const window = (line: TextLine, said: readonly TextSlot[], came: readonly TextSlot[]): TextWindow => ({
	line,
	arm: 'ours',
	said,
	came,
	fromMs: FROM_MS,
	toMs: FROM_MS + 60_000,
});
/** A sentence a second, each so late. */
const all = (line: TextLine, arm: TextWindow['arm'], ...lateMs: readonly number[]): TextWindow => ({
	...window(
		line,
		lateMs.map((_, at) => text(`${at}`, 1000 * at)),
		lateMs.map((late, at) => text(`${at}`, 1000 * at + late)),
	),
	arm,
});

describe('how late texts are on a bad line', () => {
	it('is counted for each finished text once, also when it came twice, and is without end when it never came', () => {
		const said = [text('a', 0), text('b', 1000), text('b', 1100), text('c', 2000, { kind: 'unfinished' })];
		const came = [text('a', 500), text('a', 9000), text('c', 2000, { kind: 'unfinished' })];
		const windows = [window('20 % loss', said, came)];
		expect(latenessOf(windows, '20 % loss', 'ours')).toEqual([[0.5, Number.POSITIVE_INFINITY]]);
		expect(latenessOf(windows, '20 % loss', 'bare')).toEqual([]);
		expect(latenessOf(windows, 'clean', 'ours')).toEqual([]);
	});

	it('is told apart by the room in which it was said, and waited for until all of it came', () => {
		const said = [
			text('a', 0),
			text('b', 0, { connection: 1 }),
			text('c', 0),
			text('', 0, { kind: 'other' }),
		];
		expect(saidTo(said, [text('a', 50), text('', 0, { kind: 'other' })]).map(({ key }) => key)).toEqual([
			'a',
			'c',
			'',
		]);
		expect(arrived(said, [text('a', 1), text('b', 1)])).toBe(false);
		expect(arrived(said, [text('a', 1), text('b', 1), text('c', 1)])).toBe(true);
		expect(arrived([], [])).toBe(false);
	});

	const goals = (ours: readonly number[], bare: readonly number[], times: number) =>
		reportTexts(
			(['20 % loss', '29 % loss in bursts'] as const).flatMap((line) =>
				Array.from({ length: times }, () => [all(line, 'ours', ...ours), all(line, 'bare', ...bare)]).flat(),
			),
		).goals;
	const nine = (ms: number) => [...Array.from({ length: 9 }, () => ms), 20_000];

	it('is judged by nine of ten, and by the bare page where nothing can be promised', () => {
		const reached = (...given: Parameters<typeof goals>) => goals(...given).map((goal) => goal.reached);
		expect(reached(nine(3000), nine(4000), 3)).toEqual([true, true, null]);
		expect(reached(nine(3001), nine(4000), 3)).toEqual([false, false, null]);
		expect(reached(nine(3000), nine(4000), 2)).toEqual([null, null, null]);
	});

	it('has an interval over whole windows, because the texts of one depend on each other', () => {
		const measured = (each: readonly number[]) =>
			reportTexts(each.map((late) => all('20 % loss', 'ours', ...Array.from({ length: 10 }, () => late))))
				.goals[0]?.measured;
		expect(measured([1000, 1000, 1000])).toMatch(/^1\.0 \(1\.0…1\.0\) s/);
		expect(measured([1000, 1000, 9000])).toMatch(/^9\.0 \(1\.0…9\.0\) s/);
	});

	it('of the narrow line tells what of each kind was put on it once it had been narrow for a while', () => {
		const partial = { kind: 'unfinished', bytes: 2500 } as const;
		const said = [29_999, 30_000, 59_999, 60_000].map((at) => text(`${at}`, at, partial));
		const windows = [window('20 kbit/s', [...said, text('x', 40_000)], [])];
		expect(narrowRate(windows, 'ours', 'unfinished')).toBeCloseTo(5000 / 30);
		expect(narrowRate(windows, 'ours', 'finished')).toBe(10);
		expect(narrowRate(windows, 'bare', 'finished')).toBeNaN();
	});
});
