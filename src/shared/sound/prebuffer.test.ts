import { expect, test } from 'vitest';
import { createPrebuffer } from './prebuffer.ts';

/** One piece each 500 ms, so much later than it should be. */
function after(...lateMs: readonly number[]) {
	const prebuffer = createPrebuffer();
	for (const [index, late] of lateMs.entries()) prebuffer.arrived(late, index * 500);
	// What comes next ends the last interval.
	prebuffer.arrived(0, lateMs.length * 500);
	return prebuffer.targetMs;
}
const times = (count: number, lateMs: number) => new Array<number>(count).fill(lateMs);

test('nothing is waited for before anything was late', () => {
	expect(createPrebuffer().targetMs).toBe(0);
	expect(after(...times(100, 0))).toBe(0);
	expect(after(...times(100, -300))).toBe(0);
});

test.each([
	[3.9, 0],
	[4, 0],
	[4.1, 2],
	[6, 2],
	[6.1, 4],
	[50, 46],
	[51, 48],
	[404, 400],
	[1000, 400],
])(
	'what is always %f ms late has %i ms in hand: in steps of 2, less a quantum, and never more than 400',
	(lateMs, targetMs) => {
		expect(after(...times(100, lateMs))).toBe(targetMs);
	},
);

test('an interval is half a second from the piece that begins it, and what it says counts from its end on', () => {
	const prebuffer = createPrebuffer();
	const targets: number[] = [];
	for (const [lateMs, nowMs] of [
		[104, 1000],
		[0, 1499.9],
		[0, 1500],
	] as const) {
		prebuffer.arrived(lateMs, nowMs);
		targets.push(prebuffer.targetMs);
	}
	expect(targets).toEqual([0, 0, 100]);
});

test('one that begins long after the last ends half a second after itself', () => {
	const prebuffer = createPrebuffer();
	prebuffer.arrived(0, 0);
	prebuffer.arrived(0, 10_000);
	prebuffer.arrived(54, 10_499);
	expect(prebuffer.targetMs).toBe(0);
	// The second interval was the first that knew of it.
	prebuffer.arrived(0, 10_500);
	expect(prebuffer.targetMs).toBe(50);
});

test('of one interval the latest piece counts, wherever it stands in it', () => {
	for (const list of [
		[104, 54, 4],
		[4, 104, 54],
		[4, 54, 104],
	]) {
		const prebuffer = createPrebuffer();
		for (const [index, lateMs] of list.entries()) prebuffer.arrived(lateMs, index * 100);
		prebuffer.arrived(0, 500);
		expect(prebuffer.targetMs).toBe(100);
	}
});

test('the lateness of one interval says nothing of the next', () => {
	const prebuffer = createPrebuffer();
	prebuffer.arrived(104, 0);
	for (let index = 1; index <= 12; index += 1) prebuffer.arrived(0, index * 500);
	expect(prebuffer.targetMs).toBe(0);
});

test('one stall counts once, however many pieces it holds up', () => {
	const prebuffer = createPrebuffer();
	for (let index = 0; index < 10; index += 1) prebuffer.arrived(0, index * 500);
	for (let index = 0; index < 100; index += 1) prebuffer.arrived(300, 5000 + index);
	prebuffer.arrived(0, 5500);
	expect(prebuffer.targetMs).toBe(0);
});

test('what is late in fewer than one of twelve intervals is not waited for, what is late in more is', () => {
	const every = (count: number) =>
		after(...Array.from({ length: 20 * count }, (_, index) => (index % count === count - 1 ? 104 : 0)));
	expect([every(8), every(16)]).toEqual([100, 0]);
});

test('of several latenesses the least is waited for with which few are later', () => {
	// Half is 24 ms late, a third 54, a sixth 104: with 50 in hand too many were still later.
	const list = Array.from({ length: 120 }, (_, index) => [24, 54, 24, 54, 24, 104][index % 6] ?? 0);
	expect(after(...list)).toBe(100);
	// One of twenty later than the others: that is few.
	expect(after(...Array.from({ length: 100 }, (_, index) => (index % 20 === 10 ? 104 : 24)))).toBe(20);
});

test('ten seconds of a bad way are waited for for another 42 s, and then forgotten', () => {
	const bad = times(20, 104);
	const longest = (quiet: number) => after(...bad, ...times(quiet, 0));
	const quiets = Array.from({ length: 200 }, (_, index) => index);
	const over = quiets.find((quiet) => longest(quiet) === 0) ?? 0;
	expect(longest(0)).toBe(100);
	expect(over / 2).toBe(42);
});
