import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRateLimits } from './rate-limits.ts';

test('sixty texts within a minute, not one more, and again a minute after the first', async () => {
	const clock = createManualClock();
	const limits = createRateLimits(clock, () => true);
	const allowed = (count: number) =>
		Array.from({ length: count }, () => limits.allows('tts_task')).filter((is) => is).length;
	expect(allowed(1)).toBe(1);
	await clock.run(30_000);
	expect(allowed(60)).toBe(59);
	await clock.run(29_999);
	expect(allowed(1)).toBe(0);
	await clock.run(1);
	// A refused command does not count.
	expect(allowed(2)).toBe(1);
});

test.each([
	['set_task', 'get_task', 1800],
	['get_task', 'set_task', 1800],
	['pause_task', 'pause_task', 2800],
	['end_task', 'end_task', 2800],
])('%s, then %s: %i ms apart, and not sooner', async (first, second, afterMs) => {
	const clock = createManualClock();
	const limits = createRateLimits(clock, () => true);
	expect(limits.allows(first)).toBe(true);
	await clock.run(afterMs - 1);
	expect(limits.allows(second)).toBe(false);
	await clock.run(1);
	expect(limits.allows(second)).toBe(true);
});

test('where they are counted apart, set_task and get_task do not wait for each other; what has no limit never waits', () => {
	const limits = createRateLimits(createManualClock(), () => false);
	const commands = ['set_task', 'get_task', 'pause_task', 'end_task', 'flush_task', 'flush_task'];
	expect(commands.map(limits.allows)).toEqual(Array(6).fill(true));
});
