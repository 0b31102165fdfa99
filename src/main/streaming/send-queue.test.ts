import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSendQueue } from './socket.ts';

/** A socket that takes a frame only when told to. */
function stage() {
	const written: string[] = [];
	const leaving: (() => void)[] = [];
	let droppedMs = 0;
	const queue = createSendQueue({
		write(data, left) {
			written.push(String(data));
			leaving.push(left);
		},
		dropped: (ms) => {
			droppedMs += ms;
		},
	});
	return { queue, written, leave: () => leaving.shift()?.(), droppedMs: () => droppedMs };
}

describe('frames on their way out', () => {
	test('go straight to a socket that takes them', () => {
		const { queue, written, leave, droppedMs } = stage();
		for (let count = 0; count < 20; count += 1) {
			queue.offer(`a${count}`, 320);
			leave();
		}
		expect(written).toHaveLength(20);
		expect(droppedMs()).toBe(0);
	});

	test('wait once half a second is on its way, and the oldest sound goes beyond two', () => {
		const { queue, written, droppedMs } = stage();
		for (let count = 0; count < 10; count += 1) queue.offer(`a${count}`, 320);
		expect(written).toEqual(['a0', 'a1']);
		expect(queue.audioMs).toBe(1920);
		expect(droppedMs()).toBe(1280);
	});

	test('leave at once below half a second, and wait from there', () => {
		const rig = stage();
		for (const [name, ms] of [
			['a', 499],
			['b', 1],
			['c', 1],
			['d', 0],
		] as const)
			rig.queue.offer(name, ms);
		expect(rig.written).toEqual(['a', 'b']);
		rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a', 'b', 'c', 'd'], 2]);
	});

	test('of sound two seconds wait and not a ms more: the oldest of what waits goes, and no command', () => {
		const rig = stage();
		const offer = (name: string, ms: number) => rig.queue.offer(name, ms);
		for (const [name, ms] of [
			['a', 500],
			['stay', 0],
			['b', 700],
			['c', 800],
		] as const)
			offer(name, ms);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([2000, 0]);
		offer('d', 1);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([1301, 700]);
		offer('e', 1400);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([1901, 1500]);
		for (let count = 0; count < 3; count += 1) rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a', 'stay', 'd', 'e'], 1400]);
	});

	test('with nothing left to drop there is no end without one', () => {
		const rig = stage();
		rig.queue.offer('a', 3000);
		rig.queue.offer('b', 1);
		expect([rig.written, rig.queue.audioMs, rig.droppedMs()]).toEqual([['a'], 3000, 1]);
	});

	test('of commands 256 wait; sound has a place all the same', () => {
		const rig = stage();
		rig.queue.offer('a', 500);
		const taken = Array.from({ length: 257 }, (_, at) => rig.queue.offer(`c${at}`, 0));
		expect(taken.filter(Boolean)).toHaveLength(256);
		expect(taken.at(-1)).toBe(false);
		expect(rig.queue.offer('b', 1)).toBe(true);
	});

	test('are forgotten when it is cleared; what was given is still on its way', () => {
		const rig = stage();
		rig.queue.offer('a', 500);
		rig.queue.offer('b', 100);
		rig.queue.clear();
		expect(rig.queue.audioMs).toBe(500);
		rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a'], 0]);
	});

	test('commands are never dropped and keep their place', () => {
		const { queue, written, leave } = stage();
		for (let count = 0; count < 4; count += 1) queue.offer(`a${count}`, 320);
		queue.offer('end', 0);
		for (let count = 4; count < 20; count += 1) queue.offer(`a${count}`, 320);
		for (let count = 0; count < 30; count += 1) leave();
		expect(written.filter((frame) => frame === 'end')).toHaveLength(1);
		expect(written.indexOf('end')).toBeLessThan(written.indexOf('a19'));
	});

	test('a socket that never takes anything holds no more than two seconds and 256 commands', () => {
		const seldom = fc.nat(9).map((number) => number === 0);
		const moves = fc.array(fc.record({ audio: fc.boolean(), leave: seldom }), {
			minLength: 600,
			maxLength: 900,
		});
		fc.assert(
			fc.property(moves, (list) => {
				const { queue, leave, droppedMs } = stage();
				let offeredMs = 0;
				for (const move of list) {
					queue.offer('x', move.audio ? 100 : 0);
					offeredMs += move.audio ? 100 : 0;
					if (move.leave) leave();
					expect(queue.audioMs).toBeLessThanOrEqual(2000);
				}
				expect(droppedMs()).toBeLessThanOrEqual(offeredMs);
			}),
			{ numRuns: 30 },
		);
	});
});
