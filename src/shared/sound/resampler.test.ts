import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resample } from '#test/support/inspect-sound.ts';
import { createResampler } from './resampler.ts';

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

	test('at the same rate is the sound itself, as a copy', () => {
		const sound = sine(440, 24_000, 0.01);
		const same = createResampler(24_000, 24_000);
		const pushed = same.push(sound);
		expect(pushed).toEqual(sound);
		expect(pushed).not.toBe(sound);
		const out = new Float32Array(sound.length + 5);
		expect(same.pushInto(sound, out)).toBe(sound.length);
		expect(out.subarray(0, sound.length)).toEqual(sound);
		expect([same.most(7), same.flush().length]).toEqual([7, 0]);
		expect(resample(sound, 24_000, 24_000)).toEqual(sound);
	});

	test.each([
		[24_000, 48_000],
		[24_000, 44_100],
		[48_000, 24_000],
		[44_100, 8000],
	])('from %i to %i Hz no piece gives more than it says, nor much less room than is used', (from, to) => {
		const resampler = createResampler(from, to);
		const out = new Float32Array(10_000);
		let least = Number.POSITIVE_INFINITY;
		for (let turn = 0; turn < 200; turn += 1) {
			const count = (turn * 37) % 500;
			const given = resampler.pushInto(new Float32Array(count), out);
			least = Math.min(least, resampler.most(count) - given);
			if (turn > 20) expect(resampler.most(count) - given).toBeLessThanOrEqual(Math.ceil(to / from) + 3);
		}
		expect(least).toBeGreaterThanOrEqual(0);
	});

	test.each([
		[24_000, 48_000],
		[48_000, 24_000],
		[44_100, 24_000],
	])(
		'a level that stays is as loud from %i to %i Hz, to a thousandth of a dB, wherever it is measured',
		(from, to) => {
			const sound = resample(new Float32Array(from / 10).fill(0.5), from, to);
			const middle = sound.subarray(to / 50, to / 12);
			expect(Math.max(...middle)).toBeLessThan(0.500_05);
			expect(Math.min(...middle)).toBeGreaterThan(0.499_95);
		},
	);

	test.each([1000, 6000, 9000, 10_000])('a tone of %i Hz goes through to within a tenth of a dB', (hz) => {
		const sound = resample(sine(hz, 48_000, 0.3), 48_000, 24_000).subarray(2000, 5000);
		const rms = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);
		expect(Math.abs(20 * Math.log10(rms / (0.5 / Math.SQRT2)))).toBeLessThan(0.1);
	});

	test.each([13_000, 16_000, 20_000])('a tone of %i Hz, which would be folded, is 70 dB down', (hz) => {
		const sound = resample(sine(hz, 48_000, 0.3), 48_000, 24_000).subarray(2000, 5000);
		const peak = Math.max(...sound.map(Math.abs));
		expect(20 * Math.log10(peak / 0.5)).toBeLessThan(-70);
	});

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
