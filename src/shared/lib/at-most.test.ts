import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { atMost } from './at-most.ts';

test('what is done in time ends the wait, and no timer stays', async () => {
	const clock = createManualClock();
	await atMost(clock, 1000, Promise.resolve('done'));
	expect([clock.now(), clock.pending]).toEqual([0, 0]);
});

test('what never ends is waited for as long as the limit says', async () => {
	const clock = createManualClock();
	let ended = false;
	const wait = atMost(clock, 1000, new Promise(() => {})).then(() => {
		ended = true;
	});
	await clock.run(999);
	expect(ended).toBe(false);
	await clock.run(1);
	await wait;
	expect([ended, clock.pending]).toEqual([true, 0]);
});

test('what fails in time fails the wait, and no timer stays', async () => {
	const clock = createManualClock();
	await expect(atMost(clock, 1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
	expect(clock.pending).toBe(0);
});
