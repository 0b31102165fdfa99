import type { BenchResult, Goal } from './bench.ts';
import { plotDots } from './plot.ts';
import { bootstrap, type Estimate, median, percentile, ratioOf } from './statistics.ts';
import { written } from './table.ts';
import { verdict } from './verdict.ts';

/** One text: `ms` until it was seen (null: never), or for a whole run `workMs`, the main thread's time for each. */
export interface Painted {
	readonly arm: string;
	/** Rows there were. */
	readonly size: number;
	readonly ms: number | null;
	readonly workMs: number | null;
}

/** The captions' store alone, and searching in what was kept. */
export interface StoreCost {
	/** Microseconds for a message, by the number of segments. */
	readonly updateUs: Readonly<Record<string, number>>;
	readonly heapBytes: number;
	readonly searchMs: readonly number[];
	/** Elements of the page at the end. */
	readonly nodes: number;
	/** Microseconds to correct one caption, by the number of corrections. */
	readonly correctUs: Readonly<Record<string, number>>;
}

export function reportCaptions(
	painted: readonly Painted[],
	store: StoreCost,
	sizes: readonly number[],
): BenchResult {
	const arms = [...new Set(painted.map(({ arm }) => arm))];
	const most = Math.max(...sizes);
	const least = Math.min(...sizes);
	const ms = (arm: string, size: number) =>
		painted.filter((one) => one.arm === arm && one.size === size).flatMap((one) => one.ms ?? []);
	const work = (arm: string, size: number) =>
		median(painted.filter((one) => one.arm === arm && one.size === size).flatMap((one) => one.workMs ?? []));
	const at = (arm: string, size: number, share: number): Estimate =>
		bootstrap([ms(arm, size)], ([values = []]) => percentile(values, share));
	const ours = 'Dragoman';
	const lost = painted.filter(({ ms, workMs }) => ms === null && workMs === null).length;

	const rows = sizes.flatMap((size) =>
		arms.map((arm) => {
			const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => written(at(arm, size, share), 1));
			return `| ${size} | ${arm} | ${p50} | ${p95} | ${p99} | ${work(arm, size).toFixed(2)} | ${ms(arm, size).length} |`;
		}),
	);
	const growth = ratioOf(ms(ours, most), ms(ours, least));
	const painting = [
		{ seen: at(ours, most, 0.5), most: 8.3 },
		{ seen: at(ours, most, 0.95), most: 18 },
		{ seen: at(ours, most, 0.99), most: 34 },
	];
	const [p50, p95, p99] = painting.map(({ seen }) => seen.value.toFixed(1));
	const floor = at('bare text', most, 0.5);
	const share = work(ours, most) / work('plain list', most);
	const slowest = store.updateUs['50000'] ?? Number.NaN;
	const correct = { one: store.correctUs['1'] ?? Number.NaN, most: store.correctUs['5000'] ?? Number.NaN };
	const search = { mid: median(store.searchMs), most: Math.max(...store.searchMs) };
	const goals: Goal[] = [
		{
			id: 'P8',
			goal: `caption painted with ${most} rows: p50 at most 8.3 ms, p95 18, p99 34`,
			measured: `${p50}, ${p95} and ${p99} ms; a bare text ${written(floor, 1)}`,
			...verdict(
				painting,
				'a text that comes within a frame waits for the next: the bare text is the floor of it',
			),
		},
		{
			id: 'P8',
			goal: `growth from ${least} to ${most} rows at most 1.10`,
			measured: `${written(growth, 2)} times`,
			...verdict([{ seen: growth, most: 1.1 }]),
		},
		{
			id: 'P8',
			goal: `work for a text at most 0.10 of a plain list’s with ${most} rows`,
			measured: `${share.toFixed(3)}`,
			reached: share <= 0.1,
		},
		{
			id: 'P9',
			goal: 'store: at most 5 µs for an update at 50,000 segments, 1.2 kB of heap for a segment',
			measured: `${slowest.toFixed(2)} µs and ${(store.heapBytes / 1000).toFixed(2)} kB`,
			reached: slowest <= 5 && store.heapBytes <= 1200,
		},
		{
			id: 'P9',
			goal: 'correcting a caption: with 5,000 corrections at most 1.2 × as long as with one',
			measured: `${correct.most.toFixed(1)} µs and ${correct.one.toFixed(1)} µs`,
			reached: correct.most <= 1.2 * correct.one,
		},
		{
			id: 'P9',
			goal: 'at most 600 elements in the document at any length',
			measured: `${store.nodes} with ${most} rows`,
			reached: store.nodes <= 600,
		},
		{
			id: 'P9',
			goal: 'searching 10,000 segments at most 30 ms',
			measured: `${search.mid.toFixed(1)} ms in the middle, ${search.most.toFixed(1)} at most`,
			reached: search.most <= 30,
		},
	];
	return {
		markdown: [
			'### From the message to the frame',
			'',
			'| rows | | p50, ms | p95, ms | p99, ms | work for each, ms | texts |',
			'| --- | --- | --- | --- | --- | --- | --- |',
			...rows,
			...(lost > 0 ? ['', `Texts never seen: ${lost}.`] : []),
			'',
			'### The store alone',
			'',
			'| segments | µs for a message |',
			'| --- | --- |',
			...Object.entries(store.updateUs).map(([size, us]) => `| ${size} | ${us.toFixed(2)} |`),
			'',
			'| corrections | µs to put a caption right |',
			'| --- | --- |',
			...Object.entries(store.correctUs).map(([count, us]) => `| ${count} | ${us.toFixed(2)} |`),
		].join('\n'),
		data: { painted, store },
		goals,
		plots: {
			captions: plotDots({
				title: 'From the message to the frame that shows it',
				description: 'Each dot is one caption, by how many rows there were already.',
				unit: 'ms',
				digits: 1,
				rows: sizes.flatMap((size) =>
					arms.map((name) => ({ name, group: `${size} rows`, values: ms(name, size) })),
				),
			}),
		},
	};
}
