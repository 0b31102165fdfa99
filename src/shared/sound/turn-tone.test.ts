import { expect, test } from 'vitest';
import { measureLevel } from './level.ts';
import { turnTone } from './turn-tone.ts';

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
