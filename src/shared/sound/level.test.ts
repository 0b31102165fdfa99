import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FLOOR_DB, meanLevel, measureLevel, silence, toDb } from './level.ts';

const sample = fc.double({ min: -1, max: 1, noNaN: true });

describe('level', () => {
	test('of known sounds', () => {
		expect(measureLevel([])).toEqual(silence);
		expect(measureLevel([0, 0])).toEqual(silence);
		expect(measureLevel([1, -1])).toEqual({ peakDb: 0, rmsDb: 0 });
		const sine = Array.from(
			{ length: 4800 },
			(_, index) => 0.5 * Math.sin((2 * Math.PI * 440 * index) / 48_000),
		);
		expect(measureLevel(sine).peakDb).toBeCloseTo(-6.02, 1);
		expect(measureLevel(sine).rmsDb).toBeCloseTo(-9.03, 1);
	});

	test('is between the floor and 0, and the peak is never below the average', () => {
		fc.assert(
			fc.property(fc.array(sample), (samples) => {
				const { peakDb, rmsDb } = measureLevel(samples);
				expect(rmsDb).toBeGreaterThanOrEqual(FLOOR_DB);
				expect(peakDb).toBeLessThanOrEqual(0);
				expect(peakDb).toBeGreaterThanOrEqual(rmsDb - 1e-9);
			}),
		);
	});

	test('of stretches is that of all of it', () => {
		const quiet = [0.1, -0.1, 0.05, 0];
		const loud = [0.5, -0.25, 0.125, 0.5];
		const all = measureLevel([...quiet, ...loud]);
		const mean = meanLevel([measureLevel(quiet), measureLevel(loud)]);
		expect(mean.peakDb).toBe(all.peakDb);
		expect(mean.rmsDb).toBeCloseTo(all.rmsDb, 6);
		expect(meanLevel([])).toEqual(silence);
	});

	test('twice as loud is 6 dB more', () => {
		fc.assert(
			fc.property(fc.double({ min: 0.001, max: 0.5, noNaN: true }), (amplitude) => {
				expect(toDb(amplitude * 2) - toDb(amplitude)).toBeCloseTo(6.02, 1);
			}),
		);
	});

	test('of what is no number is the floor', () => {
		expect(toDb(Number.NaN)).toBe(FLOOR_DB);
		expect(toDb(-1)).toBe(FLOOR_DB);
		expect(toDb(Number.POSITIVE_INFINITY)).toBe(0);
	});
});
