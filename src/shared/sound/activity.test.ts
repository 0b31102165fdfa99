import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActivity, createSpeechGap } from './activity.ts';

const plan = { onDb: -40, offDb: -50, attackMs: 100, holdMs: 300 };

/** States at each of `[rmsDb, atMs]`. */
function follow(levels: readonly (readonly [number, number])[], settings = plan): boolean[] {
	const activity = createActivity(settings);
	return levels.map(([rmsDb, atMs]) => activity.push(rmsDb, atMs));
}

describe('activity', () => {
	test('begins after the attack and ends after the hold', () => {
		const levels = [
			[-30, 0],
			[-30, 50],
			[-30, 100],
			[-80, 200],
			[-80, 399],
			[-80, 400],
		] as const;
		expect(follow(levels)).toEqual([false, false, true, true, true, false]);
	});

	test('a short noise is none', () => {
		expect(
			follow([
				[-30, 0],
				[-80, 50],
				[-30, 100],
				[-80, 150],
			]),
		).toEqual([false, false, false, false]);
	});

	test('between the two thresholds it stays what it was', () => {
		expect(
			follow([
				[-45, 0],
				[-45, 500],
			]),
		).toEqual([false, false]);
		expect(
			follow([
				[-30, 0],
				[-30, 100],
				[-45, 600],
				[-45, 1200],
			]),
		).toEqual([false, true, true, true]);
	});

	test('begins at once without an attack', () => {
		expect(follow([[-30, 0]], { ...plan, attackMs: 0 })).toEqual([true]);
	});

	test('counts what is just as loud as a threshold', () => {
		const quieter = { ...plan, attackMs: 0 };
		expect(follow([[-40, 0]], quieter)).toEqual([true]);
		expect(follow([[-40.1, 0]], quieter)).toEqual([false]);
		const end = (rmsDb: number) =>
			follow(
				[
					[-30, 0],
					[rmsDb, 299],
					[-80, 300],
				],
				quieter,
			);
		expect(end(-50)).toEqual([true, true, true]);
		expect(end(-50.1)).toEqual([true, true, false]);
	});

	test('once it has ended, or was reset, it must be loud for the whole attack again', () => {
		const activity = createActivity(plan);
		const begin = (fromMs: number) => [0, 99, 100].map((ms) => activity.push(-30, fromMs + ms));
		expect(begin(0)).toEqual([false, false, true]);
		expect(activity.push(-80, 400)).toBe(false);
		expect(begin(410)).toEqual([false, false, true]);
		expect(activity.active).toBe(true);
		activity.reset();
		expect(activity.active).toBe(false);
		expect(begin(520)).toEqual([false, false, true]);
		// Also one that had not begun yet.
		activity.reset();
		activity.push(-30, 700);
		activity.reset();
		expect(begin(790)).toEqual([false, false, true]);
	});

	test('never begins below the upper threshold, and never lasts longer than the hold after the last loud moment', () => {
		const step = fc.tuple(fc.integer({ min: -100, max: 0 }), fc.integer({ min: 1, max: 200 }));
		fc.assert(
			fc.property(fc.array(step), (steps) => {
				const activity = createActivity(plan);
				let now = 0;
				let lastLoudMs = Number.NEGATIVE_INFINITY;
				for (const [rmsDb, afterMs] of steps) {
					now += afterMs;
					const before = activity.active;
					if (rmsDb >= plan.offDb) lastLoudMs = now;
					const active = activity.push(rmsDb, now);
					if (active && !before) expect(rmsDb).toBeGreaterThanOrEqual(plan.onDb);
					if (now - lastLoudMs >= plan.holdMs) expect(active).toBe(false);
				}
			}),
		);
	});
});

/** Readings 40 ms apart; the quiet that the last of them leaves, ms. */
function after(...levelsDb: readonly number[]): number {
	const gap = createSpeechGap();
	return levelsDb.reduce((_, db, index) => gap.push(db, index * 40), 0);
}
const times = (count: number, db: number): number[] => Array.from({ length: count }, () => db);

test('counts from the first soft reading, and from nothing when somebody speaks on', () => {
	expect(after(-20, -45)).toBe(0);
	expect(after(-20, -45, -45, -45)).toBe(80);
	expect(after(-20, -45, -45, -30)).toBe(0);
	expect(after(-20, -45, -45, -30, -50, -50)).toBe(40);
});

test('20 dB below the loudest is a pause, and not what is softer by less', () => {
	expect(after(-20, ...times(5, -40.1))).toBe(160);
	expect(after(-20, ...times(5, -40))).toBe(0);
});

test('in a loud room the pauses of a loud speaker are found, and soft speech is not one', () => {
	expect(after(-12, ...times(10, -38))).toBe(360);
	expect(after(-45, ...times(10, -55))).toBe(0);
});

test('where nobody has spoken, or the microphone is muted, it is quiet', () => {
	expect(after(...times(11, Number.NEGATIVE_INFINITY))).toBe(400);
	expect(after(...times(11, -60.1))).toBe(400);
	expect(after(...times(11, -60))).toBe(0);
});
