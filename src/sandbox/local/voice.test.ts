import { expect, test } from 'vitest';
import { createEspeak, inTwo, joined, type Sound } from './voice.ts';

const piece = (length: number, from: number): Sound => ({
	samples: Int16Array.from({ length }, (_, at) => from + at),
	rateHz: 22_050,
});

test('the first 0.4 s or more are given at once, in whole frames; nothing is lost between it and the rest', () => {
	const first: Sound[] = [];
	const parts = inTwo((sound) => first.push(sound));
	for (let at = 0; at < 3; at += 1) parts.take(piece(2206, at * 2206));
	expect(first).toEqual([]);
	for (let at = 3; at < 9; at += 1) parts.take(piece(2206, at * 2206));
	expect(first).toHaveLength(1);
	expect(first[0]?.samples.length).toBe(20 * 441);
	const rest = parts.rest();
	expect(joined([...first, ...(rest ? [rest] : [])]).samples).toEqual(piece(9 * 2206, 0).samples);
});

test('what is shorter comes in one part, and silence in none', () => {
	const parts = inTwo(() => expect.unreachable());
	expect(parts.rest()).toBeNull();
	parts.take(piece(500, 0));
	expect(parts.rest()?.samples.length).toBe(500);
});

test('espeak-ng gives its sound in pieces as it makes it', async () => {
	const pieces: Sound[] = [];
	const espeak = await createEspeak();
	const text = 'A conferência começará quando o líder chegar.';
	espeak.speak({ text, language: 'pt', timbre: 'low', tempo: 1 }, (sound) => pieces.push(sound));
	expect(pieces.length).toBeGreaterThan(10);
	expect(Math.max(...joined(pieces).samples)).toBeGreaterThan(5000);
});
