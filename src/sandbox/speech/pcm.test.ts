import { describe, expect, it } from 'vitest';
import { resample, s16Bytes, s16Of, toFloat, toS16 } from './pcm.ts';
import { placeholderVoice } from './synthesizer.ts';

function sine(hz: number, rateHz: number, seconds = 0.5): Float32Array {
	return Float32Array.from(
		{ length: rateHz * seconds },
		(_, at) => 0.5 * Math.sin((2 * Math.PI * hz * at) / rateHz),
	);
}

/** RMS of the middle, where no edge is heard. */
function level(samples: Float32Array): number {
	const middle = samples.subarray(samples.length >> 2, (samples.length * 3) >> 2);
	return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
}

describe('resampling', () => {
	it.each([
		[48_000, 24_000],
		[22_050, 24_000],
		[24_000, 48_000],
		[24_000, 8000],
	])('keeps a voice as loud and as long: %i to %i', (from, to) => {
		const out = resample(sine(400, from), from, to);
		expect(out.length).toBe(to / 2);
		expect(level(out)).toBeCloseTo(0.5 / Math.SQRT2, 1);
	});

	it('lets nothing fold back that the new rate cannot hold', () => {
		expect(level(resample(sine(9000, 24_000), 24_000, 8000))).toBeLessThan(0.02);
	});

	it.each([
		[22_050, 24_000],
		[24_000, 16_000],
		[8000.5, 24_000],
	])('keeps a note in tune and in time from beginning to end: %f to %i', (from, to) => {
		const note = (rateHz: number) =>
			Float32Array.from({ length: rateHz }, (_, at) => Math.sin((2 * Math.PI * 440 * at) / rateHz));
		const off = resample(note(from), from, to).map((sample, at) =>
			Math.abs(sample - Math.sin((2 * Math.PI * 440 * at) / to)),
		);
		expect(Math.max(...off.subarray(50, to - 100))).toBeLessThan(0.01);
	});
});

it('writes and reads samples alike', () => {
	const samples = Int16Array.of(0, 1, -1, 32_767, -32_768);
	expect(s16Of(s16Bytes(samples))).toEqual(samples);
	expect(toS16(Float32Array.of(2, -2, 0))).toEqual(Int16Array.of(32_767, -32_767, 0));
	expect(toFloat(Int16Array.of(-32_768))).toEqual(Float32Array.of(-1));
});

it('gives every text a voice that is heard, longer for longer texts, and never endless', () => {
	const short = placeholderVoice('Hola.');
	expect(level(short)).toBeGreaterThan(0.02);
	expect(placeholderVoice('Hola a todos los que están aquí.').length).toBeGreaterThan(short.length);
	expect(placeholderVoice('').length).toBeGreaterThan(0);
	expect(placeholderVoice('palabra '.repeat(5000)).length / 24_000).toBeLessThan(700);
});
