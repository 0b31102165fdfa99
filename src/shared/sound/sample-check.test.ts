import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSample, FORBIDDING, peaksOf, withoutSilence } from './sample-check.ts';

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

describe('the limits', () => {
	const RATE = 1000;
	const lengths = { least: 1000, wanted: 2000, most: 3000 };
	/** `length` ms that are loud and quiet in turn, 20 ms each. */
	const lasting = (length: number) =>
		Int16Array.from({ length }, (_, index) => (Math.floor(index / 20) % 2 === 0 ? 8000 : 20));

	test.each([
		[999, ['too-short']],
		[1000, ['short']],
		[1999, ['short']],
		[2000, []],
		[3000, []],
		[3001, ['too-long']],
	])('%i ms', (length, faults) => {
		expect(checkSample(lasting(length), RATE, lengths)).toMatchObject({ lengthMs: length, faults });
	});

	test('one sample in 2000 at full scale is a click, two are clipped; a rounding below is as good as full scale', () => {
		const clippedOf = (...loud: readonly number[]) => {
			const samples = lasting(2000);
			samples.set(loud, 100);
			const { clipped, faults } = checkSample(samples, RATE, lengths);
			return [clipped, faults];
		};
		expect(clippedOf(32_767)).toEqual([1 / 2000, []]);
		expect(clippedOf(32_700, -32_700)).toEqual([2 / 2000, ['clipped']]);
		expect(clippedOf(32_699, -32_699)).toEqual([0, []]);
	});

	test('speech is what a tenth is louder than, the room what a tenth is quieter than; a stretch cut off counts for neither', () => {
		// Eleven stretches of 20 ms in no order, and 19 ms of something louder.
		const loudness = [5, 1, 10, 3, 8, 11, 2, 9, 4, 7, 6];
		const samples = Int16Array.from({ length: 11 * 20 + 19 }, (_, index) => {
			const level = loudness[Math.floor(index / 20)] ?? 30;
			return (index % 2 === 0 ? 1 : -1) * 1000 * level;
		});
		const { speechDb, noiseDb } = checkSample(samples, RATE, lengths);
		expect(speechDb).toBeCloseTo(20 * Math.log10(10_000 / 32_768), 6);
		expect(noiseDb).toBeCloseTo(20 * Math.log10(2000 / 32_768), 6);
	});

	test('zeros are as quiet as the floor, and never quieter', () => {
		expect(checkSample(new Int16Array(2000), RATE, lengths)).toMatchObject({ speechDb: -100, noiseDb: -100 });
		const faint = Int16Array.from({ length: 2000 }, (_, index) => (index % 20 === 0 ? 1 : 0));
		expect(checkSample(faint, RATE, lengths).noiseDb).toBe(-100);
	});

	test.each([
		['-36 dB and below are quiet', 519, ['quiet']],
		['above are not', 520, []],
		['-55 dB and below are silence', 58, ['silent']],
		['above are quiet', 59, ['quiet']],
	])('%s', (_name, amplitude, faults) => {
		const samples = Int16Array.from({ length: 2000 }, (_, index) =>
			Math.floor(index / 20) % 2 === 0 ? amplitude : 0,
		);
		expect(checkSample(samples, RATE, lengths).faults).toEqual(faults);
	});

	test.each([
		['17.8 dB below speech is noisy', 18, ['noisy']],
		['18.3 dB below it is not', 17, []],
	])('a room %s', (_name, noise, faults) => {
		const samples = Int16Array.from({ length: 2000 }, (_, index) =>
			Math.floor(index / 20) % 2 === 0 ? 8000 : (8000 * noise) / 140,
		);
		expect(checkSample(samples, RATE, lengths).faults).toEqual(faults);
	});
});

test('each stretch that is drawn has its loudest sample, also where there are more stretches than samples', () => {
	const samples = Int16Array.of(0, -16_384, 8192, -32_768, 4096);
	expect(peaksOf(samples, 2)).toEqual([0.5, 1]);
	expect(peaksOf(samples, 5)).toEqual([0, 0.5, 0.25, 1, 0.125]);
	expect(peaksOf(Int16Array.of(16_384), 3)).toEqual([0.5, 0.5, 0.5]);
	expect(peaksOf(new Int16Array(0), 2)).toEqual([0, 0]);
});

describe('without the silence at both ends', () => {
	const quiet = (seconds: number) => speech(seconds, 0, 0.001);
	function joined(...parts: readonly Int16Array[]): Int16Array {
		const whole = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
		let at = 0;
		for (const part of parts) {
			whole.set(part, at);
			at += part.length;
		}
		return whole;
	}
	const secondsOf = ({ from, to }: { from: number; to: number }) => [from / RATE_HZ, to / RATE_HZ];
	const cut = (samples: Int16Array, leastMs = 5000) => secondsOf(withoutSilence(samples, RATE_HZ, leastMs));

	test('speech is left, with a little silence around it', () => {
		// The last word ends 0.2 s before its part does.
		const [from = 0, to = 0] = cut(joined(quiet(2), speech(8), quiet(3)));
		expect(from).toBeCloseTo(1.8, 1);
		expect(to).toBeCloseTo(10, 1);
	});

	test('a pause within speech stays', () => {
		expect(cut(joined(speech(4), quiet(4), speech(4)))).toEqual([0, 12]);
	});

	test('a click is no speech', () => {
		const click = Int16Array.from(quiet(2), (sample, index) =>
			index > RATE_HZ && index < RATE_HZ + 500 ? 20_000 : sample,
		);
		const [from = 0] = cut(joined(click, speech(8)));
		expect(from).toBeCloseTo(1.8, 1);
	});

	test('nothing is cut where nothing stands out', () => {
		expect(cut(quiet(7))).toEqual([0, 7]);
		expect(cut(new Int16Array(7 * RATE_HZ))).toEqual([0, 7]);
		expect(cut(new Int16Array(7 * RATE_HZ).fill(9000))).toEqual([0, 7]);
		expect(withoutSilence(new Int16Array(0), RATE_HZ, 5000)).toEqual({ from: 0, to: 0 });
	});

	test('it never gets shorter than is allowed, unless it was', () => {
		const [quiets, saids] = [quiet, speech].map((of) => [0, 1, 2, 3, 4].map((seconds) => of(seconds)));
		const any = fc.integer({ min: 0, max: 4 });
		const none = new Int16Array(0);
		fc.assert(
			fc.property(any, any, any, (before, said, after) => {
				const samples = joined(quiets?.[before] ?? none, saids?.[said] ?? none, quiets?.[after] ?? none);
				const { from, to } = withoutSilence(samples, RATE_HZ, 5000);
				expect(from).toBeGreaterThanOrEqual(0);
				expect(to).toBeLessThanOrEqual(samples.length);
				expect(to - from).toBeGreaterThanOrEqual(Math.min(samples.length, 5 * RATE_HZ));
				// No word is lost.
				if (said > 0) {
					expect(from).toBeLessThanOrEqual(before * RATE_HZ);
					expect(to).toBeGreaterThanOrEqual((before + said - 0.2) * RATE_HZ);
				}
			}),
			{ numRuns: 25 },
		);
	});
});
