import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conversation, speech } from '#test/support/murmur.ts';
import { ECHO_PERIOD_MS, ECHO_WINDOW_MS, type Echo, EchoDetector } from './echo-detector.ts';

const LENGTH = 1500;
const atLeast = (one: number, other: number) => Math.max(one, other);

function run(voice: readonly number[], heard: (at: number) => number): Echo[] {
	const detector = new EchoDetector();
	return voice.flatMap((db, at) => detector.push(db, heard(at)) ?? []);
}

const seeds = fc.integer({ min: 1, max: 100_000 });

/** A voice whose loudness jumps about by as much as 8 dB from one reading to the next. */
function restless(length: number, most = 4): number[] {
	let state = 1;
	return Array.from({ length }, () => {
		state = (state * 48_271) % 2_147_483_647;
		return -30 + (state / 2_147_483_647 - 0.5) * 2 * most;
	});
}
/** At which readings an echo is told, and of which delay. */
function told(voice: readonly number[], heard: (at: number) => number, detector = new EchoDetector()) {
	return voice.flatMap((db, at) => {
		const echo = detector.push(db, heard(at));
		return echo ? [[at + 1, echo.delayMs]] : [];
	});
}

describe('when an echo is told', () => {
	const voice = restless(210);

	test.each([0, 1, 4, 20])(
		'with a way of %i readings: after a window and two more comparisons, and each third again',
		(lag) => {
			expect(ECHO_WINDOW_MS).toBe(121 * 40);
			expect(told(voice, (at) => (voice[at - lag] ?? -90) - 10)).toEqual([
				[142, lag * 40],
				[172, lag * 40],
				[202, lag * 40],
			]);
		},
	);

	test('a way of more than 800 ms is none', () => {
		expect(told(voice, (at) => voice[at - 21] ?? -90)).toEqual([]);
	});

	test('after a reset it begins anew', () => {
		const detector = new EchoDetector();
		const echo = (at: number) => voice[at - 4] ?? -90;
		for (const length of [142, 141, 130, 5]) {
			told(voice.slice(0, length), echo, detector);
			detector.reset();
			expect(told(voice.slice(0, 150), echo, detector)).toEqual([[142, 160]]);
			detector.reset();
		}
	});

	test('is as alike as 1 where it is the voice itself, less where somebody speaks into it, never where it goes against it', () => {
		const likeness = (heard: (at: number) => number) => run(voice, heard)[0]?.likeness ?? 0;
		const other = speech(9, 210);
		expect(likeness((at) => (voice[at - 4] ?? -90) - 10)).toBeCloseTo(1, 5);
		expect(likeness((at) => -60 - (voice[at - 4] ?? -30))).toBe(0);
		const mixed = likeness((at) => (at % 2 === 0 ? (voice[at - 4] ?? -90) : -31 + (other[at] ?? 0) / 100));
		expect(mixed).toBeLessThan(0.9);
	});

	test('changes of less than 1 dB tell nothing, and none tells more than 8', () => {
		const steps = (size: number) => restless(160).map((db) => -30 + (db > -30 ? size / 2 : -size / 2));
		const changing = (size: number) => {
			const list = steps(size);
			return told(list, (at) => list[at - 4] ?? -90).length;
		};
		// Half of the readings change.
		expect(changing(1.2)).toBe(0);
		expect(changing(1.7)).toBeGreaterThan(0);
		// A jump of 50 dB that both make once hides nothing of the rest.
		const bang = (list: readonly number[], place: number) =>
			list.map((db, at) => (at >= place ? db - 24 : db));
		expect(told(bang(voice, 60), (at) => bang(voice, 70)[at - 4] ?? -90)[0]).toEqual([142, 160]);
	});

	test('what is no number, or quieter than -60 dB, is silence; what is louder than -6 is as loud as that', () => {
		const loud = voice.map((db) => db + 22);
		expect(told(loud, (at) => Math.min(-6, loud[at - 4] ?? -90) - 20)[0]).toEqual([142, 160]);
		const quiet = voice.map((db) => db - 40);
		expect(told(quiet, (at) => quiet[at - 4] ?? -90)).toEqual([]);
		expect(told(voice, (at) => (at % 3 === 0 ? Number.NaN : Number.POSITIVE_INFINITY))).toEqual([]);
	});
});

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
