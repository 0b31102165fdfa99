import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gradeOf, recentWith, usualDelay } from './usual-delay.ts';

const spans = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 200 });
const after = (all: readonly number[]) => all.reduce<readonly number[]>(recentWith, []);

describe('what is usual', () => {
	it('is not known of four phrases, and is of five', () => {
		expect(usualDelay([4000, 4100, 3900, 20_000])).toBe(null);
		expect(usualDelay([4000, 4100, 3900, 20_000, 4050])).toBe(4050);
		expect(usualDelay([1, 2, 3, 4, 5, 6])).toBe(3.5);
	});

	it('is the median of the last 61 phrases, whatever came before', () => {
		fc.assert(
			fc.property(spans, (all) => {
				const kept = after(all);
				expect(kept).toEqual(all.slice(-61));
				const usual = usualDelay(kept);
				expect(usual === null).toBe(all.length < 5);
				const half = usual === null ? 0 : kept.length / 2;
				expect(kept.filter((span) => span <= (usual ?? 0)).length).toBeGreaterThanOrEqual(half);
				expect(kept.filter((span) => span >= (usual ?? 0)).length).toBeGreaterThanOrEqual(half);
			}),
		);
	});
});

describe('slower than usual', () => {
	it('follows a service that is slow, and one that is quick', () => {
		expect(gradeOf(8000, 7000)).toBe('usual');
		expect(gradeOf(10_510, 7000)).toBe('slow');
		expect(gradeOf(4000, 1000)).toBe('usual');
		expect(gradeOf(4010, 1000)).toBe('slow');
		expect(gradeOf(8010, 1000)).toBe('long');
	});

	it('is never what half of the phrases take, and no lesser delay is graded worse', () => {
		const order = { usual: 0, slow: 1, long: 2 } as const;
		fc.assert(
			fc.property(spans, fc.nat(60_000), fc.nat(60_000), (all, one, other) => {
				const usual = usualDelay(after(all));
				if (usual === null) return;
				expect(gradeOf(usual, usual)).toBe('usual');
				const [less, more] = [Math.min(one, other), Math.max(one, other)];
				expect(order[gradeOf(less, usual)]).toBeLessThanOrEqual(order[gradeOf(more, usual)]);
			}),
		);
	});
});
