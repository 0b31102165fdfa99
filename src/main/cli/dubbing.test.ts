import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDubbing } from './dubbing.ts';
import type { WavSink } from './wav-sink.ts';

const PER_MS = 24;

function stage() {
	const written: number[] = [];
	const sink: Pick<WavSink, 'length' | 'write'> = {
		get length() {
			return written.length;
		},
		write(samples) {
			for (const sample of samples) written.push(sample);
		},
	};
	const dubbing = createDubbing(sink as WavSink);
	/** `[value, ms]` of each stretch of equal samples. */
	const heard = () => {
		const runs: [number, number][] = [];
		for (const sample of written) {
			const run = runs.at(-1);
			if (run?.[0] === sample) run[1] += 1;
			else runs.push([sample, 1]);
		}
		return runs.map(([value, samples]) => [value, samples / PER_MS]);
	};
	return { dubbing, heard, written };
}

const sound = (value: number, ms: number) => new Int16Array(ms * PER_MS).fill(value);

describe('dubbing', () => {
	test('puts each sentence where its source began, with silence before it', () => {
		const { dubbing, heard } = stage();
		dubbing.piece('a', sound(1, 300), { last: true, startMs: 1500 });
		dubbing.piece('b', sound(2, 100), { last: true, startMs: 4000 });
		expect(heard()).toEqual([
			[0, 1500],
			[1, 300],
			[0, 2200],
			[2, 100],
		]);
	});

	test('puts a sentence behind the one before it where that took longer, or where nobody knows', () => {
		const { dubbing, heard } = stage();
		dubbing.piece('a', sound(1, 3000), { last: true, startMs: 0 });
		dubbing.piece('b', sound(2, 100), { last: true, startMs: 1000 });
		dubbing.piece('c', sound(3, 100), { last: true, startMs: null });
		expect(heard()).toEqual([
			[1, 3000],
			[2, 100],
			[3, 100],
		]);
	});

	test('keeps a sentence together although its pieces mingle with those of another', () => {
		const { dubbing, heard } = stage();
		dubbing.piece('a', sound(1, 10), { last: false, startMs: null });
		dubbing.piece('b', sound(2, 10), { last: true, startMs: 0 });
		dubbing.piece('a', sound(1, 10), { last: false, startMs: 50 });
		dubbing.piece('a', new Int16Array(0), { last: true, startMs: null });
		expect(heard()).toEqual([
			[2, 10],
			[0, 40],
			[1, 20],
		]);
	});

	test('puts in what never ended, at the end or when too many are open', () => {
		const { dubbing, heard } = stage();
		for (let index = 0; index < 17; index += 1)
			dubbing.piece(`s${index}`, sound(index + 1, 1), { last: false, startMs: 0 });
		expect(heard()).toEqual([[1, 1]]);
		dubbing.end();
		dubbing.end();
		expect(heard()).toEqual(Array.from({ length: 17 }, (_, index) => [index + 1, 1]));
	});

	test('loses no sample and lets none begin before its source, in whatever order pieces come', () => {
		const piece = fc.record({
			id: fc.integer({ min: 1, max: 5 }),
			ms: fc.integer({ min: 0, max: 20 }),
			last: fc.boolean(),
			startMs: fc.option(fc.integer({ min: 0, max: 200 })),
		});
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
				const { dubbing, written } = stage();
				const given = [0, 0, 0, 0, 0, 0];
				for (const { id, ms, ...options } of pieces) {
					dubbing.piece(String(id), sound(id, ms), options);
					given[id] = (given[id] ?? 0) + ms * PER_MS;
				}
				dubbing.end();
				for (const id of [1, 2, 3, 4, 5])
					expect(written.filter((sample) => sample === id).length).toBe(given[id]);
			}),
		);
	});
});
