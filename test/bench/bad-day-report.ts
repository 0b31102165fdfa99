import type { Incident, Trouble } from './bad-day-script.ts';
import type { BenchResult, Goal } from './bench.ts';
import type { HeardSlot } from './hearing.ts';
import { plotDots } from './plot.ts';
import { bootstrap } from './statistics.ts';
import { table, written } from './table.ts';
import { verdict } from './verdict.ts';

/** A part of the day, from one incident to the next. */
export interface Part {
	readonly trouble: Trouble;
	/** ms since 1970. */
	readonly fromMs: number;
	readonly toMs: number;
	/** When network or service were not there; null: they were there all the time. */
	readonly away: { readonly fromMs: number; readonly toMs: number } | null;
}

export interface Day {
	readonly seed: number;
	readonly script: readonly Incident[];
	readonly parts: readonly Part[];
	readonly ours: readonly HeardSlot[];
	readonly bare: readonly HeardSlot[];
	/** How often somebody had to call again, because it had given up. */
	readonly calledAgain: { readonly ours: number; readonly bare: number };
}

/** The goal is about a day of this length with this many incidents. */
const DAY_MS = 4 * 3_600_000;
const DAY_INCIDENTS = 40;
const SAMPLES_PER_MS = 48;
const EDGE_MS = 300;

/** Without a voice while network and service were there, ms: a slot counts as heard if half of it was the voice itself. */
export function downMs(slots: readonly HeardSlot[], { fromMs, toMs, away }: Part): number {
	const isAway = (ms: number) => away !== null && ms >= away.fromMs && ms < away.toMs;
	// A page that is being reloaded reports nothing: what is not known to be heard counts as not heard.
	const heardMs = slots.reduce((sum, { atMs, lengthMs, samples, concealed }) => {
		const middle = atMs - lengthMs / 2;
		if (middle < fromMs || middle >= toMs || isAway(middle)) return sum;
		return samples - concealed >= (lengthMs * SAMPLES_PER_MS) / 2 ? sum + lengthMs : sum;
	}, 0);
	const thereMs = toMs - fromMs - (away ? away.toMs - away.fromMs : 0);
	// The first and last slots may reach beyond the part by less than this.
	return thereMs - heardMs < EDGE_MS ? 0 : thereMs - heardMs;
}

/** Share of a day of four hours with forty such incidents in which the voice is there. */
export function uptimeOf(downPerIncidentMs: number): number {
	return 1 - (downPerIncidentMs * DAY_INCIDENTS) / DAY_MS;
}

const mean = (values: readonly number[]) =>
	values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export function reportBadDay(days: readonly Day[]): BenchResult {
	const seen = days.flatMap((day) =>
		day.parts.map((part) => ({
			trouble: part.trouble,
			ours: downMs(day.ours, part),
			bare: downMs(day.bare, part),
		})),
	);
	const indices = seen.map((_, index) => index);
	const drawnSum = (drawn: readonly number[], which: 'ours' | 'bare') =>
		drawn.reduce((sum, index) => sum + (seen[index]?.[which] ?? 0), 0);
	const ratio = bootstrap([indices], ([drawn = []]) => drawnSum(drawn, 'ours') / drawnSum(drawn, 'bare'));
	const uptime = (which: 'ours' | 'bare') =>
		bootstrap([indices], ([drawn = []]) => 100 * uptimeOf(drawnSum(drawn, which) / drawn.length));
	const troubles = [...new Set(seen.map(({ trouble }) => trouble))].toSorted();
	const seconds = (ms: number) => (ms / 1000).toFixed(1);
	const of = (trouble: Trouble, which: 'ours' | 'bare') =>
		seen.filter((one) => one.trouble === trouble).map((one) => one[which]);
	const again = (which: 'ours' | 'bare') => days.reduce((sum, day) => sum + day.calledAgain[which], 0);
	const lengthMs = days.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.toMs - part.fromMs, 0);
	const markdown = [
		`${seen.length} incidents in ${(lengthMs / 60_000).toFixed(1)} minutes.`,
		'',
		table(
			['', 'Dragoman', 'bare page'],
			[
				[
					'without a voice for each incident, s',
					seconds(mean(seen.map(({ ours }) => ours))),
					seconds(mean(seen.map(({ bare }) => bare))),
				],
				['uptime on a day of 4 h with 40 of them, %', written(uptime('ours'), 2), written(uptime('bare'), 2)],
				['called again by hand, having given up', String(again('ours')), String(again('bare'))],
			],
		),
		'',
		table(
			['without a voice although network and service were there, s', 'Dragoman', 'bare page', 'times'],
			troubles.map((trouble) => [
				trouble,
				seconds(mean(of(trouble, 'ours'))),
				seconds(mean(of(trouble, 'bare'))),
				String(of(trouble, 'ours').length),
			]),
		),
	].join('\n');
	const up = uptime('ours');
	const goals: Goal[] = [
		{
			id: 'R16',
			goal: 'translated audio at least 99.0 % of the time network and service are up, on a day of 4 h with 40 incidents',
			measured: `${written(up, 2)} % (bare page ${written(uptime('bare'), 2)} %)`,
			...verdict([{ seen: up, least: 99 }]),
		},
		{
			id: 'R16',
			goal: 'time without a voice at most 0.25 × the bare page’s',
			measured: `${written(ratio, 2)} ×`,
			...verdict([{ seen: ratio, most: 0.25 }], 'see the table by what befell them'),
		},
	];
	return {
		markdown,
		data: days,
		goals,
		plots: {
			'bad-day': plotDots({
				title: 'Without a voice although network and service were there',
				description: 'One dot for each incident, for Dragoman and a bare page.',
				unit: 's',
				digits: 1,
				rows: troubles.flatMap((trouble) =>
					(['ours', 'bare'] as const).map((which) => ({
						name: which === 'ours' ? 'Dragoman' : 'bare page',
						group: trouble,
						values: of(trouble, which).map((ms) => ms / 1000),
					})),
				),
			}),
		},
	};
}
