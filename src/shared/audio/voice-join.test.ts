import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinAfter } from './voice-join.ts';

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
