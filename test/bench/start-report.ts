import type { BenchResult, Goal } from './bench.ts';
import { plotDots } from './plot.ts';
import type { StartStep } from './start-probe.ts';
import { median, medianOf, ratioOf } from './statistics.ts';
import { table, written } from './table.ts';
import { verdict } from './verdict.ts';

/** In the order of the tables; the others are compared with the vendor's own. */
export const ARMS = ['vendor', 'cold', 'warm', 'joined'] as const;
export type ArmName = (typeof ARMS)[number];

/** One start, in ms after the press; null = did not come in time. */
export interface Start {
	readonly arm: ArmName;
	/** A real LiveKit server, or the sandbox's own room. */
	readonly room: 'server' | 'sandbox';
	/** By how much the service's REST answers were delayed, ms. */
	readonly delayMs: number;
	readonly packetMs: number | null;
	readonly soundMs: number | null;
	/** The steps on the way to the packet, ms after the press; less than 0 = before it. */
	readonly steps: Readonly<Partial<Record<StartStep, number>>>;
}

type Measure = 'packetMs' | 'soundMs';
const measures: Readonly<Record<Measure, string>> = {
	packetMs: 'first audio packet',
	soundMs: 'first translated sound',
};

/** The REST delay at which the goals apply. */
export const GOAL_DELAY_MS = 150;
/** As a multiple of the vendor's SDK, in the same run (goal P6). */
const GOALS: Readonly<Record<Measure, Readonly<Partial<Record<ArmName, number>>>>> = {
	packetMs: { cold: 0.75, warm: 0.45, joined: 0.28 },
	soundMs: { cold: 0.8, warm: 0.65, joined: 0.3 },
};

const REASONS: Readonly<Record<Measure, string>> = {
	packetMs: 'see “where the time goes” below',
	soundMs: 'the sandbox’s room, whose handshake in JavaScript takes 140 ms of it for all arms',
};

const STEPS: readonly StartStep[] = [
	'microphone asked',
	'microphone there',
	'room asked',
	'room answered',
	'ICE connected',
	'media connected',
];

/** Ratios first: they carry over to other machines better than milliseconds do. */
export function resultOf(starts: readonly Start[]): BenchResult {
	const missing = starts.filter(({ packetMs }) => packetMs === null);
	const missingOf = armsOf(missing).map(
		(name) => `${missing.filter(({ arm }) => arm === name).length} of ${name}`,
	);
	const parts = [
		...(Object.keys(measures) as Measure[]).map((measure) => tableOf(starts, measure)),
		stepsOf(starts),
		...(missing.length > 0 ? [`Starts without a packet, left out: ${missingOf.join(', ')}.`] : []),
	];
	return {
		markdown: parts.join('\n\n'),
		data: starts,
		goals: (Object.keys(measures) as Measure[]).flatMap((measure) => goalsOf(starts, measure)),
		plots: Object.fromEntries(
			(Object.keys(measures) as Measure[]).map((measure) => [`start-${measure}`, plotOf(starts, measure)]),
		),
	};
}

/** Packets are measured in a real server's room where there is one, sound in the sandbox's. */
function roomOf(starts: readonly Start[], measure: Measure): Start['room'] {
	return measure === 'packetMs' && starts.some(({ room }) => room === 'server') ? 'server' : 'sandbox';
}

function valuesOf(all: readonly Start[], measure: Measure, arm: ArmName, delayMs: number): number[] {
	const here = roomOf(all, measure);
	return all
		.filter(({ room }) => room === here)
		.filter((start) => start.arm === arm && start.delayMs === delayMs)
		.flatMap((start) => start[measure] ?? []);
}

const armsOf = (starts: readonly Start[]) => ARMS.filter((name) => starts.some(({ arm }) => arm === name));
const delaysOf = (starts: readonly Start[]) =>
	[...new Set(starts.map(({ delayMs }) => delayMs))].sort((one, other) => one - other);

function tableOf(starts: readonly Start[], measure: Measure): string {
	const arms = armsOf(starts);
	const base = arms[0] ?? 'cold';
	const others = arms.filter((arm) => arm !== base);
	const of = (arm: ArmName, delayMs: number) => valuesOf(starts, measure, arm, delayMs);
	const head = [
		'REST delay',
		...others.map((arm) => `${arm} ÷ ${base}`),
		...arms.map((arm) => `${arm}, ms`),
		'starts',
	];
	const rows = delaysOf(starts).map((delayMs) => [
		`${delayMs} ms`,
		...others.map((arm) => written(ratioOf(of(arm, delayMs), of(base, delayMs)), 2)),
		...arms.map((arm) => written(medianOf(of(arm, delayMs)), 0)),
		arms.map((arm) => of(arm, delayMs).length).join(', '),
	]);
	return [`### From the press to the ${measures[measure]}`, '', table(head, rows)].join('\n');
}

/** Medians of the steps: where the time goes. */
function stepsOf(starts: readonly Start[]): string {
	const at = delaysOf(starts).includes(GOAL_DELAY_MS) ? GOAL_DELAY_MS : (delaysOf(starts)[0] ?? 0);
	const rows = armsOf(starts).map((name) => {
		const mine = starts.filter(
			({ arm, room, delayMs }) => arm === name && room === roomOf(starts, 'packetMs') && delayMs === at,
		);
		const middle = (values: readonly number[]) =>
			values.length === 0 ? 'before' : median(values).toFixed(0);
		return [
			name,
			...STEPS.map((step) => middle(mine.flatMap(({ steps }) => steps[step] ?? []))),
			middle(mine.flatMap(({ packetMs }) => packetMs ?? [])),
		];
	});
	return [
		`### Where the time goes, ms after the press, REST answering after ${at} ms`,
		'',
		table(['', ...STEPS, 'first packet'], rows),
	].join('\n');
}

function goalsOf(starts: readonly Start[], measure: Measure): Goal[] {
	const vendor = valuesOf(starts, measure, 'vendor', GOAL_DELAY_MS);
	return Object.entries(GOALS[measure]).map(([arm, limit]) => {
		const own = valuesOf(starts, measure, arm as ArmName, GOAL_DELAY_MS);
		const goal = `${arm}: press to ${measures[measure]} ≤ ${limit.toFixed(2)} × the vendor's SDK, REST at ${GOAL_DELAY_MS} ms`;
		if (vendor.length === 0 || own.length === 0)
			return { id: 'P6', goal, measured: 'not measured: one of the two is missing', reached: null };
		const ratio = ratioOf(own, vendor);
		const measured = `${written(ratio, 2)}; ${median(own).toFixed(0)} against ${median(vendor).toFixed(0)} ms`;
		return {
			id: 'P6',
			goal,
			measured,
			...verdict([{ seen: ratio, most: limit }], REASONS[measure]),
		};
	});
}

function plotOf(starts: readonly Start[], measure: Measure): string {
	return plotDots({
		title: `From the press to the ${measures[measure]}`,
		description: 'One dot for each start; the arms in groups by how late the service answers REST calls.',
		unit: 'ms',
		rows: delaysOf(starts).flatMap((delayMs) =>
			armsOf(starts).map((arm) => ({
				name: arm,
				group: `REST answers after ${delayMs} ms`,
				values: valuesOf(starts, measure, arm, delayMs),
			})),
		),
	});
}
