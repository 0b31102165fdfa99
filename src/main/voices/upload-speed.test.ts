import { describe, expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createProgress } from './upload-speed.ts';

describe('the progress of an upload', () => {
	/** `at(ms, bytes)`: what is said when so many have gone by then. */
	function stage(total = 10_000) {
		const clock = createManualClock();
		clock.advance(5000);
		const progress = createProgress(total, clock);
		return (ms: number, bytes: number) => {
			clock.advance(5000 + ms - clock.now());
			return progress(bytes);
		};
	}

	test('says no speed before a second has passed', () => {
		const at = stage();
		const said = { totalBytes: 10_000, bytesPerS: 0, secondsLeft: null };
		expect(at(0, 0)).toEqual({ sentBytes: 0, ...said });
		expect(at(999, 999)).toEqual({ sentBytes: 999, ...said });
		expect(at(1000, 1000)).toEqual({
			sentBytes: 1000,
			totalBytes: 10_000,
			bytesPerS: 1000,
			secondsLeft: 9,
		});
	});

	test('is that of the last 4 s', () => {
		const at = stage();
		at(0, 0);
		at(1, 1000);
		// The first is 4 s ago, and still counts; then it does not.
		expect(at(4000, 4000).bytesPerS).toBe(1000);
		expect(at(4001, 4000).bytesPerS).toBe(750);
	});

	test('has no end in sight while nothing moves, and is at its end with everything', () => {
		const at = stage(2000);
		at(0, 0);
		at(1000, 2000);
		expect(at(2000, 2000)).toMatchObject({ bytesPerS: 1000, secondsLeft: 0 });
		expect(at(6000, 2000)).toMatchObject({ bytesPerS: 0, secondsLeft: null });
	});

	test('of a try that begins anew counts from there', () => {
		const at = stage();
		at(0, 0);
		at(1000, 5000);
		at(2000, 0);
		expect(at(2999, 100)).toMatchObject({ bytesPerS: 0 });
		expect(at(3000, 500)).toMatchObject({ bytesPerS: 500, secondsLeft: 19 });
	});
});
