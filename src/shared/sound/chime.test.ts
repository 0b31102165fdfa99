import { describe, expect, test } from 'vitest';
import { chime } from './chime.ts';
import { measureLevel } from './level.ts';
import { encodeWav } from './wav.ts';

/** How loud a tone of `hz` is in a part of the sound, dB below a full sine. */
function toneDb(part: Float32Array, hz: number): number {
	let [sine, cosine] = [0, 0];
	for (const [at, sample] of part.entries()) {
		sine += sample * Math.sin((2 * Math.PI * hz * at) / 48_000);
		cosine += sample * Math.cos((2 * Math.PI * hz * at) / 48_000);
	}
	return 20 * Math.log10((2 * Math.hypot(sine, cosine)) / part.length);
}

describe('the test sound', () => {
	const sound = chime().samples;
	const ms = (from: number, to: number) => sound.subarray(from * 48, to * 48);

	test('lasts 1.1 s at 48 kHz', () => {
		expect([chime().rateHz, sound.length]).toEqual([48_000, 52_800]);
	});

	test.each([
		[659.26, 0],
		[880, 160],
		[1108.73, 320],
	])('has a note of %f Hz from %i ms on, and not before', (hz, fromMs) => {
		// Each falls to a third in 220 ms, and all of it to nothing at the end.
		const expectedDb = (atMs: number) =>
			20 * Math.log10(0.2 * Math.exp(-(atMs - fromMs) / 220) * (1 - atMs / 1100));
		for (const afterMs of [60, 130, 300, 600])
			expect(
				Math.abs(toneDb(ms(fromMs + afterMs - 50, fromMs + afterMs + 50), hz) - expectedDb(fromMs + afterMs)),
			).toBeLessThan(1.5);
		if (fromMs > 0) expect(toneDb(ms(fromMs - 100, fromMs), hz)).toBeLessThan(expectedDb(fromMs + 50) - 15);
	});

	test('each note rises for 8 ms: a tenth of it after one, all of it after eight', () => {
		expect(measureLevel(ms(0, 1)).peakDb).toBeLessThan(20 * Math.log10(0.026));
		expect(measureLevel(ms(0, 4)).peakDb).toBeLessThan(20 * Math.log10(0.101));
		expect(measureLevel(ms(8, 12)).peakDb).toBeCloseTo(20 * Math.log10(0.19), 0);
		expect(measureLevel(ms(1090, 1100)).peakDb).toBeLessThan(-60);
	});

	test('is audible, never clips, and neither begins nor ends with a click', () => {
		const { samples, rateHz } = chime();
		expect(samples.length / rateHz).toBeLessThan(1.5);
		const { peakDb, rmsDb } = measureLevel(samples);
		expect(peakDb).toBeLessThan(-3);
		expect(rmsDb).toBeGreaterThan(-35);
		expect(Math.abs(samples[0] ?? 1)).toBeLessThan(0.001);
		expect(Math.abs(samples.at(-1) ?? 1)).toBeLessThan(0.001);
	});
});

describe('a WAV file', () => {
	test('carries the samples and clips what is too loud', () => {
		const bytes = encodeWav([0, 0.5, -0.5, 2, -2], 16_000);
		const view = new DataView(bytes.buffer);
		expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('RIFF');
		expect(view.getUint32(4, true)).toBe(bytes.length - 8);
		expect([view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)]).toEqual([
			1, 16_000, 16,
		]);
		expect(view.getUint32(40, true)).toBe(10);
		expect([0, 1, 2, 3, 4].map((index) => view.getInt16(44 + index * 2, true))).toEqual([
			0, 16_384, -16_383, 32_767, -32_767,
		]);
	});
});
