import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WavSink } from '#main/cli/output-files.ts';
import { ok } from '#shared/lib/result.ts';
import { createDubbing } from './translate.ts';

/** Samples of a millisecond. */
const MS = 24;

function rig() {
	const heard: number[] = [];
	const sink: WavSink = {
		begun: Promise.resolve(ok()),
		write: (samples) => {
			for (const sample of samples) heard.push(sample);
		},
		get length() {
			return heard.length;
		},
		finish: async () => ok(),
		async discard() {},
	};
	/** The heard sound, as runs of one value: [value, ms]. */
	const runs = () =>
		heard.reduce<[number, number][]>((all, sample) => {
			const last = all.at(-1);
			if (last?.[0] === sample) last[1] += 1 / MS;
			else all.push([sample, 1 / MS]);
			return all;
		}, []);
	return { dubbing: createDubbing(sink), runs: () => runs().map(([value, ms]) => [value, Math.round(ms)]) };
}

const sound = (value: number, ms: number) => new Int16Array(ms * MS).fill(value);

test('a sentence is put where its source began, with silence before it, also more than a second of it', () => {
	const { dubbing, runs } = rig();
	dubbing.piece('a', sound(1, 100), { last: true, startMs: 200 });
	dubbing.piece('b', sound(2, 100), { last: true, startMs: 2800 });
	expect(runs()).toEqual([
		[0, 200],
		[1, 100],
		[0, 2500],
		[2, 100],
	]);
});

test('a sentence that is due while another one still speaks follows it: nothing overlaps, nothing is cut', () => {
	const { dubbing, runs } = rig();
	dubbing.piece('a', sound(1, 900), { last: true, startMs: 0 });
	dubbing.piece('b', sound(2, 300), { last: true, startMs: 500 });
	dubbing.piece('c', sound(3, 100), { last: true, startMs: null });
	expect(runs()).toEqual([
		[1, 900],
		[2, 300],
		[3, 100],
	]);
});

test('pieces of sentences that come by turns are put together, and wait for the end of theirs', () => {
	const { dubbing, runs } = rig();
	dubbing.piece('a', sound(1, 50), { last: false, startMs: null });
	dubbing.piece('b', sound(2, 50), { last: false, startMs: 100 });
	dubbing.piece('a', sound(1, 50), { last: false, startMs: 20 });
	expect(runs()).toEqual([]);
	dubbing.piece('a', new Int16Array(0), { last: true, startMs: 999 });
	dubbing.piece('b', sound(2, 50), { last: true, startMs: null });
	expect(runs()).toEqual([
		[0, 20],
		[1, 100],
		[2, 100],
	]);
});

test('a sentence without sound leaves no silence behind', () => {
	const { dubbing, runs } = rig();
	dubbing.piece('a', new Int16Array(0), { last: true, startMs: 5000 });
	dubbing.end();
	expect(runs()).toEqual([]);
});

test('what never ended is put in at the end, and before that when too many are open', () => {
	const { dubbing, runs } = rig();
	for (let index = 1; index <= 17; index += 1)
		dubbing.piece(`${index}`, sound(index, 10), { last: false, startMs: null });
	expect(runs()).toEqual([[1, 10]]);
	dubbing.end();
	dubbing.end();
	expect(runs()).toEqual(Array.from({ length: 17 }, (_, index) => [index + 1, 10]));
});

test('however the pieces come, every one is heard once, whole, in the order of its sentence', () => {
	const piece = fc.record({
		sentence: fc.integer({ min: 0, max: 24 }),
		last: fc.boolean(),
		startMs: fc.option(fc.integer({ min: 0, max: 300 })),
	});
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
			const { dubbing, runs } = rig();
			const given = pieces.map((one, index) => ({ ...one, value: index + 1 }));
			for (const { sentence, value, last, startMs } of given)
				dubbing.piece(`${sentence}`, sound(value, 5), { last, startMs });
			dubbing.end();
			const heard = runs().filter(([value]) => value !== 0);
			expect(heard.map(([value = 0]) => value).sort((a, b) => a - b)).toEqual(
				given.map(({ value }) => value),
			);
			expect(heard.every(([, ms]) => ms === 5)).toBe(true);
			for (const id of new Set(pieces.map(({ sentence }) => sentence))) {
				const own = new Set(given.filter(({ sentence }) => sentence === id).map(({ value }) => value));
				const order = heard.map(([value = 0]) => value).filter((value) => own.has(value));
				expect(order).toEqual([...own]);
			}
		}),
		{ numRuns: 60 },
	);
});
