import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PcmQueue } from './pcm-queue.ts';

const filled = (queue: PcmQueue, count: number) => {
	const out = new Float32Array(count);
	return { there: queue.read(out), samples: [...out] };
};

describe('the queue of samples', () => {
	test('gives what was written, in order, across the end of the ring', () => {
		const queue = new PcmQueue(new Float32Array(4));
		queue.write([1, 2, 3]);
		expect(filled(queue, 2)).toEqual({ there: 2, samples: [1, 2] });
		queue.write([4, 5, 6]);
		expect(filled(queue, 4)).toEqual({ there: 4, samples: [3, 4, 5, 6] });
	});

	test('is silent and counts where there is nothing', () => {
		const queue = new PcmQueue(new Float32Array(4));
		queue.write([1]);
		expect(filled(queue, 3)).toEqual({ there: 1, samples: [1, 0, 0] });
		expect(queue.underrun).toBe(2);
	});

	test('loses the oldest when there is no room, and counts it', () => {
		const queue = new PcmQueue(new Float32Array(3));
		queue.write([1, 2]);
		expect(queue.write([3, 4, 5, 6])).toBe(3);
		expect(queue.overflow).toBe(3);
		expect(filled(queue, 3)).toEqual({ there: 3, samples: [4, 5, 6] });
	});

	test('is a first-in first-out list that forgets from the front, whatever the order of calls', () => {
		const steps = fc.array(
			fc.oneof(
				fc.record({ do: fc.constant('write' as const), count: fc.nat(20) }),
				fc.record({ do: fc.constant('read' as const), count: fc.nat(20) }),
				fc.record({ do: fc.constant('skip' as const), count: fc.nat(20) }),
			),
		);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 16 }), steps, (capacity, moves) => {
				const queue = new PcmQueue(new Int16Array(capacity));
				let model: number[] = [];
				let next = 1;
				let lost = 0;
				for (const move of moves) {
					if (move.do === 'write') {
						const samples = Array.from({ length: move.count }, () => next++);
						model.push(...samples);
						lost += Math.max(0, model.length - capacity);
						model = model.slice(-capacity);
						queue.write(samples);
					} else if (move.do === 'read') {
						const out = new Int16Array(move.count);
						const there = queue.read(out);
						const wanted = model.splice(0, move.count);
						expect([...out]).toEqual([...wanted, ...Array(move.count - wanted.length).fill(0)]);
						expect(there).toBe(wanted.length);
					} else expect(queue.skip(move.count)).toBe(model.splice(0, move.count).length);
					expect([queue.length, queue.overflow]).toEqual([model.length, lost]);
				}
			}),
		);
	});
});
