import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENCE } from '#sandbox/speech/codec.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createPacer, type PacedPacket } from './voices.ts';

/** A 20 ms packet that can be told from silence. */
const packet = (mark: number) => Uint8Array.of(0xf8, 1, mark);

function setUp() {
	const clock = createManualClock();
	const pacer = createPacer(clock);
	const sent: (PacedPacket & { atMs: number })[] = [];
	const lane = pacer.lane((each) => sent.push({ ...each, atMs: clock.now() }));
	return {
		clock,
		pacer,
		lane,
		sent,
		marks: () => sent.flatMap(({ payload }) => (payload === SILENCE ? [] : (payload[2] ?? []))),
	};
}

describe('a lane', () => {
	it('sends silence every 20 ms while nothing is said', () => {
		const { clock, sent } = setUp();
		clock.advance(100);
		expect(sent.map(({ atMs }) => atMs)).toEqual([0, 20, 40, 60, 80, 100]);
		expect(sent.every(({ payload }) => payload === SILENCE)).toBe(true);
	});

	it('numbers packets one by one and stamps them 960 samples apart, speech or not', () => {
		const { clock, lane, sent } = setUp();
		clock.advance(30);
		lane.speak([packet(1), packet(2)]);
		clock.advance(100);
		for (const [index, each] of sent.entries()) {
			if (index === 0) continue;
			expect((each.sequence - (sent[index - 1]?.sequence ?? 0) + 0x10000) % 0x10000).toBe(1);
			expect((each.timestamp - (sent[index - 1]?.timestamp ?? 0) + 2 ** 32) % 2 ** 32).toBe(960);
		}
		expect(sent.filter(({ marker }) => marker).map(({ payload }) => payload[2])).toEqual([1]);
	});

	it('says one phrase after the other, and each is done when its last packet has gone', async () => {
		const { clock, lane, marks } = setUp();
		const done: string[] = [];
		void lane.speak([packet(1), packet(2)]).done.then(() => done.push('first'));
		void lane.speak([packet(3)]).done.then(() => done.push('second'));
		await clock.run(20);
		expect([marks(), done]).toEqual([[1, 2], ['first']]);
		await clock.run(20);
		expect([marks(), done]).toEqual([
			[1, 2, 3],
			['first', 'second'],
		]);
	});

	it('cuts a dropped phrase at once and goes on with the next', async () => {
		const { clock, lane, marks } = setUp();
		const dropped = lane.speak([packet(1), packet(2), packet(3)]);
		lane.speak([packet(9)]);
		await clock.run(20);
		dropped.drop();
		await dropped.done;
		await clock.run(40);
		expect(marks()).toEqual([1, 2, 9]);
	});

	it('resolves what it still had when it is closed, and sends nothing more', async () => {
		const { clock, lane, sent } = setUp();
		const { done } = lane.speak([packet(1), packet(2)]);
		lane.close();
		await done;
		const before = sent.length;
		await clock.run(200);
		expect(sent.length).toBe(before);
		expect(clock.pending).toBe(0);
		await lane.speak([packet(3)]).done;
	});

	it('keeps real time, however late its timer is', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 50, maxLength: 200 }), (steps) => {
				// A clock that only moves in jumps is a timer that is late by up to a jump.
				let now = 0;
				let due: (() => void) | null = null;
				const pacer = createPacer({
					now: () => now,
					wall: () => 0,
					after(_delayMs, run) {
						due = run;
						return () => {
							due = null;
						};
					},
					every: () => () => {},
				});
				let count = 0;
				pacer.lane(() => {
					count += 1;
				});
				for (const step of steps) {
					now += step;
					(due as (() => void) | null)?.();
					expect(Math.abs(count - (now / 20 + 1))).toBeLessThanOrEqual(1);
				}
			}),
		);
	});

	it('skips the time the computer slept, in its stamps too', () => {
		const { pacer } = setUp();
		pacer.close();
		let now = 0;
		let due: (() => void) | null = null;
		const asleep = createPacer({
			now: () => now,
			wall: () => 0,
			after(_delayMs, run) {
				due = run;
				return () => {};
			},
			every: () => () => {},
		});
		const sent: PacedPacket[] = [];
		asleep.lane((each) => sent.push(each));
		(due as (() => void) | null)?.();
		now = 60_000;
		(due as (() => void) | null)?.();
		expect(sent.length).toBe(2);
		expect(((sent[1]?.timestamp ?? 0) - (sent[0]?.timestamp ?? 0) + 2 ** 32) % 2 ** 32).toBe(60_000 * 48);
	});
});

it('one timer serves all lanes, and none is left when the last is closed', () => {
	const clock = createManualClock();
	const pacer = createPacer(clock);
	const lanes = Array.from({ length: 5 }, () => pacer.lane(() => {}));
	clock.advance(100);
	expect(clock.pending).toBe(1);
	for (const lane of lanes) lane.close();
	expect(clock.pending).toBe(0);
});
