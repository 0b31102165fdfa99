import { setTimeout as wait } from 'node:timers/promises';
import { SignalRequest, SimulateScenario } from '@livekit/protocol';
import { CLEAN, CUT, hardships } from '#test/support/shaper/profiles.ts';
import { type Day, type Part, reportBadDay } from './bad-day-report.ts';
import { badDay, type Incident } from './bad-day-script.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { type Caller, type Callers, openCallers } from './callers.ts';
import type { HeardSlot } from './hearing.ts';

const SHORT = { lengthMs: 200_000, incidents: 8 };
const LONG = { lengthMs: 4 * 3_600_000, incidents: 40 };
/** After it has given up, somebody notices and calls again. */
const NOTICED_MS = 5000;
const LOOK_MS = 1000;
/** The first seed; fixed, so that two versions meet the same days. */
const SEED = 16;

export const day: Bench = {
	name: 'bad-day',
	title: 'A bad day',
	about: `The built app and a bare page (livekit-client alone, its own reconnecting) are in calls of their own at the same time, as in
*On a bad line*, and the same incidents befall both, by a script from a seed: the LiveKit server is killed and away for 2 to 10 s; the
line is cut for 2 to 10 s; whoever gives the voice leaves for 2 to 8 s; the signalling breaks while media goes on; the node asks to move
(\`migration\`) or fails (\`node-failure\`, both LiveKit's own scenarios); 29 % are lost in bursts for 10 s.

Counted is the time without a voice, that is quarter-seconds of which less than half was the voice itself, **while network and
service were up**; what an incident itself takes away counts for neither. A client that gives up is called again by hand five seconds
later. A short run plays ${SHORT.incidents} incidents in some ${Math.round(SHORT.lengthMs / 60_000)} minutes, \`--rounds N\` N such runs from one seed after another.
They come closer together than on a real day, so the day of four hours is extrapolated: forty times the average cost of an incident
is subtracted from four hours. \`--long\` plays all four hours.`,
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

/** Resolves when the incident is over, to the time in which network or service were not there. */
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
			await callers.voiceStays(false);
			await wait(forMs);
			await callers.voiceStays(true);
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

/** Each asks the server to simulate this scenario for it, as its library can for tests. */
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

/** Collects what is heard, and calls again when it has given up. */
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
