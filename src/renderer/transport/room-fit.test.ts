import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineFit, type WayReading } from './room-fit.ts';

const LIMITS = { steps: 2, lossRatio: 0.1, hopelessRatio: 0.4, readings: 2 };
const good: WayReading = { lossRatio: 0, queuedMs: 5 };
const narrow: WayReading = { lossRatio: 0.3, queuedMs: 900 };

/** A line read once a second. */
function createDay(fit = createLineFit(LIMITS)) {
	let nowMs = 0;
	return (reading: WayReading, seconds: number): number => {
		let step = 0;
		for (let at = 0; at < seconds; at++) {
			nowMs += 1000;
			step = fit.take(reading, nowMs);
		}
		return step;
	};
}

describe('what is asked of a line', () => {
	it('is less after two readings of losses with a queue, and no less than the least', () => {
		const day = createDay();
		expect(day(narrow, 1)).toBe(0);
		expect(day(narrow, 1)).toBe(1);
		expect(day(narrow, 2)).toBe(2);
		expect(day(narrow, 60)).toBe(2);
	});

	it('stays when packets are lost on radio, where sending less would not help', () => {
		expect(createDay()({ lossRatio: 0.29, queuedMs: 60 }, 300)).toBe(0);
	});

	it('stays when the line is late but loses nothing', () => {
		expect(createDay()({ lossRatio: 0, queuedMs: 600 }, 300)).toBe(0);
	});

	it('is less where what is too much is thrown away at once, and where the queue has no end', () => {
		expect(createDay()({ lossRatio: 0.6, queuedMs: 0 }, 2)).toBe(2);
		expect(createDay()({ lossRatio: null, queuedMs: 3000 }, 4)).toBe(2);
	});

	it('is the least after two readings that leave no hope, however many others it takes', () => {
		const day = createDay(createLineFit({ ...LIMITS, readings: 5 }));
		expect(day({ lossRatio: 0.7, queuedMs: 0 }, 1)).toBe(0);
		expect(day({ lossRatio: 0.7, queuedMs: 0 }, 1)).toBe(2);
	});

	it('stays for one bad second, as at a hand-over, and for seconds of which nothing is known', () => {
		const day = createDay();
		for (let at = 0; at < 20; at++) {
			day(good, 29);
			expect(day({ lossRatio: 0.9, queuedMs: 1000 }, 1)).toBe(0);
		}
		expect(day({ lossRatio: null, queuedMs: 300 }, 100)).toBe(0);
	});

	it('is the least at once when something else needs the room, and everything again as after any trouble', () => {
		const fit = createLineFit(LIMITS);
		const day = createDay(fit);
		expect(day(good, 1)).toBe(0);
		expect(fit.yield()).toBe(2);
		expect(day(good, 10)).toBe(2);
		expect(day(good, 1)).toBe(1);
		expect(day(good, 10)).toBe(0);
	});

	it('is everything again, step by step, once the line is free', () => {
		const day = createDay();
		day(narrow, 4);
		expect(day(good, 10)).toBe(2);
		expect(day(good, 1)).toBe(1);
		expect(day(good, 10)).toBe(0);
	});

	it('is tried again ever more seldom on a line that stays narrow', () => {
		const day = createDay();
		let tries = 0;
		let step = day(narrow, 4);
		for (let second = 0; second < 1800; second++) {
			const next = day(step === 2 ? good : narrow, 1);
			if (next < step) tries += 1;
			step = next;
		}
		// One every eleven seconds would be well over a hundred.
		expect(tries).toBeGreaterThan(10);
		expect(tries).toBeLessThan(25);
	});

	it('stays between everything and the least, and is everything after some minutes of a good line', () => {
		const readings = fc.array(
			fc.record({
				lossRatio: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
				queuedMs: fc.double({ min: 0, max: 5000, noNaN: true }),
			}),
			{ maxLength: 200 },
		);
		fc.assert(
			fc.property(readings, (seen) => {
				const day = createDay();
				let step = 0;
				for (const reading of seen) {
					const next = day(reading, 1);
					expect(next).toBeGreaterThanOrEqual(step - 1);
					expect(next).toBeGreaterThanOrEqual(0);
					expect(next).toBeLessThanOrEqual(LIMITS.steps);
					step = next;
				}
				expect(day(good, 2 * 122)).toBe(0);
			}),
		);
	});
});
