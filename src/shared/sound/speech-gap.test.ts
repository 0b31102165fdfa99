import { expect, test } from 'vitest';
import { createSpeechGap } from './speech-gap.ts';

/** Readings 40 ms apart; the quiet that the last of them leaves, ms. */
function after(...levelsDb: readonly number[]): number {
	const gap = createSpeechGap();
	return levelsDb.reduce((_, db, index) => gap.push(db, index * 40), 0);
}
const times = (count: number, db: number): number[] => Array.from({ length: count }, () => db);

test('counts from the first soft reading, and from nothing when somebody speaks on', () => {
	expect(after(-20, -45)).toBe(0);
	expect(after(-20, -45, -45, -45)).toBe(80);
	expect(after(-20, -45, -45, -30)).toBe(0);
	expect(after(-20, -45, -45, -30, -50, -50)).toBe(40);
});

test('20 dB below the loudest is a pause, and not what is softer by less', () => {
	expect(after(-20, ...times(5, -40.1))).toBe(160);
	expect(after(-20, ...times(5, -40))).toBe(0);
});

test('in a loud room the pauses of a loud speaker are found, and soft speech is not one', () => {
	expect(after(-12, ...times(10, -38))).toBe(360);
	expect(after(-45, ...times(10, -55))).toBe(0);
});

test('where nobody has spoken, or the microphone is muted, it is quiet', () => {
	expect(after(...times(11, Number.NEGATIVE_INFINITY))).toBe(400);
	expect(after(...times(11, -60.1))).toBe(400);
	expect(after(...times(11, -60))).toBe(0);
});
