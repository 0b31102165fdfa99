import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ECHO_PERIOD_MS, type Echo, EchoDetector } from './echo-detector.ts';

/** Loudness of speech: syllables and pauses, as a walk that comes back. `seed` makes another speaker. */
function speech(seed: number, length: number): number[] {
	let state = seed * 2_654_435_761 + 1;
	const random = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
	const out: number[] = [];
	while (out.length < length) {
		const syllables = 3 + Math.floor(random() * 8);
		for (let s = 0; s < syllables; s += 1) {
			const loud = -12 - random() * 14;
			for (let i = 0; i < 2 + random() * 4; i += 1) out.push(loud - random() * 4);
			for (let i = 0; i < random() * 3; i += 1) out.push(-38 - random() * 12);
		}
		for (let i = 0; i < 4 + random() * 14; i += 1) out.push(-70);
	}
	return out.slice(0, length);
}

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
	test('is somebody who speaks while the voice speaks', () => {
		const pairs = fc.sample(fc.tuple(seeds, seeds), 200).filter(([one, other]) => one !== other);
		const alarms = pairs.filter(([one, other]) => {
			const speaker = speech(other + 200_000, LENGTH);
			return run(speech(one, LENGTH), (at) => speaker[at] ?? -70).length > 0;
		});
		// Two random murmurs may be alike by chance for as long as that.
		expect(alarms.length).toBeLessThanOrEqual(2);
	});

	test('is silence, noise that stays, or a voice that does not move', () => {
		expect(run(speech(3, LENGTH), () => -90)).toEqual([]);
		expect(run(speech(3, LENGTH), (at) => -45 - (at % 3))).toEqual([]);
		expect(run(new Array(LENGTH).fill(-20), (at) => speech(5, LENGTH)[at] ?? -70)).toEqual([]);
		expect(run(new Array(LENGTH).fill(Number.NaN), () => Number.NEGATIVE_INFINITY)).toEqual([]);
	});
});
