import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SoundSum } from './sound-sum.ts';

const RATE = 8000;
const constant = (length: number, value: number) => new Int16Array(length).fill(value);

function read(sum: SoundSum, length: number): Float32Array {
	const out = new Float32Array(length);
	sum.read(out);
	return out;
}

describe('streams side by side', () => {
	test('are added, each from when enough of it is there', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(480, 8192));
		expect([...new Set(read(sum, 80))]).toEqual([0.25]);
		sum.push(2, constant(160, 4096));
		expect([...new Set(read(sum, 80))]).toEqual([0.25]);
		sum.push(2, constant(480, 4096));
		expect([...new Set(read(sum, 80))]).toEqual([0.375]);
	});

	test('never go beyond full scale', () => {
		const sum = new SoundSum(RATE);
		for (const from of [1, 2, 3]) sum.push(from, constant(480, 32_767));
		expect(Math.max(...read(sum, 80))).toBe(1);
		for (const from of [4, 5, 6]) sum.push(from, constant(480, -32_768));
		expect(Math.min(...read(sum, 80))).toBeGreaterThanOrEqual(-1);
	});

	test('one that runs dry is silent until enough is there again, and holds nobody up', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(480, 8192));
		sum.push(2, constant(1600, 4096));
		read(sum, 480);
		expect(read(sum, 80)[0]).toBe(0.125);
		sum.push(1, constant(100, 8192));
		expect(read(sum, 80)[0]).toBe(0.125);
		sum.push(1, constant(380, 8192));
		expect(read(sum, 80)[0]).toBe(0.375);
	});

	test('one that ends is heard to its end and forgotten', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(100, 8192));
		sum.end(1);
		expect([...read(sum, 160)].filter((value) => value !== 0)).toHaveLength(100);
		expect(sum.streams).toBe(0);
		sum.end(7);
	});

	test('what comes too early is left out, so that the delay stays below 200 ms', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(4000, 1));
		expect(sum.dropped).toBeGreaterThan(0);
		let waiting = 0;
		while (read(sum, 8).some((value) => value !== 0)) waiting += 8;
		expect(waiting).toBeLessThanOrEqual(RATE * 0.2);
	});

	test('begin with 60 ms in hand, and not a sample less', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(479, 8192));
		expect(read(sum, 10).every((value) => value === 0)).toBe(true);
		sum.push(1, constant(1, 8192));
		expect(read(sum, 480).every((value) => value === 0.25)).toBe(true);
		// It was read to its last sample, and is not yet dry.
		sum.push(1, constant(10, 8192));
		expect([...read(sum, 12)]).toEqual([...new Array(10).fill(0.25), 0, 0]);
		sum.push(1, constant(479, 8192));
		expect(read(sum, 10).every((value) => value === 0)).toBe(true);
	});

	test('wait 200 ms at most: a sample more, and 60 ms are left of them', () => {
		const waiting = (count: number) => {
			const sum = new SoundSum(RATE);
			sum.push(1, constant(count, 8192));
			sum.end(1);
			return [sum.dropped, read(sum, 8000).filter((value) => value !== 0).length];
		};
		expect(waiting(1600)).toEqual([0, 1600]);
		expect(waiting(1601)).toEqual([1121, 480]);
		// Also of more than there is room for, every sample that is lost is counted.
		expect(waiting(5000)).toEqual([4520, 480]);
		const odd = new SoundSum(44_101);
		odd.push(1, constant(8821, 8192));
		expect(odd.dropped).toBe(0);
	});

	test('are 32 at most, and make room for another when they are over', () => {
		const sum = new SoundSum(RATE);
		for (let from = 0; from < 33; from += 1) sum.push(from, constant(480, 100));
		expect(sum.streams).toBe(32);
		sum.end(0);
		read(sum, 481);
		expect(sum.streams).toBe(31);
		sum.push(40, constant(480, 100));
		expect(sum.streams).toBe(32);
		sum.clear();
		expect([sum.streams, Math.max(...read(sum, 80))]).toEqual([0, 0]);
	});

	test('without any, what was in the block before is gone', () => {
		const out = new Float32Array(4).fill(0.5);
		new SoundSum(RATE).read(out);
		expect([...out]).toEqual([0, 0, 0, 0]);
	});

	test('one that had ended goes on when more of it comes', () => {
		const sum = new SoundSum(RATE);
		sum.push(1, constant(480, 8192));
		sum.end(1);
		sum.push(1, constant(100, 8192));
		read(sum, 600);
		expect(sum.streams).toBe(1);
	});

	test('a clock that is faster by a thousandth never adds up to a delay', () => {
		fc.assert(
			fc.property(fc.integer({ min: 995, max: 1010 }), (perSecond) => {
				const sum = new SoundSum(1000);
				let pushed = 0;
				let heard = 0;
				for (let at = 0; at < 3000; at += 1) {
					sum.push(
						1,
						constant(Math.floor((perSecond * (at + 1)) / 100) - Math.floor((perSecond * at) / 100), 100),
					);
					pushed = Math.floor((perSecond * (at + 1)) / 100);
					heard += read(sum, 10).filter((value) => value !== 0).length;
				}
				expect(pushed - heard - sum.dropped).toBeLessThanOrEqual(200);
			}),
			{ numRuns: 20 },
		);
	});
});
