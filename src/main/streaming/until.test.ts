import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { until } from './until.ts';

const never = () => false;

test('what is so already takes no time', async () => {
	const clock = createManualClock();
	expect(await until(clock, () => true, 0, new AbortController().signal)).toBe(true);
	expect(clock.pending).toBe(0);
});

test('what becomes so is noticed, and looked at no more', async () => {
	const clock = createManualClock();
	const waited = until(clock, () => clock.now() >= 200, 1000, new AbortController().signal);
	await clock.run(250);
	expect([await waited, clock.pending]).toEqual([true, 0]);
});

test('what does not is given up: after 1 s, and not a look later', async () => {
	const clock = createManualClock();
	let looks = 0;
	let ended: boolean | undefined;
	const isSo = () => {
		looks += 1;
		return false;
	};
	void until(clock, isSo, 1000, new AbortController().signal).then((is) => {
		ended = is;
	});
	await clock.run(999);
	expect(ended).toBeUndefined();
	const before = looks;
	await clock.run(1);
	expect([ended, looks - before, clock.pending]).toEqual([false, 1, 0]);
});

test('nobody waits any more when it is cut off', async () => {
	const clock = createManualClock();
	const control = new AbortController();
	const waited = until(clock, never, 1000, control.signal);
	await clock.run(100);
	control.abort();
	expect([await waited, clock.pending]).toEqual([false, 0]);
});
