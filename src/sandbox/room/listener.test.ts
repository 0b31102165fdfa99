import { expect, it } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createListener, levelFromDb, levelFromSize } from './listener.ts';

const speech = Uint8Array.from({ length: 80 }, (_, index) => (index === 0 ? 0xf8 : index));

function setUp() {
	const clock = createManualClock();
	const heard: { level: number; durationMs: number }[] = [];
	const packets: Uint8Array[] = [];
	const listener = createListener(clock, {
		hear: (level, durationMs) => heard.push({ level, durationMs }),
		heardPacket: (payload) => packets.push(payload),
	});
	return { clock, heard, packets, listener };
}

it('reads the level a client sends as decibels below full scale', () => {
	expect([levelFromDb(0), levelFromDb(20), levelFromDb(40), levelFromDb(127)]).toEqual([1, 0.1, 0.01, 0]);
});

it('tells each packet with its own duration, and hands it on for echoing', () => {
	const { heard, packets, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: speech, levelDb: 20 });
	listener.heard({
		ssrc: 1,
		timestamp: 0,
		payload: Uint8Array.of(0xf9, ...speech.subarray(1)),
		levelDb: 127,
	});
	expect(heard).toEqual([
		{ level: 0.1, durationMs: 20 },
		{ level: 0, durationMs: 40 },
	]);
	expect(packets).toHaveLength(2);
});

it('guesses from the size of the packet where the client sends no level', () => {
	const { heard, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: speech, levelDb: null });
	listener.heard({ ssrc: 1, timestamp: 0, payload: speech.subarray(0, 8), levelDb: null });
	expect(heard[0]?.level).toBeGreaterThan(0.1);
	expect(heard[1]?.level).toBe(0);
	expect(levelFromSize(160, 40)).toBe(levelFromSize(80, 20));
});

it('listens to one track at a time, and to another once the first has been still for a second', () => {
	const { clock, heard, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: speech, levelDb: 20 });
	listener.heard({ ssrc: 2, timestamp: 0, payload: speech, levelDb: 0 });
	expect(heard).toHaveLength(1);
	clock.advance(1000);
	listener.heard({ ssrc: 2, timestamp: 0, payload: speech, levelDb: 0 });
	expect(heard.at(-1)?.level).toBe(1);
});

it('hears nothing in an empty packet', () => {
	const { heard, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: new Uint8Array(0), levelDb: 10 });
	expect(heard).toEqual([]);
});

/** The packet an encoder sends before it stops sending. */
const dtx = Uint8Array.of(0xf8);

it('tells the pauses of DTX as silence, in steps, and no more than there was', () => {
	const { clock, heard, listener } = setUp();
	for (let turn = 0; turn < 5; turn += 1) {
		listener.heard({ ssrc: 1, timestamp: turn * 420 * 48, payload: dtx, levelDb: 127 });
		clock.advance(420);
	}
	listener.heard({ ssrc: 1, timestamp: 5 * 420 * 48, payload: speech, levelDb: 20 });
	const silent = heard.filter(({ level }) => level === 0);
	expect(silent.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBeCloseTo(5 * 420, -2);
	expect(Math.max(...silent.map(({ durationMs }) => durationMs))).toBe(100);
	expect(heard.at(-1)).toEqual({ level: 0.1, durationMs: 20 });
});

it('takes packets that come late for what they are, not for a pause', () => {
	const { clock, heard, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: speech, levelDb: 20 });
	clock.advance(500);
	for (let late = 1; late < 25; late += 1) {
		listener.heard({ ssrc: 1, timestamp: late * 960, payload: speech, levelDb: 20 });
	}
	expect(heard).toHaveLength(25);
	expect(heard.every(({ level }) => level === 0.1)).toBe(true);
});

it('tells nothing more of a microphone that is gone', () => {
	const { clock, heard, listener } = setUp();
	listener.heard({ ssrc: 1, timestamp: 0, payload: dtx, levelDb: 127 });
	clock.advance(10_000);
	expect(heard.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBe(1020);
	listener.close();
	expect(clock.pending).toBe(0);
});
