import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PcmQueue } from './pcm-queue.ts';
import { TEMPO, TimeStretch } from './time-stretch.ts';

const RATE = 24_000;

function sine(hz: number, samples: number): Float32Array {
	return Float32Array.from(
		{ length: samples },
		(_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / RATE),
	);
}

function queueOf(samples: Float32Array): PcmQueue {
	const queue = new PcmQueue(new Float32Array(samples.length + 1));
	queue.write(samples);
	return queue;
}

/** The whole output, in worklet quanta. */
function stretch(samples: Float32Array, tempo: (quantum: number) => number, size = 128): Float32Array {
	const queue = queueOf(samples);
	const stretcher = new TimeStretch(RATE);
	const out: number[] = [];
	const quantum = new Float32Array(size);
	for (let turn = 0; ; turn += 1) {
		const there = stretcher.pull(queue, quantum, tempo(turn));
		out.push(...quantum.subarray(0, there));
		if (there < size) return Float32Array.from(out);
	}
}

function crossings(samples: Float32Array): number {
	let count = 0;
	for (let index = 1; index < samples.length; index += 1)
		if ((samples[index - 1] ?? 0) < 0 && (samples[index] ?? 0) >= 0) count += 1;
	return count;
}

describe('faster speech', () => {
	test('at tempo 1 is the speech itself, sample by sample', () => {
		fc.assert(
			fc.property(
				fc.float32Array({ maxLength: 5000, noNaN: true }),
				fc.integer({ min: 1, max: 700 }),
				(sound, size) => {
					expect(stretch(sound, () => 1, size)).toEqual(sound);
				},
			),
		);
	});

	test.each([1.05, 1.1, 1.15])('at tempo %f takes less time by as much, at the same pitch', (tempo) => {
		const sound = stretch(sine(200, RATE * 4), () => tempo);
		expect(sound.length / ((RATE * 4) / tempo)).toBeCloseTo(1, 1.9);
		expect(crossings(sound) / (sound.length / RATE)).toBeCloseTo(200, -0.4);
	});

	test('has no clicks at the joins, also while the tempo changes', () => {
		const steepest = 2 * Math.PI * 0.5 * (310 / RATE);
		const sound = stretch(sine(310, RATE * 3), (turn) => 1 + 0.15 * Math.abs(Math.sin(turn / 40)));
		let jump = 0;
		for (let index = 1; index < sound.length; index += 1)
			jump = Math.max(jump, Math.abs((sound[index] ?? 0) - (sound[index - 1] ?? 0)));
		expect(jump).toBeLessThan(steepest * 1.5);
	});

	test('never loses the end: what was held back comes when the source runs dry', () => {
		const sound = new Float32Array(RATE);
		sound.fill(0.7, RATE - 240);
		const out = stretch(sound, () => 1.15);
		expect(out.at(-1)).toBeCloseTo(0.7, 5);
	});

	test('fills the rest with silence and never gives what is not a number', () => {
		const tempos = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 50 });
		fc.assert(
			fc.property(
				fc.float32Array({ min: -1, max: 1, noNaN: true, maxLength: 6000 }),
				tempos,
				(sound, list) => {
					const queue = queueOf(sound);
					const stretcher = new TimeStretch(RATE);
					for (const tempo of list) {
						const out = new Float32Array(300).fill(9);
						const there = stretcher.pull(queue, out, tempo);
						expect(out.every((sample) => Math.abs(sample) <= 1)).toBe(true);
						expect(out.subarray(there).every((sample) => sample === 0)).toBe(true);
					}
					expect(stretcher.held).toBeLessThanOrEqual(RATE * 0.08);
				},
			),
		);
	});

	test('after clear the next sound is as it is from the beginning', () => {
		const [used, fresh] = [new TimeStretch(RATE), new TimeStretch(RATE)];
		const quantum = new Float32Array(128);
		const before = queueOf(sine(310, RATE));
		for (let turn = 0; turn < 100; turn += 1) used.pull(before, quantum, TEMPO.max);
		used.clear();
		const [heard, wanted] = [used, fresh].map((stretcher) => {
			const out = new Float32Array(RATE / 2);
			stretcher.pull(queueOf(sine(200, RATE)), out, TEMPO.max);
			return out;
		});
		expect(heard).toEqual(wanted);
	});

	test('after clear nothing of the old sound is heard', () => {
		const stretcher = new TimeStretch(RATE);
		const out = new Float32Array(128);
		stretcher.pull(queueOf(sine(200, RATE)), out, 1.1);
		stretcher.clear();
		expect(stretcher.pull(queueOf(new Float32Array(0)), out, 1.1)).toBe(0);
		expect(out.every((sample) => sample === 0)).toBe(true);
	});
});
