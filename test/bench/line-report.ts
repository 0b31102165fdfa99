import type { ProfileName } from '#test/support/shaper/profiles.ts';
import type { BenchResult, Goal } from './bench.ts';
import type { HeardSlot } from './hearing.ts';
import { plotDots } from './plot.ts';
import { bootstrap, type Estimate } from './statistics.ts';
import { table, written } from './table.ts';
import { verdict } from './verdict.ts';

/** What both heard under one profile, in the same time. */
export interface LineWindow {
	readonly profile: ProfileName;
	readonly ours: readonly HeardSlot[];
	readonly bare: readonly HeardSlot[];
}

/** Sums of a stretch of time. */
export interface HeardSum {
	/** Samples played, silent ones left out. */
	readonly samples: number;
	/** How many of these were concealed. */
	readonly concealed: number;
	readonly events: number;
	readonly lengthMs: number;
	/** Time in which there was nothing to play: no voice, or none yet. */
	readonly absentMs: number;
}

const SLICE_MS = 5000;
const SAMPLES_PER_MS = 48;
const MOST = 1.05;
/** Fewer concealments than this in the bare page tell nothing. */
const FEW = 10;

export function sumOf(slots: readonly HeardSlot[]): HeardSum {
	const add = (read: (slot: HeardSlot) => number) => slots.reduce((sum, slot) => sum + read(slot), 0);
	const silent = add((slot) => slot.silent);
	return {
		samples: add((slot) => slot.samples) - silent,
		concealed: add((slot) => slot.concealed) - silent,
		events: add((slot) => slot.events),
		lengthMs: add((slot) => slot.lengthMs),
		absentMs: add((slot) => Math.max(0, slot.lengthMs - slot.samples / SAMPLES_PER_MS)),
	};
}

/** Concealed share of what was played; 0 if nothing was played. */
export function ratioOf({ samples, concealed }: HeardSum): number {
	return samples === 0 ? 0 : concealed / samples;
}

/** Both calls, cut at the same times. */
export function slicesOf({ ours, bare }: LineWindow): readonly (readonly [HeardSum, HeardSum])[] {
	const beganMs = Math.min(...[...ours, ...bare].map(({ atMs, lengthMs }) => atMs - lengthMs));
	const endMs = Math.max(...[...ours, ...bare].map(({ atMs }) => atMs));
	const count = Math.max(1, Math.round((endMs - beganMs) / SLICE_MS));
	const within = (slots: readonly HeardSlot[], index: number) =>
		slots.filter(({ atMs }) => Math.min(count - 1, Math.floor((atMs - beganMs) / SLICE_MS)) === index);
	return Array.from({ length: count }, (_, index) => [
		sumOf(within(ours, index)),
		sumOf(within(bare, index)),
	]);
}

/** How many times as much was concealed in ours as in the bare page; the slices are resampled in pairs. */
export function againstBare(pairs: readonly (readonly [HeardSum, HeardSum])[]): Estimate {
	const add = (sums: readonly HeardSum[]): HeardSum => ({
		samples: sums.reduce((sum, each) => sum + each.samples, 0),
		concealed: sums.reduce((sum, each) => sum + each.concealed, 0),
		events: 0,
		lengthMs: 0,
		absentMs: 0,
	});
	return bootstrap([pairs.map((_, index) => index)], ([drawn = []]) => {
		const taken = drawn.flatMap((index) => pairs[index] ?? []);
		const side = (which: 0 | 1) => ratioOf(add(taken.filter((_, index) => index % 2 === which)));
		return side(0) / side(1);
	});
}

/** Table, goals and picture. */
export function reportLine(windows: readonly LineWindow[]): BenchResult {
	const names = [...new Set(windows.map(({ profile }) => profile))];
	const rows = names.map((profile) => {
		const mine = windows.filter((window) => window.profile === profile);
		const pairs = mine.flatMap(slicesOf);
		return {
			profile,
			pairs,
			ours: sumOf(mine.flatMap(({ ours }) => ours)),
			bare: sumOf(mine.flatMap(({ bare }) => bare)),
			ratio: againstBare(pairs),
		};
	});
	const perMinute = ({ events, lengthMs }: HeardSum) => ((60_000 * events) / lengthMs).toFixed(1);
	const seconds = (ms: number) => (ms / 1000).toFixed(1);
	const percent = (sum: HeardSum) => `${(100 * ratioOf(sum)).toFixed(2)} %`;
	const markdown = table(
		[
			'line',
			'Dragoman ÷ bare page',
			'made up, Dragoman',
			'bare page',
			'times a minute, Dragoman',
			'bare page',
			'no voice at all, Dragoman',
			'bare page',
			'measured',
		],
		rows.map(({ profile, ours, bare, ratio }) => [
			profile,
			bare.events >= FEW ? written(ratio, 2) : '',
			percent(ours),
			percent(bare),
			perMinute(ours),
			perMinute(bare),
			`${seconds(ours.absentMs)} s`,
			`${seconds(bare.absentMs)} s`,
			`${seconds(ours.lengthMs)} s`,
		]),
	);
	const goals = rows.map(({ profile, ours, bare, ratio }): Goal => {
		if (profile === 'clean') {
			return {
				id: 'P13',
				goal: 'WebRTC, clean line: nothing is made up',
				measured: `${ours.events} times in ${seconds(ours.lengthMs)} s (bare page ${bare.events})`,
				// If the bare page had it, too, the machine was to blame.
				reached: ours.events === 0 ? true : bare.events > 0 ? null : false,
				...(ours.events > 0 && bare.events > 0
					? { because: 'the bare page had it too: the machine was busy' }
					: {}),
			};
		}
		const few = bare.events < FEW;
		return {
			id: 'P13',
			goal: `WebRTC, ${profile}: made up at most ${MOST} × a bare page`,
			measured: `${few ? '' : `${written(ratio, 2)} ×; `}${percent(ours)} against ${percent(bare)}`,
			...(few
				? { reached: null, because: 'too little was lost to tell' }
				: verdict([{ seen: ratio, most: MOST }])),
		};
	});
	return {
		markdown,
		data: windows,
		goals,
		plots: {
			line: plotDots({
				title: 'Made up, each slice of 5 s',
				description:
					'Share of the voice that the browser made up on each line, for Dragoman and a bare page.',
				unit: '%',
				rows: rows.flatMap(({ profile, pairs }) =>
					(['Dragoman', 'bare page'] as const).map((name, side) => ({
						name,
						group: profile,
						values: pairs.map((pair) => 100 * ratioOf(pair[side as 0 | 1])),
					})),
				),
			}),
		},
	};
}
