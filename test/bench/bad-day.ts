import { setTimeout as wait } from 'node:timers/promises';
import { SignalRequest, SimulateScenario } from '@livekit/protocol';
import { createRandom } from '#test/support/random.ts';
import { CLEAN, CUT, hardships } from '#test/support/shaper/line.ts';
import { type Caller, type Callers, type HeardSlot, openCallers } from './bad-line-calls.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { bootstrap, shuffled, table, verdict, written } from './statistics.ts';

const SHORT = { lengthMs: 200_000, incidents: 8 };
const LONG = { lengthMs: 4 * 3_600_000, incidents: 40 };
/** A person needs this long to notice that the client has given up. */
const NOTICED_MS = 5000;
const LOOK_MS = 1000;
/** The first seed; fixed, so that two versions meet the same days. */
const SEED = 16;

export const day: Bench = {
	name: 'bad-day',
	title: 'A bad day',
	about: `The built app and a reconnecting bare page are in calls as in *On a bad line*. The same incidents befall both, by a seed: the
LiveKit server is away for 2 to 10 s; the line is cut for 2 to 10 s; the interpreter leaves for 2 to 8 s; the signalling breaks; the node asks to move (\`migration\`) or fails (\`node-failure\`); 29 % are lost in bursts for 10 s.

Counted are quarter-seconds of which less than half was the voice, **while network and service were up**. A client that gives up calls
again after five seconds. A short run plays ${SHORT.incidents} incidents in some ${Math.round(SHORT.lengthMs / 60_000)} minutes, \`--rounds N\` N such runs; the day of four hours is extrapolated
from their average cost. \`--long\` plays all four hours.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const { lengthMs, incidents } = long ? LONG : SHORT;
	const callers = await openCallers(600);
	if ('missing' in callers) {
		say(callers.missing);
		return { markdown: `Left out: ${callers.missing}.`, data: null, goals: [] };
	}
	try {
		const days: Day[] = [];
		for (let round = 0; round < (rounds ?? 1); round++)
			days.push(await live(callers, SEED + round, badDay(SEED + round, lengthMs, incidents), say));
		return reportBadDay(days);
	} finally {
		await callers.close();
	}
}

async function live(
	callers: Callers,
	seed: number,
	script: readonly Incident[],
	say: (text: string) => void,
): Promise<Day> {
	await callers.line.set(CLEAN);
	const watched = { ours: watch(callers.ours), bare: watch(callers.bare) };
	const parts: Part[] = [];
	const beganMs = Date.now();
	for (const [index, incident] of script.entries()) {
		await wait(Math.max(0, beganMs + incident.atMs - Date.now()));
		const fromMs = Date.now();
		const away = await befall(callers, incident);
		// The effects of an incident are counted until the next one.
		const next = script[index + 1]?.atMs ?? incident.atMs + incident.forMs + 20_000;
		await wait(Math.max(0, beganMs + next - Date.now()));
		parts.push({ trouble: incident.trouble, fromMs, toMs: Date.now(), away });
		say(`${incident.trouble}${incident.forMs ? `, ${(incident.forMs / 1000).toFixed(1)} s` : ''}`);
	}
	const [ours, bare] = await Promise.all([watched.ours.end(), watched.bare.end()]);
	return {
		seed,
		script,
		parts,
		ours: ours.slots,
		bare: bare.slots,
		calledAgain: { ours: ours.calledAgain, bare: bare.calledAgain },
	};
}

/** Waits until the incident is over. Resolves to the time in which network or service were down. */
async function befall(callers: Callers, { trouble, forMs }: Incident): Promise<Part['away']> {
	const { line, service } = callers;
	const fromMs = Date.now();
	const away = () => ({ fromMs, toMs: Date.now() });
	switch (trouble) {
		case 'server killed':
			await service.killLivekit();
			await wait(forMs);
			await service.startLivekitAgain();
			return away();
		case 'line cut':
			await line.set(CUT);
			await wait(forMs);
			await line.set(CLEAN);
			return away();
		case 'interpreter gone':
			await callers.setVoicePresent(false);
			await wait(forMs);
			await callers.setVoicePresent(true);
			return away();
		case 'signalling dropped':
			await service.dropSignals();
			return null;
		case 'node moved':
			await simulate(callers, { case: 'migration', value: true });
			return null;
		case 'node fails':
			await simulate(callers, { case: 'nodeFailure', value: true });
			return null;
		case 'burst of losses':
			await line.set(hardships['29 % loss in bursts'], 1);
			await wait(forMs);
			await line.set(CLEAN);
			return null;
	}
}

/** Lets both clients ask the server for a simulated scenario, as LiveKit's library can for tests. */
async function simulate(
	{ ours, bare }: Callers,
	scenario: Exclude<SimulateScenario['scenario'], { case: undefined }>,
): Promise<void> {
	const request = new SignalRequest({
		message: { case: 'simulate', value: new SimulateScenario({ scenario }) },
	});
	const bytes = [...request.toBinary()];
	await Promise.all([ours, bare].map(({ page }) => page.evaluate((all) => window.__signal(all), bytes)));
}

/** Collects what a caller hears, and calls again after the client has given up. */
function watch(caller: Caller): { end(): Promise<{ slots: readonly HeardSlot[]; calledAgain: number }> } {
	const slots: HeardSlot[] = [];
	let calledAgain = 0;
	let ended = false;
	async function look(): Promise<void> {
		let outSinceMs: number | null = null;
		await caller.heard();
		while (!ended) {
			await wait(LOOK_MS);
			slots.push(...(await caller.heard()));
			const isOut = await caller.isOut();
			if (!isOut) outSinceMs = null;
			else outSinceMs ??= Date.now();
			if (outSinceMs === null || Date.now() - outSinceMs < NOTICED_MS) continue;
			outSinceMs = null;
			calledAgain += 1;
			// If that fails, the next round tries again.
			await caller.callAgain().catch(() => {});
		}
	}
	const looking = look();
	return {
		async end() {
			ended = true;
			await looking;
			return { slots, calledAgain };
		},
	};
}

/** Kinds of incidents. During the first three, network or service are down. */
type Trouble =
	| 'server killed'
	| 'line cut'
	| 'interpreter gone'
	| 'signalling dropped'
	| 'node moved'
	| 'node fails'
	| 'burst of losses';

interface Incident {
	readonly trouble: Trouble;
	/** From the beginning of the day, ms. */
	readonly atMs: number;
	/** How long it lasts, ms; 0 = a moment. */
	readonly forMs: number;
}

/** Shortest and longest duration, ms. */
const LASTS: Readonly<Record<Trouble, readonly [number, number]>> = {
	'server killed': [2000, 10_000],
	'line cut': [2000, 10_000],
	'interpreter gone': [2000, 8000],
	'signalling dropped': [0, 0],
	'node moved': [0, 0],
	'node fails': [0, 0],
	'burst of losses': [10_000, 10_000],
};
const ALL = Object.keys(LASTS) as Trouble[];
/** Between the end of an incident and the next one, at least. */
const APART_MS = 16_000;

/**
 * `count` incidents within `lengthMs`, the same for the same seed. Each kind comes once before any comes twice, and they
 * do not overlap.
 */
export function badDay(seed: number, lengthMs: number, count: number): readonly Incident[] {
	const random = createRandom(seed);
	const troubles: Trouble[] = [];
	while (troubles.length < count) troubles.push(...shuffled(ALL, random));
	const lasting = troubles.slice(0, count).map((trouble) => {
		const [least, most] = LASTS[trouble];
		return { trouble, forMs: Math.round(least + random() * (most - least)) };
	});
	const takenMs = lasting.reduce((sum, { forMs }) => sum + forMs + APART_MS, 0);
	// The time left over is spread between them at random.
	const shares = lasting.map(() => random());
	const all = shares.reduce((sum, share) => sum + share, 0);
	const spareMs = Math.max(0, lengthMs - takenMs);
	let atMs = 0;
	return lasting.map(({ trouble, forMs }, index) => {
		atMs += ((shares[index] ?? 0) / all) * spareMs;
		const incident = { trouble, atMs: Math.round(atMs), forMs };
		atMs += forMs + APART_MS;
		return incident;
	});
}

/** A part of the day, from one incident to the next. */
export interface Part {
	readonly trouble: Trouble;
	/** ms since 1970. */
	readonly fromMs: number;
	readonly toMs: number;
	/** When network or service were down; null: never. */
	readonly away: { readonly fromMs: number; readonly toMs: number } | null;
}

export interface Day {
	readonly seed: number;
	readonly script: readonly Incident[];
	readonly parts: readonly Part[];
	readonly ours: readonly HeardSlot[];
	readonly bare: readonly HeardSlot[];
	/** How often the client gave up, so that somebody had to call again. */
	readonly calledAgain: { readonly ours: number; readonly bare: number };
}

/** The goal is about a day of this length with this many incidents. */
const DAY_MS = 4 * 3_600_000;
const DAY_INCIDENTS = 40;
const SAMPLES_PER_MS = 48;
const EDGE_MS = 300;

/** Time without a voice while network and service were up, ms. A slot counts as heard if half of it was not concealed. */
export function downMs(slots: readonly HeardSlot[], { fromMs, toMs, away }: Part): number {
	const isAway = (ms: number) => away !== null && ms >= away.fromMs && ms < away.toMs;
	// A page that is being reloaded reports nothing; count that time as not heard.
	const heardMs = slots.reduce((sum, { atMs, lengthMs, samples, concealed }) => {
		const middle = atMs - lengthMs / 2;
		if (middle < fromMs || middle >= toMs || isAway(middle)) return sum;
		return samples - concealed >= (lengthMs * SAMPLES_PER_MS) / 2 ? sum + lengthMs : sum;
	}, 0);
	const thereMs = toMs - fromMs - (away ? away.toMs - away.fromMs : 0);
	// The first and last slots may reach beyond the part by less than this.
	return thereMs - heardMs < EDGE_MS ? 0 : thereMs - heardMs;
}

/** Share of a four-hour day with forty such incidents in which the voice can be heard. */
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
			goal: 'voice for ≥ 99.0 % of the time that network and service are up, 4 h with 40 incidents',
			measured: `${written(up, 2)} % (bare page ${written(uptime('bare'), 2)} %)`,
			...verdict([{ seen: up, least: 99 }]),
		},
		{
			id: 'R16',
			goal: 'time without voice ≤ 0.25 × bare page',
			measured: `${written(ratio, 2)} ×`,
			...verdict([{ seen: ratio, most: 0.25 }], 'see the table by what befell them'),
		},
	];
	return {
		markdown,
		data: days,
		goals,
	};
}
