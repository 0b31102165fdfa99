import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { atMost, pause, until } from './clock.ts';

test('a pause lasts as long as was asked for', async () => {
	const clock = createManualClock();
	let ended: boolean | null = null;
	void pause(clock, 1000).then((full) => {
		ended = full;
	});
	await clock.run(999);
	expect(ended).toBeNull();
	await clock.run(1);
	expect(ended).toBe(true);
});

test('a pause that is cancelled ends at once and leaves no timer', async () => {
	const clock = createManualClock();
	const control = new AbortController();
	const ended = pause(clock, 1000, control.signal);
	control.abort();
	expect(await ended).toBe(false);
	expect(clock.pending).toBe(0);
	expect(await pause(clock, 1000, control.signal)).toBe(false);
	expect(clock.pending).toBe(0);
});

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
