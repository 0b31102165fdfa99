import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from '#shared/lib/base64.ts';
import { anyText } from '#test/support/texts.ts';
import { bytesToS16, floatToS16, PcmQueue, s16ToBytes, s16ToFloat } from './pcm.ts';

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

	test('without room is a mistake', () => {
		expect(() => new PcmQueue(new Float32Array(0))).toThrow('a queue without room');
	});

	test('takes a part of what it is given, and fills a part of what is asked for', () => {
		const queue = new PcmQueue(new Float32Array(4));
		expect(queue.write([1, 2, 3, 4, 5], 1, 3)).toBe(0);
		const out = new Float32Array(6).fill(9);
		expect(queue.read(out, 1, 4)).toBe(3);
		expect([...out]).toEqual([9, 2, 3, 4, 0, 9]);
		expect([queue.underrun, queue.overflow]).toEqual([1, 0]);
		queue.write([6, 7], 1);
		out.fill(9);
		// Taking samples leaves the rest unchanged, and counts no gap.
		expect(queue.take(out, 2)).toBe(1);
		expect([...out]).toEqual([9, 9, 7, 9, 9, 9]);
		expect(queue.underrun).toBe(1);
		expect(queue.write([1, 2, 3, 4, 5, 6], 1, 5)).toBe(1);
		queue.read(out, 0, 4);
		expect([...out.subarray(0, 4)]).toEqual([3, 4, 5, 6]);
	});

	test('forgets, from the front or all of it, without a word of loss', () => {
		const queue = new PcmQueue(new Float32Array(4));
		queue.write([1, 2, 3]);
		expect([queue.skip(-1), queue.skip(1), queue.length]).toEqual([0, 1, 2]);
		expect(queue.skip(5)).toBe(2);
		queue.write([4, 5]);
		queue.clear();
		expect([queue.length, queue.overflow, queue.underrun]).toEqual([0, 0, 0]);
		queue.write([6]);
		expect(filled(queue, 1)).toEqual({ there: 1, samples: [6] });
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

describe('16-bit samples', () => {
	test('come back from floats exactly as they were', () => {
		fc.assert(
			fc.property(fc.int16Array(), (samples) => {
				const floats = new Float32Array(samples.length);
				s16ToFloat(samples, floats);
				const back = new Int16Array(samples.length);
				floatToS16(floats, back);
				expect(back).toEqual(samples);
			}),
		);
	});

	test('are clipped, never wrapped round, and NaN is silence', () => {
		const out = new Int16Array(5);
		floatToS16([1, 7, -1, -9, Number.NaN], out);
		expect([...out]).toEqual([32_767, 32_767, -32_768, -32_768, 0]);
	});

	test('are as many as there are and as there is room for; the rest of the room stays as it was', () => {
		const whole = new Int16Array(3).fill(9);
		floatToS16([0.5], whole);
		expect([...whole]).toEqual([16_384, 9, 9]);
		const floats = new Float32Array(3).fill(9);
		s16ToFloat([16_384], floats);
		expect([...floats]).toEqual([0.5, 9, 9]);
		floatToS16([0.5, 1, 1, 1], whole);
		expect([...whole]).toEqual([16_384, 32_767, 32_767]);
	});

	test('travel as little-endian bytes', () => {
		expect([...s16ToBytes(Int16Array.of(1, -2))]).toEqual([1, 0, 0xfe, 0xff]);
		fc.assert(
			fc.property(fc.int16Array(), (samples) => {
				expect(bytesToS16(s16ToBytes(samples))).toEqual(samples);
			}),
		);
	});

	test('are refused with half a sample missing', () => expect(bytesToS16(new Uint8Array(3))).toBeNull());
});

describe('base64', () => {
	test('is what everyone else writes and reads', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
				const text = Buffer.from(bytes).toString('base64');
				expect(encodeBase64(bytes)).toBe(text);
				expect(decodeBase64(text)).toEqual(new Uint8Array(bytes));
				expect(decodeBase64(text.replace(/=+$/, ''))).toEqual(new Uint8Array(bytes));
			}),
		);
	});

	test.each(['A', '====', 'AA=A', 'AA A', 'AAÄA', 'AAAA\n', '{}', '=AAA'])('%j is refused', (text) =>
		expect(decodeBase64(text)).toBeNull(),
	);

	test('of anything never throws', () => {
		fc.assert(fc.property(anyText, (text) => void decodeBase64(text)));
	});
});
