import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PcmQueue } from './pcm.ts';
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

	test('knows no pace below 1 or above 1.15', () => {
		const sound = sine(200, RATE);
		expect(stretch(sound, () => 0)).toEqual(sound);
		expect(stretch(sound, () => 3)).toEqual(stretch(sound, () => 1.15));
	});

	test('gains what it should, to 10 ms, over every second of it', () => {
		for (const tempo of [1.04, 1.1, 1.15]) {
			const queue = queueOf(sine(170, RATE * 4));
			const stretcher = new TimeStretch(RATE);
			const quantum = new Float32Array(128);
			for (let turn = 1; turn <= 560; turn += 1) {
				stretcher.pull(queue, quantum, tempo);
				if (turn % 93 !== 0) continue;
				const heard = (turn * 128) / RATE;
				const taken = (RATE * 4 - queue.length - stretcher.held) / RATE;
				expect(Math.abs(taken - heard * tempo)).toBeLessThan(0.012);
			}
		}
	});

	test('keeps a tone a tone: what is not of its pitch is 25 dB down in every tenth of a second', () => {
		for (const hz of [110, 200, 310]) {
			const sound = stretch(sine(hz, RATE * 2), () => 1.12);
			for (let from = 0; from + 2400 < sound.length - 1200; from += 2400) {
				const part = sound.subarray(from, from + 2400);
				let [sines, cosines, energy] = [0, 0, 0];
				for (const [at, sample] of part.entries()) {
					sines += sample * Math.sin((2 * Math.PI * hz * at) / RATE);
					cosines += sample * Math.cos((2 * Math.PI * hz * at) / RATE);
					energy += sample * sample;
				}
				const tone = (2 * (sines * sines + cosines * cosines)) / part.length;
				expect(tone / energy).toBeGreaterThan(0.997);
			}
		}
	});

	test('fills a part of what it is given, and says how much; the rest after it is silent', () => {
		const stretcher = new TimeStretch(RATE);
		const queue = queueOf(new Float32Array(100).fill(0.5));
		const out = new Float32Array(300).fill(9);
		expect(stretcher.pull(queue, out, 1, 50)).toBe(100);
		expect([...new Set(out.subarray(0, 50))]).toEqual([9]);
		expect([...new Set(out.subarray(50, 150))]).toEqual([0.5]);
		expect([...new Set(out.subarray(150))]).toEqual([0]);
		expect([stretcher.held, stretcher.pull(queue, out, 1)]).toEqual([0, 0]);
	});

	test('every sample is either heard, held or left out for the pace: at 1 none is left out', () => {
		const stretcher = new TimeStretch(RATE);
		const queue = queueOf(sine(200, RATE));
		const quantum = new Float32Array(100);
		for (let turn = 1; turn <= 200; turn += 1) {
			expect(stretcher.pull(queue, quantum, 1)).toBe(100);
			expect(queue.length + stretcher.held + turn * 100).toBe(RATE);
			expect(stretcher.held).toBeLessThanOrEqual(RATE * 0.05);
		}
	});

	test('goes back to the pace of the speech at once, sample by sample', () => {
		const sound = sine(310, RATE);
		const stretcher = new TimeStretch(RATE);
		const queue = queueOf(sound);
		stretcher.pull(queue, new Float32Array(4800), 1.15);
		const rest = new Float32Array(RATE);
		// What was made ahead at the other pace comes first, 12 ms at most.
		const place = RATE - queue.length - stretcher.held;
		const count = stretcher.pull(queue, rest, 1);
		expect(count).toBe(RATE - place);
		expect(rest.subarray(288, count)).toEqual(sound.subarray(place + 288));
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
