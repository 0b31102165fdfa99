import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinAfter } from './voice-queue.ts';

const RATE_HZ = 24_000;
const wave = (from: number, count: number, hz = 200, level = 8000) =>
	Int16Array.from({ length: count }, (_, index) =>
		Math.round(level * Math.sin((2 * Math.PI * hz * (from + index)) / RATE_HZ)),
	);
const largestStep = (samples: ArrayLike<number>) =>
	Array.from(samples).reduce(
		(largest, sample, index, all) => Math.max(largest, Math.abs(sample - (all[index - 1] ?? sample))),
		0,
	);

describe('joining two pieces of a voice', () => {
	it('leaves what follows naturally as it is, wherever a tone is cut', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 4800 }),
				fc.integer({ min: 100, max: 3000 }),
				fc.integer({ min: 0, max: 32_000 }),
				(at, hz, level) => {
					const next = wave(at, 480, hz, level);
					expect(joinAfter(wave(0, at, hz, level).at(-1) ?? 0, next)).toBe(next);
				},
			),
		);
	});

	it('spreads the jump over a piece that is missing between them: no click, and nothing else is changed', () => {
		const before = wave(0, 510);
		const after = wave(600 + 60, 4800);
		const last = before.at(-1) ?? 0;
		expect(Math.abs(last - (after[0] ?? 0))).toBeGreaterThan(5000);
		const joined = joinAfter(last, after);
		// -40 dB below full scale, above the 419 of the tone itself.
		expect(largestStep([...before, ...joined])).toBeLessThan(419 + 328);
		expect(joined.slice(120)).toEqual(after.slice(120));
	});

	it('leaves the piece itself as it came, and spreads the jump evenly', () => {
		const piece = new Int16Array(240).fill(12_000);
		const joined = joinAfter(0, piece);
		expect([...new Set(piece)]).toEqual([12_000]);
		expect([joined[0], joined[59], joined[60], joined[119], joined[120]]).toEqual([
			50, 5950, 6050, 11_950, 12_000,
		]);
		// As far as it goes, of a piece that is shorter.
		expect([...joinAfter(0, new Int16Array(2).fill(12_000))]).toEqual([50, 150]);
		expect(joinAfter(5000, new Int16Array(0))).toHaveLength(0);
	});

	it.each([
		['as a click is never heard: 164', 164, [0, 0, 0], true],
		['a step more', 165, [0, 0, 0], false],
		['twice as steep as the sound itself', 364, [0, 100, 100], true],
		['a step more than that', 365, [0, 100, 100], false],
		['down as well as up', -364, [0, -100, 0], true],
		['steep only behind what would be changed', 400, [...new Array(120).fill(0), 5000], false],
		['steep in the last of it', 400, [...new Array(119).fill(0), 5000], true],
	])('takes a jump for a part of the sound: %s', (_, last, samples, isPart) => {
		const piece = Int16Array.from(samples);
		expect(joinAfter(last, piece) === piece).toBe(isPart);
	});

	it('stays within 16 bits and in length, whatever the pieces are', () => {
		const sample = fc.integer({ min: -32_768, max: 32_767 });
		fc.assert(
			fc.property(sample, fc.array(sample, { maxLength: 300 }), (last, samples) => {
				const piece = Int16Array.from(samples);
				const joined = joinAfter(last, piece);
				expect(joined.length).toBe(piece.length);
				expect(joined.slice(120)).toEqual(piece.slice(120));
				for (const [index, one] of joined.entries())
					if (samples[index] !== undefined && last === samples[0]) expect(one).toBe(samples[index]);
			}),
		);
	});
});
