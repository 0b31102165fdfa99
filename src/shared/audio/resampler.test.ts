import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createResampler, resample } from './resampler.ts';

function sine(hz: number, rateHz: number, seconds: number): Float32Array {
	return Float32Array.from(
		{ length: Math.round(rateHz * seconds) },
		(_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / rateHz),
	);
}

/** Loudest difference from `wanted` away from both ends, where the filter has its full length. */
function worst(sound: Float32Array, wanted: Float32Array): number {
	let difference = 0;
	for (let index = 1000; index < Math.min(sound.length, wanted.length) - 1000; index += 1)
		difference = Math.max(difference, Math.abs((sound[index] ?? 0) - (wanted[index] ?? 0)));
	return difference;
}

describe('resampling', () => {
	test.each([8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000])(
		'a tone at %i Hz is the same tone at 24 kHz, in pitch, loudness and place',
		(rateHz) => {
			const sound = resample(sine(997, rateHz, 1), rateHz, 24_000);
			expect(Math.abs(sound.length - 24_000)).toBeLessThanOrEqual(1);
			expect(worst(sound, sine(997, 24_000, 1))).toBeLessThan(5e-4);
		},
	);

	test('what the lower rate cannot carry is gone, not folded into the speech', () => {
		expect(worst(resample(sine(15_000, 48_000, 0.5), 48_000, 24_000), new Float32Array(12_000))).toBeLessThan(
			5e-4,
		);
	});

	test('it makes no difference in which pieces the sound comes', () => {
		const sound = sine(440, 44_100, 0.2);
		const whole = resample(sound, 44_100, 24_000);
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }), (sizes) => {
				const resampler = createResampler(44_100, 24_000);
				const out: number[] = [];
				let at = 0;
				for (const size of [...sizes, sound.length]) {
					out.push(...resampler.push(sound.subarray(at, at + size)));
					at = Math.min(sound.length, at + size);
				}
				out.push(...resampler.flush());
				expect(out).toEqual([...whole]);
			}),
			{ numRuns: 20 },
		);
	});

	test('the length in time is kept for any two rates', () => {
		const rate = fc.integer({ min: 8000, max: 12_000 });
		fc.assert(
			fc.property(rate, rate, fc.integer({ min: 0, max: 500 }), (from, to, length) => {
				const out = resample(new Float32Array(length).fill(0.25), from, to);
				expect(out.length).toBe(Math.ceil((length * to) / from));
				expect(out.every(Number.isFinite)).toBe(true);
			}),
			{ numRuns: 5 },
		);
	});
});
