import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVoiceActivity } from './listening.ts';

function hear(activity: ReturnType<typeof createVoiceActivity>, level: number, ms: number): number {
	let spokenMs = 0;
	for (let at = 0; at < ms; at += 20) if (activity.hear(level, 20)) spokenMs += 20;
	return spokenMs;
}

describe('voice activity', () => {
	it('takes speech of any usual loudness for speech within 60 ms', () => {
		for (const level of [0.006, 0.02, 0.1, 0.5]) {
			const activity = createVoiceActivity();
			hear(activity, 0, 1000);
			expect(hear(activity, level, 1000), String(level)).toBeGreaterThanOrEqual(940);
		}
	});

	it('counts silence from the end of speech and forgets it when speech comes back', () => {
		const activity = createVoiceActivity();
		hear(activity, 0.1, 500);
		expect(activity.silenceMs).toBe(0);
		hear(activity, 0.0001, 700);
		expect(activity.silenceMs).toBe(700);
		hear(activity, 0.1, 100);
		expect(activity.silenceMs).toBe(0);
	});

	it('hears through the small dips within a word', () => {
		const activity = createVoiceActivity();
		hear(activity, 0.02, 500);
		expect(hear(activity, 0.012, 200)).toBe(200);
	});

	it('learns a steady noise and still hears speech above it', () => {
		const activity = createVoiceActivity();
		hear(activity, 0.003, 20_000);
		expect(hear(activity, 0.003, 1000)).toBe(0);
		expect(hear(activity, 0.05, 1000)).toBeGreaterThan(900);
	});

	it('never takes loud speech for noise, however long it lasts', () => {
		const activity = createVoiceActivity();
		hear(activity, 0.1, 120_000);
		expect(hear(activity, 0.1, 1000)).toBe(1000);
	});

	it('never hears speech in silence, whatever came before', () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 60 }))),
				(steps) => {
					const activity = createVoiceActivity();
					for (const [level, ms] of steps) activity.hear(level, ms);
					expect(activity.hear(0, 20)).toBe(false);
					expect(activity.silenceMs).toBeGreaterThanOrEqual(20);
				},
			),
		);
	});
});
