import { describe, expect, test } from 'vitest';
import { measureLevel } from './level.ts';
import { chime, turnTone } from './tones.ts';
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

const { samples, rateHz } = turnTone();
const sound = Float32Array.from(samples, (sample) => sample / 32_768);
const NOTE_HZ = [587.33, 783.99] as const;

function largestStep(part: ArrayLike<number>): number {
	let largest = 0;
	for (let at = 1; at < part.length; at += 1)
		largest = Math.max(largest, Math.abs((part[at] ?? 0) - (part[at - 1] ?? 0)));
	return largest;
}

/** From the way between the first and the last time it rises through zero. */
function pitchOf(part: Float32Array): number {
	const rises: number[] = [];
	for (let at = 1; at < part.length; at += 1) {
		const [before = 0, now = 0] = [part[at - 1], part[at]];
		if (before < 0 && now >= 0) rises.push(at - now / (now - before));
	}
	return ((rises.length - 1) * rateHz) / ((rises.at(-1) ?? 0) - (rises[0] ?? 0));
}

test('lasts 180 ms at 24 kHz', () => {
	expect([rateHz, samples.length]).toEqual([24_000, 4320]);
});

test('is two notes of the same length, the second a fourth higher', () => {
	const half = sound.length / 2;
	expect(pitchOf(sound.subarray(0, half))).toBeCloseTo(NOTE_HZ[0], -0.6);
	expect(pitchOf(sound.subarray(half))).toBeCloseTo(NOTE_HZ[1], -0.6);
	// Also just before and just behind the middle.
	expect(pitchOf(sound.subarray(half - 400, half - 20))).toBeCloseTo(NOTE_HZ[0], -0.6);
	expect(pitchOf(sound.subarray(half + 20, half + 400))).toBeCloseTo(NOTE_HZ[1], -0.6);
});

test('is soft: 18 dB below the loudest there is in the middle, and nothing at both ends', () => {
	expect(measureLevel(sound).peakDb).toBeCloseTo(20 * Math.log10(0.12), 0);
	expect([samples[0], samples.at(-1)]).toEqual([0, 0]);
	const quarter = sound.length / 4;
	const loud = [0, 1, 2, 3].map((part) => measureLevel(sound.subarray(part * quarter, (part + 1) * quarter)));
	// As loud on the way down as on the way up, and 8 dB below the middle.
	expect((loud[0]?.rmsDb ?? 0) - (loud[3]?.rmsDb ?? 0)).toBeCloseTo(0, 0);
	expect((loud[1]?.rmsDb ?? 0) - (loud[0]?.rmsDb ?? 0)).toBeCloseTo(10.8, 0);
});

test('has no click, not where the second note follows on the first either', () => {
	// As much as a pure tone of the higher note moves by itself.
	expect(largestStep(sound)).toBeLessThan(0.12 * 2 * Math.PI * (NOTE_HZ[1] / rateHz) * 1.02);
});
