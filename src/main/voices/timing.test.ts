import { describe, expect, test } from 'vitest';
import { LONG_MS, nextQuestionMs } from './timing.ts';

describe('the next question', () => {
	test('is less often from 15 min after the upload, and none a day after, and not a ms before', () => {
		const next = (sinceSentMs: number) => nextQuestionMs(50, sinceSentMs, () => 0.5);
		const day = 24 * 3_600_000;
		expect([next(LONG_MS - 1), next(LONG_MS), next(day - 1), next(day)]).toEqual([
			30_000,
			300_000,
			300_000,
			null,
		]);
	});

	test('is soon where it is the first, whenever the upload was', () => {
		const first = [0, LONG_MS, 48 * 3_600_000].map((sinceMs) => nextQuestionMs(0, sinceMs, () => 0.5));
		expect(first).toEqual([2000, 2000, 2000]);
	});
});
