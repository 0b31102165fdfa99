import { describe, expect, test } from 'vitest';
import { speech } from '#test/support/murmur.ts';
import { ECHO_PERIOD_MS, ECHO_WINDOW_MS } from './echo-detector.ts';
import { EchoLoop } from './echo-loop.ts';

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
