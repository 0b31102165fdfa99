import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conversation, speech } from '#test/support/murmur.ts';
import { ECHO_PERIOD_MS, ECHO_WINDOW_MS, type Echo, EchoDetector, EchoLoop } from './echo-guard.ts';

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

const SILENCE_DB = -90;
const VOICE = speech(1, 20_000);
/** The microphone hears the voice 160 ms later and quieter. */
const WAY = 4;
const echoAt = (at: number) => (VOICE[at - WAY] ?? SILENCE_DB) - 12;
const SECOND = 1000 / ECHO_PERIOD_MS;

interface Told {
	readonly at: number;
	readonly what: 'heard' | 'gone';
}

/** Goes on with the voice from reading `from` on; the microphone hears what `heard` says. */
function go(
	loop: EchoLoop,
	from: number,
	count: number,
	heard: (at: number) => number,
	open: (at: number) => boolean = () => true,
): Told[] {
	const told: Told[] = [];
	for (let at = from; at < from + count; at += 1) {
		const what = loop.push(VOICE[at] ?? SILENCE_DB, heard(at), open(at));
		if (what) told.push({ at, what });
	}
	return told;
}

/** A loop, and the reading at which it was known. */
function looped() {
	const loop = new EchoLoop();
	const told = go(loop, 0, 60 * SECOND, echoAt);
	return { loop, told };
}

describe('a loop', () => {
	test('is two echoes at least three seconds apart, told one by one, and no more are told', () => {
		const loop = new EchoLoop();
		const seen: boolean[] = [];
		const told: Told[] = [];
		for (let at = 0; at < 60 * SECOND; at += 1) {
			told.push(...go(loop, at, 1, echoAt));
			seen.push(loop.isLoop);
		}
		expect(told.map(({ what }) => what)).toEqual(['heard', 'heard']);
		const [first = { at: 0 }, second = { at: 0 }] = told;
		expect((second.at - first.at) * ECHO_PERIOD_MS).toBeGreaterThanOrEqual(3000);
		expect(seen.indexOf(true)).toBe(second.at);
		expect(loop.wayMs).toBe(WAY * ECHO_PERIOD_MS);
	});

	test('is none after one echo alone', () => {
		const { told } = looped();
		const loop = new EchoLoop();
		const first = told[0]?.at ?? 0;
		expect(go(loop, 0, first + 1, echoAt)).toEqual([{ at: first, what: 'heard' }]);
		go(loop, first + 1, 20 * SECOND, () => SILENCE_DB);
		expect(loop.isLoop).toBe(false);
	});

	test('is none while the microphone is shut, although the way is known then', () => {
		const loop = new EchoLoop();
		expect(go(loop, 0, 60 * SECOND, echoAt, () => false)).toEqual([]);
		expect([loop.isLoop, loop.wayMs]).toEqual([false, WAY * ECHO_PERIOD_MS]);
	});

	test('counts what was heard from the moment the microphone was opened, not what is left of before', () => {
		const opened = 400;
		const loop = new EchoLoop();
		const [first] = go(loop, 0, 60 * SECOND, echoAt, (at) => at >= opened);
		expect(((first?.at ?? 0) - opened + 1) * ECHO_PERIOD_MS).toBeGreaterThanOrEqual(ECHO_WINDOW_MS);
		// Shut again and again before a whole window was heard, it never counts.
		const window = ECHO_WINDOW_MS / ECHO_PERIOD_MS;
		expect(go(new EchoLoop(), 0, 60 * SECOND, echoAt, (at) => at % window !== 0)).toEqual([]);
	});
});

describe('a loop is over', () => {
	test('after half a minute of a voice that nobody hears, one echo for each', () => {
		const { loop } = looped();
		const told = go(loop, 60 * SECOND, 240 * SECOND, () => SILENCE_DB);
		expect(told.map(({ what }) => what)).toEqual(['gone', 'gone']);
		expect([loop.isLoop, loop.wayMs]).toEqual([false, WAY * ECHO_PERIOD_MS]);
		const spoken = (to: number, from: number) =>
			VOICE.slice(from, to).filter((db) => db > -50).length * ECHO_PERIOD_MS;
		const [first = { at: 0 }, second = { at: 0 }] = told;
		// Some echoes are told of what was heard before: the time counts from the last of them.
		expect(spoken(first.at + 1, 60 * SECOND)).toBeGreaterThanOrEqual(30_000);
		expect(spoken(first.at + 1, 60 * SECOND)).toBeLessThan(36_000);
		expect(spoken(second.at + 1, first.at + 1)).toBe(30_000);
	});

	test('not while the voice is silent, however long', () => {
		const { loop } = looped();
		for (let at = 0; at < 600 * SECOND; at += 1) expect(loop.push(-50, SILENCE_DB, true)).toBeNull();
		expect(loop.isLoop).toBe(true);
	});

	test('not while somebody else speaks: 6 dB above the noise of the room is somebody', () => {
		const said = speech(77, 20_000);
		const { loop } = looped();
		// Loud all the time the voice speaks, and no echo of it.
		const told = go(loop, 60 * SECOND, 60 * SECOND, (at) => Math.max(-54, said[at] ?? 0));
		expect(told).toEqual([]);
	});

	test.each([
		[-53.97, 'gone'],
		[-53.95, null],
	] as const)('in a room as good as silent a microphone at %f dB hears nobody: %s', (db, what) => {
		const { loop } = looped();
		// A quiet moment in between: the room is at its quietest, and by a reading louder when it is heard again.
		const told: unknown[] = [];
		for (let at = 0; at < 45 * SECOND; at += 1) told.push(loop.push(-20, at % 2 === 0 ? -95 : db, true));
		// Half of the readings are silence; the other half counts or does not.
		expect(told.find((one) => one !== null) ?? null).toBe(what);
	});

	test('also in a room that became loud and stays so', () => {
		const { loop } = looped();
		const told = go(loop, 60 * SECOND, 300 * SECOND, (at) => -40 - (at % 2) / 10);
		expect(told.map(({ what }) => what)).toEqual(['gone', 'gone']);
	});
});

test('after a reset nothing is known but the way, and it is found again as the first time', () => {
	const { loop, told } = looped();
	loop.reset();
	expect(loop.isLoop).toBe(false);
	expect(go(loop, 0, 60 * SECOND, echoAt)).toEqual(told);
	// Also in the middle of a count.
	loop.reset();
	go(loop, 0, (told[0]?.at ?? 0) + 1, echoAt);
	go(loop, 0, 10 * SECOND, () => SILENCE_DB);
	loop.reset();
	expect(go(loop, 0, 60 * SECOND, echoAt)).toEqual(told);
});
