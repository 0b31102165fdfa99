import { expect, test } from 'vitest';
import { CHIRP_HZ, chirpSound, compareChirps, findChirps, summary } from './chirps.ts';

const spoken = Float32Array.from(chirpSound(10), (value) => value / 32_768);

function delayed(ms: number, change: (value: number, index: number) => number = (value) => value) {
	const by = Math.round((ms / 1000) * CHIRP_HZ);
	return Float32Array.from(spoken, (_, index) => change(spoken[index - by] ?? 0, index));
}

test('each second of the sound has a chirp, no two nearer than a pair may be apart', () => {
	const at = findChirps(spoken);
	expect(at).toHaveLength(10);
	const gaps = at.slice(1).map((ms, index) => ms - (at[index] ?? 0));
	expect(Math.min(...gaps)).toBeGreaterThan(860);
	expect(new Set(gaps.map((ms) => Math.round(ms))).size).toBeGreaterThan(5);
});

test.each([0, 44, 390.5])('a delay of %s ms is found to a tenth, quieter, upside down and in noise', (ms) => {
	const wave = delayed(ms, (value, index) => -0.3 * value + 0.01 * Math.sin(index * index));
	const heard = compareChirps(spoken, wave);
	expect(heard.lost).toBe(0);
	expect(summary(heard).p50Ms).toBeCloseTo(ms, 0);
	expect(Math.max(...heard.delaysMs.map((each) => Math.abs(each - ms)))).toBeLessThan(0.1);
});

test.each([-1234, 1234])(
	'a recording that began %s ms later by the same clock is put in place',
	(shiftMs) => {
		const frames = (ms: number) => Math.round((Math.max(0, ms) / 1000) * CHIRP_HZ);
		const [said, wave] = [spoken.subarray(frames(-shiftMs)), delayed(44).subarray(frames(shiftMs))];
		const heard = compareChirps(said, wave, shiftMs);
		expect(heard).toMatchObject({ lost: 0 });
		expect(heard.spoken).toBeGreaterThan(7);
		for (const ms of heard.delaysMs) expect(ms).toBeCloseTo(44, 0);
	},
);

test('a chirp that is cut out is lost and pairs with no other', () => {
	const from = Math.round(((findChirps(spoken)[4] ?? 0) / 1000) * CHIRP_HZ);
	const wave = delayed(40, (value, index) => (index > from && index < from + 6000 ? 0 : value));
	const heard = compareChirps(spoken, wave);
	expect(heard.lost).toBe(1);
	expect(Math.max(...heard.delaysMs)).toBeLessThan(41);
});
