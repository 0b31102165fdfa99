import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSendQueue } from './send-queue.ts';

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
