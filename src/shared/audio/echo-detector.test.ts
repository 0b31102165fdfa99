import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conversation, speech } from '#test/support/murmur.ts';
import { ECHO_PERIOD_MS, type Echo, EchoDetector } from './echo-detector.ts';

const LENGTH = 1500;
const atLeast = (one: number, other: number) => Math.max(one, other);

function run(voice: readonly number[], heard: (at: number) => number): Echo[] {
	const detector = new EchoDetector();
	return voice.flatMap((db, at) => detector.push(db, heard(at)) ?? []);
}

const seeds = fc.integer({ min: 1, max: 100_000 });

describe('an echo', () => {
	test('is found, however quiet, late or noisy the room makes it, with its delay', () => {
		fc.assert(
			fc.property(
				seeds,
				fc.integer({ min: 0, max: 15 }),
				fc.integer({ min: 0, max: 18 }),
				fc.integer({ min: -60, max: -52 }),
				(seed, lag, quieter, noise) => {
					const voice = speech(seed, LENGTH);
					const echoes = run(voice, (at) => atLeast((voice[at - lag] ?? -70) - quieter, noise));
					expect(echoes.length).toBeGreaterThan(0);
					expect(Math.abs((echoes[0]?.delayMs ?? 0) - lag * ECHO_PERIOD_MS)).toBeLessThanOrEqual(80);
				},
			),
			{ numRuns: 60 },
		);
	});

	test('is found within six seconds', () => {
		const voice = speech(7, 150);
		expect(run(voice, (at) => (voice[at - 4] ?? -70) - 12)).toHaveLength(1);
	});
});

describe('no echo', () => {
	test('is somebody who speaks while the voice speaks, for six hours', () => {
		const hours = Array.from({ length: 3 }, (_, hour) => hour);
		const length = (3600 * 1000) / ECHO_PERIOD_MS;
		const alarms = hours.flatMap((hour) => {
			const heard = speech(2 * hour + 1, length);
			const { said, voice } = conversation(1000 + hour, length);
			return [
				...run(speech(2 * hour + 2, length), (at) => heard[at] ?? -70),
				...run(voice, (at) => said[at] ?? -70),
			];
		});
		// Murmurs have fewer features than speech; a single alarm has no effect on a conversation.
		expect(alarms.length).toBeLessThanOrEqual(1);
	});

	test('is silence, noise that stays, or a voice that does not move', () => {
		expect(run(speech(3, LENGTH), () => -90)).toEqual([]);
		expect(run(speech(3, LENGTH), (at) => -45 - (at % 3))).toEqual([]);
		expect(run(new Array(LENGTH).fill(-20), (at) => speech(5, LENGTH)[at] ?? -70)).toEqual([]);
		expect(run(new Array(LENGTH).fill(Number.NaN), () => Number.NEGATIVE_INFINITY)).toEqual([]);
	});
});
