import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRandom } from '#test/support/random.ts';
import { Concealment } from './concealment.ts';

const RATE_HZ = 24_000;
const BLOCK = 60;

/** Nothing comes after `heard`: its last block as played, and the concealment after it. */
function conceal(heard: Float32Array, count: number) {
	const concealment = new Concealment(RATE_HZ);
	const last = heard.length - BLOCK;
	for (let at = 0; at < last; at += BLOCK) concealment.heard(heard.subarray(at, at + BLOCK));
	const tail = heard.slice(last);
	concealment.begin(new Float32Array(BLOCK), 0, tail, tail.length);
	const made = new Float32Array(count);
	for (let at = 0; at < count; at += BLOCK) concealment.make(made, at, Math.min(BLOCK, count - at));
	return { concealment, sound: Float32Array.of(...heard.subarray(0, last), ...tail, ...made) };
}

const tone = (hz: number, samples: number) =>
	Float32Array.from({ length: samples }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / RATE_HZ));

function largestStep(sound: Float32Array, from = 1): number {
	let largest = 0;
	for (let index = from; index < sound.length; index += 1)
		largest = Math.max(largest, Math.abs((sound[index] ?? 0) - (sound[index - 1] ?? 0)));
	return largest;
}

test('what is made follows on what was heard without a step, also where nothing comes again', () => {
	const wave = fc.record({
		hz: fc.integer({ min: 20, max: 500 }),
		share: fc.double({ min: 0.1, max: 1, noNaN: true }),
	});
	fc.assert(
		fc.property(fc.array(wave, { minLength: 1, maxLength: 4 }), (waves) => {
			const heard = new Float32Array(RATE_HZ / 10);
			for (const { hz, share } of waves)
				for (const [index, sample] of tone(hz, heard.length).entries())
					heard[index] = (heard[index] ?? 0) + (sample * share) / waves.length;
			const { sound } = conceal(heard, RATE_HZ / 20);
			// A blend of two sounds steps like each of them, plus their distance spread over 2.5 ms.
			expect(largestStep(sound, heard.length - 2 * BLOCK)).toBeLessThan(2 * largestStep(heard) + 1.5 / BLOCK);
		}),
	);
});

test.each([80, 140, 210, 390])('a tone of %i Hz goes on as it was', (hz) => {
	const { sound } = conceal(tone(hz, RATE_HZ / 10), RATE_HZ / 40);
	const wanted = tone(hz, sound.length);
	expect(Math.max(...sound.map((sample, index) => Math.abs(sample - (wanted[index] ?? 0))))).toBeLessThan(
		0.06,
	);
});

test('noise goes on as noise: it does not repeat within 25 ms, as a voice does after each period', () => {
	const random = createRandom(1);
	const noise = Float32Array.from({ length: RATE_HZ / 10 }, () => random() - 0.5);
	/** How alike what is made is with itself, at the most alike of all distances of a pitch. */
	const repeats = (heard: Float32Array) => {
		const made = conceal(heard, RATE_HZ / 40).sound.subarray(heard.length);
		let most = 0;
		for (let distance = 120; distance <= 360; distance += 1) {
			let [product, energy] = [0, 0];
			for (let at = distance; at < made.length; at += 1) {
				product += (made[at] ?? 0) * (made[at - distance] ?? 0);
				energy += (made[at] ?? 0) ** 2;
			}
			most = Math.max(most, product / energy);
		}
		return most;
	};
	expect(repeats(tone(140, RATE_HZ / 10))).toBeGreaterThan(0.9);
	expect(repeats(noise)).toBeLessThan(0.5);
});

test('it is as loud as before for 30 ms, half as loud after 70, silent after 110', () => {
	const levels = [30, 70, 110, 500].map((ms) => conceal(tone(200, 2400), ms * 24).concealment.level);
	expect(levels).toEqual([1, 0.5, 0, 0]);
});

test('what comes fits where it is in phase, a period later at most', () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 100, max: 400 }), (made, hz) => {
			const { concealment } = conceal(tone(hz, 2400), made);
			const held = concealment.fitting(tone(hz, 2520).subarray(2400), 120, 24);
			expect(held).toBeGreaterThanOrEqual(24);
			expect(held).toBeLessThanOrEqual(24 + concealment.longestPeriod);
			const off = ((made + held) * hz) / RATE_HZ;
			// The period is a whole number of samples, so it drifts against the tone: by 0.14 of a period at most while audible.
			expect(Math.abs(off - Math.round(off))).toBeLessThan(0.14);
		}),
		{ numRuns: 50 },
	);
});

test('what a gap is made of is what was heard, also soon after another gap', () => {
	const heard = tone(170, RATE_HZ / 10);
	const block = (number: number) => heard.slice(number * BLOCK, (number + 1) * BLOCK);
	const [once, twice] = [new Concealment(RATE_HZ), new Concealment(RATE_HZ)];
	for (let number = 0; number < 30; number += 1) for (const one of [once, twice]) one.heard(block(number));
	const cut = block(30);
	twice.begin(new Float32Array(BLOCK), 0, cut, cut.length);
	for (const one of [once, twice]) {
		one.heard(cut);
		for (let number = 31; number < 35; number += 1) one.heard(block(number));
	}
	const made = [once, twice].map((one) => {
		const out = new Float32Array(RATE_HZ / 40);
		one.begin(new Float32Array(BLOCK), 0, block(35), BLOCK);
		one.make(out, 0, out.length);
		return out;
	});
	expect(made[1]).toEqual(made[0]);
});
