import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VoiceQueue } from './voice-queue.ts';

const RATE_HZ = 24_000;
const PER_MS = RATE_HZ / 1000;

test('gives every sample once and in order, however unevenly the pieces come, some of them twice', () => {
	const piece = fc.record({
		ms: fc.integer({ min: 1, max: 120 }),
		lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
		isTwice: fc.boolean(),
	});
	fc.assert(
		fc.property(
			fc.array(piece, { minLength: 1, maxLength: 12 }),
			fc.integer({ min: 20, max: 480 }),
			(list, step) => {
				const queue = new VoiceQueue(RATE_HZ);
				let total = 0;
				let dueMs = 0;
				// Each sample is its own number: a ramp has no jump that would be smoothed.
				const coming = list.map(({ ms, lateMs, isTwice }, sequence) => {
					const samples = Int16Array.from({ length: ms * PER_MS }, (_, index) => total + index);
					total += samples.length;
					dueMs = Math.max(dueMs, total / PER_MS + lateMs);
					return {
						atMs: dueMs,
						isTwice,
						piece: {
							transcriptionId: 's',
							partId: '0',
							sequence,
							last: sequence === list.length - 1,
							samples,
						},
					};
				});
				const heard: number[] = [];
				const out = new Float32Array(step);
				for (let nowMs = 0; nowMs < dueMs + 2000; nowMs += step / PER_MS) {
					while (coming[0] && coming[0].atMs <= nowMs) {
						const next = coming.shift();
						for (let times = next?.isTwice ? 2 : 1; next && times > 0; times -= 1)
							queue.push(next.piece, nowMs);
					}
					queue.ready(nowMs);
					const count = queue.take(out, 0, step);
					for (const sample of out.subarray(0, count)) heard.push(Math.round(sample * 32_768));
					if (count < step && queue.length === 0 && !queue.isWhole) queue.ranDry();
				}
				expect(heard).toEqual(Array.from({ length: total }, (_, index) => index));
			},
		),
		{ numRuns: 60 },
	);
});

test('waits for the worst of a jittery way, but a single stall makes it wait no longer', () => {
	const late = (pattern: (index: number) => number) => {
		const queue = new VoiceQueue(RATE_HZ);
		for (let index = 0; index < 60; index += 1) {
			const atMs = index * 40 + pattern(index);
			const samples = new Int16Array(40 * PER_MS);
			queue.push({ transcriptionId: 's', partId: '0', sequence: index, last: false, samples }, atMs);
		}
		return queue.prebufferMs;
	};
	expect(late(() => 0)).toBe(0);
	expect(late((index) => (index % 5) * 15)).toBeGreaterThanOrEqual(50);
	expect(late((index) => (index === 40 ? 500 : 0))).toBe(0);
});

test('when too much waits, what has not begun is skipped, the oldest first, and never the sentence being heard', () => {
	const queue = new VoiceQueue(RATE_HZ);
	queue.setLimit(1000);
	let sequence = 0;
	const sentence = (id: string, ms: number, value: number) =>
		queue.push(
			{
				transcriptionId: id,
				partId: '0',
				sequence: sequence++,
				last: true,
				samples: new Int16Array(ms * PER_MS).fill(value),
			},
			0,
		);
	sentence('heard', 900, 1000);
	queue.ready(0);
	const out = new Float32Array(20 * PER_MS);
	expect(queue.take(out, 0, out.length)).toBe(out.length);
	sentence('second', 100, 2000);
	expect(queue.counts.skipped).toBe(0);
	sentence('third', 100, 3000);
	expect(queue.counts.skipped).toBe(1);
	expect(queue.rest.map(({ transcriptionId }) => transcriptionId)).toEqual(['heard', 'third']);
	sentence('fourth', 900, 4000);
	expect(queue.rest.map(({ transcriptionId }) => transcriptionId)).toEqual(['heard']);
	expect(queue.waitingMs).toBe(880);
});
