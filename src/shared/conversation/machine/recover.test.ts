import { expect, test } from 'vitest';
import { type BackoffPlan, backoffDelay } from '#shared/lib/clock.ts';
import {
	AGAIN,
	GIVE_UP_MS,
	GONE_QUIET_MS,
	HURRIED_PAUSE_MS,
	LEAD_MS,
	NETWORK,
	PATIENCE_MS,
	PAUSES_MS,
	QUIET_MS,
	RESTORING_LIMIT_MS,
	SERVICE,
	STANDBY_QUIET_MS,
} from './recover.ts';

const longest = (plan: BackoffPlan, retries: number) =>
	Array.from({ length: retries }, (_, index) => backoffDelay(plan, index + 1, () => 1));

test('how long it is waited at most before each try', () => {
	expect(longest(NETWORK, 5)).toEqual([500, 1000, 2000, 4000, 4000]);
	expect(longest(SERVICE, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
	expect(longest(AGAIN.expiring, 6)).toEqual([5000, 10_000, 20_000, 20_000, 20_000, null]);
	expect(longest(AGAIN.leaving, 2)).toEqual([1000, null]);
});

test('while the network is away or the service fails it is tried until the time is up', () => {
	for (const plan of [NETWORK, SERVICE]) expect(longest(plan, 9999).at(-1)).toBe(plan.capMs);
	expect(GIVE_UP_MS).toBe(900_000);
});

test('a room is doubted, then given up beside a socket, then without one, before the library gives up', () => {
	const inTurn = [STANDBY_QUIET_MS, GONE_QUIET_MS, QUIET_MS, RESTORING_LIMIT_MS, 47_700];
	expect(inTurn).toEqual(inTurn.toSorted((a, b) => a - b));
});

test('the longer a pause is waited for, the shorter it may be, down to that of somebody in a hurry', () => {
	expect(PAUSES_MS).toEqual([
		{ fromMs: 0, ms: 700 },
		{ fromMs: 8000, ms: 350 },
		{ fromMs: 14_000, ms: HURRIED_PAUSE_MS },
	]);
	// Each of them counts before it is waited no more, and the session still lives then.
	expect(PATIENCE_MS).toEqual({ expiring: 20_000, leaving: 4000 });
	expect(PATIENCE_MS.expiring).toBeGreaterThan(PAUSES_MS.at(-1)?.fromMs ?? Infinity);
	expect(LEAD_MS).toBeGreaterThan(PATIENCE_MS.expiring);
});
