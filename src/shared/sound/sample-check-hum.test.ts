import { expect, test } from 'vitest';
import { hums } from './sample-check.ts';

const RATE_HZ = 24_000;

/** Five seconds: words of a third of a second, and between them what `room` gives (−1..1). */
function recording(room: (seconds: number) => number): Int16Array {
	return Int16Array.from({ length: 5 * RATE_HZ }, (_, at) => {
		const seconds = at / RATE_HZ;
		const word = seconds % 1 < 0.33 ? 0.3 * Math.sin(2 * Math.PI * 220 * seconds) : 0;
		return Math.round(32_767 * Math.max(-1, Math.min(1, word + room(seconds))));
	});
}

const sine = (hz: number, loud: number) => (seconds: number) => loud * Math.sin(2 * Math.PI * hz * seconds);
let seed = 1;
const noise = (loud: number) => () => {
	seed = (seed * 48_271) % 2_147_483_647;
	return loud * (seed / 1_073_741_823.5 - 1);
};

test.each([
	['50 Hz', sine(50, 0.01)],
	['60 Hz', sine(60, 0.01)],
	['its overtones', (seconds: number) => sine(150, 0.006)(seconds) + sine(250, 0.006)(seconds)],
	['over a little noise', (seconds: number) => sine(50, 0.02)(seconds) + noise(0.01)()],
])('%s hums', (_, room) => expect(hums(recording(room), RATE_HZ)).toBe(true));

test.each([
	['a quiet room', noise(0.0005)],
	['a fan', noise(0.03)],
	['a hum that nobody hears', sine(50, 0.0005)],
	['another tone', sine(440, 0.02)],
	['nothing', () => 0],
])('%s does not', (_, room) => expect(hums(recording(room), RATE_HZ)).toBe(false));

test('less than a tenth of a second says nothing', () => {
	expect(hums(new Int16Array(0), RATE_HZ)).toBe(false);
	expect(hums(new Int16Array(100).fill(9000), RATE_HZ)).toBe(false);
	expect(hums(new Int16Array(100).fill(9000), 1)).toBe(false);
});

test('a tenth of a second is enough', () => {
	const hum = (length: number) =>
		Int16Array.from({ length }, (_, at) => 3000 * Math.sin((2 * Math.PI * 50 * at) / RATE_HZ));
	expect(hums(hum(2400), RATE_HZ)).toBe(true);
	expect(hums(hum(2399), RATE_HZ)).toBe(false);
});

test('the sixth overtone is the last that counts', () => {
	expect(hums(recording(sine(360, 0.02)), RATE_HZ)).toBe(true);
	expect(hums(recording(sine(420, 0.02)), RATE_HZ)).toBe(false);
});
