import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { pause } from './pause.ts';

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
