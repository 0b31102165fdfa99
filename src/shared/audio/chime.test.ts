import { describe, expect, test } from 'vitest';
import { chime } from './chime.ts';
import { measureLevel } from './level.ts';
import { encodeWav } from './wav.ts';

describe('the test sound', () => {
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
