import { describe, expect, it } from 'vitest';
import { badDay, type Day, downMs, type Part, reportBadDay, uptimeOf } from './bad-day.ts';
import type { HeardSlot } from './bad-line-calls.ts';

/** Slots of 250 ms up to `toMs`; those that end within a gap hold nothing of the voice. */
function heard(toMs: number, ...gaps: readonly (readonly [number, number])[]): HeardSlot[] {
	return Array.from({ length: toMs / 250 }, (_, index) => {
		const atMs = 250 * (index + 1);
		const isGap = gaps.some(([fromMs, endMs]) => atMs > fromMs && atMs <= endMs);
		return { atMs, lengthMs: 250, samples: 12_000, concealed: isGap ? 12_000 : 0, silent: 0, events: 0 };
	});
}
const part: Part = {
	trouble: 'line cut',
	fromMs: 10_000,
	toMs: 30_000,
	away: { fromMs: 10_000, toMs: 15_000 },
};

describe('a bad day', () => {
	it('is the same for the same seed, another for another, and each trouble comes before one comes twice', () => {
		expect(badDay(1, 200_000, 8)).toEqual(badDay(1, 200_000, 8));
		expect(badDay(2, 200_000, 8)).not.toEqual(badDay(1, 200_000, 8));
		for (let seed = 1; seed < 40; seed++) {
			const script = badDay(seed, 200_000, 8);
			expect(new Set(script.slice(0, 7).map(({ trouble }) => trouble)).size).toBe(7);
			for (const [index, { atMs }] of script.entries()) {
				const before = script[index - 1];
				if (before) expect(atMs).toBeGreaterThanOrEqual(before.atMs + before.forMs + 15_999);
			}
			expect(script.at(-1)?.atMs).toBeLessThan(200_000);
		}
	});

	it('counts as lost only what was not heard while network and service were there', () => {
		expect(downMs(heard(40_000), part)).toBe(0);
		expect(downMs(heard(40_000, [10_000, 15_000]), part)).toBe(0);
		expect(downMs(heard(40_000, [10_000, 18_000]), part)).toBe(3000);
		// Before and after it are other parts.
		expect(downMs(heard(40_000, [8000, 10_000], [30_000, 35_000]), part)).toBe(0);
	});

	it('counts what a page did not tell as not heard', () => {
		const reloaded = heard(40_000).filter(({ atMs }) => atMs <= 20_000 || atMs > 24_000);
		expect(downMs(reloaded, part)).toBe(4000);
	});

	it('is judged by the time for each incident, and against the bare page of the same day', () => {
		expect(uptimeOf(3600)).toBeCloseTo(0.99);
		const day = (ours: HeardSlot[], bare: HeardSlot[]): Day => ({
			seed: 1,
			script: [],
			parts: [part],
			ours,
			bare,
			calledAgain: { ours: 0, bare: 1 },
		});
		const reached = (ours: number, bare: number) =>
			reportBadDay([
				day(heard(40_000, [10_000, 15_000 + ours]), heard(40_000, [10_000, 15_000 + bare])),
			]).goals.map((goal) => goal.reached);
		expect(reached(1000, 4000)).toEqual([true, true]);
		expect(reached(2000, 4000)).toEqual([true, false]);
		expect(reached(5000, 15_000)).toEqual([false, false]);
	});
});
