import { expect, test } from 'vitest';
import { createTextFit } from './room-fit.ts';

type Reading = Parameters<ReturnType<typeof createTextFit>['take']>[0];

/** A line read once a second; returns whether only final texts are requested at its end. */
function createDay() {
	const fit = createTextFit();
	let nowMs = 0;
	return (reading: Reading, seconds = 1): boolean => {
		let only = false;
		for (let at = 0; at < seconds; at++) {
			nowMs += 1000;
			only = fit.take(reading, nowMs);
		}
		return only;
	};
}

const share = (askedAgain: number | null, queuedMs = 40): Reading => ({ askedAgain, queuedMs });

test('unfinished texts are left out soon after a fifth is asked for again, and below that they stay', () => {
	const day = createDay();
	expect(day(share(0.17), 600)).toBe(false);
	// The median of five must be bad, twice.
	expect(day(share(0.26), 3)).toBe(false);
	expect(day(share(0.26), 1)).toBe(true);
	const limit = createDay();
	expect(limit(share(0.2), 600)).toBe(false);
	expect(limit(share(0.21), 600)).toBe(true);
});

test('they come back after ten good seconds, and later each time that was too soon', () => {
	const day = createDay();
	expect(day(share(0.3), 6)).toBe(true);
	// Three good readings until the median is good, then ten seconds.
	expect(day(share(0), 12)).toBe(true);
	expect(day(share(0), 1)).toBe(false);
	expect(day(share(0.3), 6)).toBe(true);
	expect(day(share(0), 22)).toBe(true);
	expect(day(share(0), 1)).toBe(false);
});

test('a hand-over each half minute is no bad line', () => {
	const day = createDay();
	for (let times = 0; times < 20; times++) {
		expect(day(share(0), 28)).toBe(false);
		expect(day(share(null, 0))).toBe(false);
		expect(day(share(0.9))).toBe(false);
	}
});

test('few losses are enough where packets queue: then our own texts may fill the line', () => {
	expect(createDay()(share(0.07, 40), 60)).toBe(false);
	expect(createDay()(share(0.07, 600), 5)).toBe(true);
	expect(createDay()(share(0, 2000), 5)).toBe(true);
});

test('while nothing is sent nothing is known, and nothing changes', () => {
	const day = createDay();
	expect(day(share(0.3), 6)).toBe(true);
	expect(day(share(0), 5)).toBe(true);
	expect(day(share(null), 300)).toBe(true);
	expect(day(share(0), 1)).toBe(false);
	expect(day(share(null), 300)).toBe(false);
});
