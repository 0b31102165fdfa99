import { expect, test } from 'vitest';
import { createSpeechDetector } from './setup-page.tsx';

/** After how many of these peaks speech was heard; null = never. */
function heardAfter(peaks: readonly number[]): number | null {
	const ear = createSpeechDetector();
	const at = peaks.findIndex((peak) => ear.push(peak));
	return at < 0 ? null : at + 1;
}

const opening = [-100, -100, -70, -70, -70, -70, -70];
const times = (count: number, ...peaks: readonly number[]) =>
	Array.from({ length: count }, () => peaks).flat();

test('hears a few words within a second and a half', () => {
	const words = [...opening, -65, -66, ...times(10, -20, -14, -40)];
	expect(heardAfter(words)).toBeLessThanOrEqual(opening.length + 15);
});

test('hears somebody who speaks while the microphone is opened, at the first gap between words', () => {
	expect(heardAfter([...times(12, -18, -15), -45, -20, -16])).not.toBeNull();
});

test.each([
	['silence', times(200, -100)],
	['a quiet room', times(200, -72, -69, -75)],
	['a fan', [-100, -100, ...times(200, -32, -35, -30)]],
	['knocks two seconds apart', [...opening, ...times(20, ...times(18, -65), -10, -12)]],
	['whispering that nobody would understand', [...opening, ...times(40, -50, -65)]],
])('does not take %s for speech', (_, peaks) => {
	expect(heardAfter(peaks)).toBeNull();
});
