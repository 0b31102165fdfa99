import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSample, FORBIDDING, peaksOf } from './sample-check.ts';

const RATE_HZ = 24_000;
const limits = { least: 5000, wanted: 30_000, most: 200_000 };

/** Words of 300 ms and pauses of 200 ms: a tone over noise, amplitudes 0..1. */
function speech(seconds: number, loud = 0.3, noise = 0.001): Int16Array {
	let seed = 1;
	return Int16Array.from({ length: seconds * RATE_HZ }, (_, index) => {
		seed = (seed * 48_271) % 2_147_483_647;
		const hiss = (seed / 2_147_483_647 - 0.5) * 2 * noise;
		const isWord = index % (RATE_HZ / 2) < RATE_HZ * 0.3;
		const tone = isWord ? Math.sin((index / RATE_HZ) * 2 * Math.PI * 220) * loud : 0;
		return Math.max(-32_768, Math.min(32_767, Math.round((tone + hiss) * 32_768)));
	});
}

const faultsOf = (samples: Int16Array) => checkSample(samples, RATE_HZ, limits).faults;

test('good speech has no fault', () => {
	expect(faultsOf(speech(31))).toEqual([]);
	const { lengthMs, speechDb, noiseDb } = checkSample(speech(31), RATE_HZ, limits);
	expect(lengthMs).toBe(31_000);
	expect(speechDb).toBeCloseTo(-13.5, 0);
	expect(noiseDb).toBeLessThan(-60);
});

test.each([
	['too-short', speech(4)],
	['short', speech(10)],
	['clipped', speech(31, 1.5)],
	['quiet', speech(31, 0.01, 0.0001)],
	['noisy', speech(31, 0.3, 0.2)],
	['silent', speech(31, 0, 0.0001)],
])('%s is found, and nothing else', (fault, samples) => {
	expect(faultsOf(samples)).toEqual([fault]);
});

test('what would be refused forbids it, what only makes a worse voice does not', () => {
	expect([...FORBIDDING].sort()).toEqual(['silent', 'too-long', 'too-short']);
	expect(checkSample(speech(6), RATE_HZ, { ...limits, most: 5500 }).faults).toContain('too-long');
});

test('nothing at all is silent and too short, and never a failure', () => {
	expect(faultsOf(new Int16Array(0))).toEqual(['silent', 'too-short']);
	fc.assert(
		fc.property(fc.int16Array({ maxLength: 3000 }), fc.integer({ min: 1, max: 50 }), (samples, count) => {
			const report = checkSample(samples, RATE_HZ, limits);
			expect(Number.isFinite(report.speechDb + report.noiseDb + report.clipped)).toBe(true);
			const peaks = peaksOf(samples, count);
			expect(peaks).toHaveLength(count);
			expect(peaks.every((peak) => peak >= 0 && peak <= 1)).toBe(true);
		}),
	);
});
