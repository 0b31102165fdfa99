/**
 * `npm run crash [-- --times 1000] [--part main] [--seed N] [--workers 2] [--at step:137,time:20]`
 *
 * `main`: kills the main process at every step of its day (start, conversations, stop, quit), then at random, so
 * many times in all, against a service in whose list others have sessions; starts again each time and checks what
 * was promised (docs/reference.md, docs/history.md). `--part window` kills the page of the built app, at every third step of Start and Stop
 * (the seed says which third) and at random while live; on a quiet machine that takes ten minutes. `--at` repeats
 * one trial of `main`.
 */
import { readArguments } from '#scripts/arguments.ts';
import { createRandom } from '#test/support/random.ts';
import { crash, crashAt, killsOf, nameOf } from './campaign.ts';
import { type PageKill, startPageBench } from './page-trial.ts';

const NEWS_EVERY = 50;
/** Some sentences. */
const LONGEST_LIVE_MS = 15_000;

const { values, refuse, whole, seedOf } = readArguments(import.meta.filename, {
	options: {
		times: { type: 'string', default: '1000' },
		seed: { type: 'string' },
		workers: { type: 'string', default: '2' },
		part: { type: 'string', default: 'main' },
		at: { type: 'string' },
	},
});
const times = whole('times', values.times);
const workers = whole('workers', values.workers);
const seed = seedOf(values.seed);

async function crashMain(): Promise<readonly string[]> {
	const totals = await crash({
		seed,
		workers,
		times,
		heard(kills, { failures }, { trials, killed }) {
			for (const failure of failures)
				console.log(`FAILED ${failure}. Again: npm run crash -- --at ${nameOf(kills)}`);
			if (trials % NEWS_EVERY === 0) console.log(`main: ${trials} of ${times} trials, ${killed} killed`);
		},
	});
	console.log(
		`main: ${totals.trials} trials, ${totals.killed} killed, at each of ${totals.steps} steps and ` +
			`${totals.moments} moments of a call; ${totals.cleared} leftover sessions deleted, none of the ledger left, ` +
			`none of others touched; ${totals.unanswered} made for an answer that nobody was there to hear, all shown as ` +
			`probably ours; ${totals.finals} acknowledged finals; at most ${totals.lost} batch of captions lost that was under way; ` +
			`${totals.failures.length} failures`,
	);
	return totals.failures;
}

async function crashWindow(): Promise<readonly string[]> {
	const failures: string[] = [];
	const totals = { killed: 0, finals: 0, steps: 0 };
	const bench = await startPageBench();
	async function trial(kill: PageKill): Promise<boolean> {
		const one = await bench.run(kill);
		totals.killed += one.killed ? 1 : 0;
		totals.finals += one.finals;
		totals.steps = Math.max(totals.steps, one.steps);
		for (const failure of one.failures) {
			const line = `${kill.who} ${kill.by}:${kill.at}: ${failure}`;
			console.log(`FAILED ${line}`);
			failures.push(line);
		}
		console.log(`window: ${totals.killed} killed, the last: ${kill.who} at ${kill.by} ${kill.at}`);
		return one.killed;
	}
	try {
		for (let at = 1 + (seed % 3); await trial({ by: 'step', at, who: 'page' }); at += 3);
		const random = createRandom(seed);
		for (let n = 0; n < times / 100; n++) {
			const at = Math.floor(random() * LONGEST_LIVE_MS);
			await trial({ by: 'time', at, who: n % 2 === 0 ? 'page' : 'program' });
		}
	} finally {
		await bench.close();
	}
	console.log(
		`window: ${totals.killed} killed, at a third of ${totals.steps} steps and while live; ${totals.finals} ` +
			`acknowledged finals; ${failures.length} failures`,
	);
	return failures;
}

const parts: Readonly<Record<string, typeof crashMain>> = {
	main: crashMain,
	window: crashWindow,
};
const run =
	(Object.hasOwn(parts, values.part) && parts[values.part]) ||
	refuse(`--part takes ${Object.keys(parts).join(', ')}.`);
const kills = values.at === undefined ? null : killsOf(values.at);
if (values.at !== undefined && kills === null)
	refuse('--at takes step:N, moment:N and time:MS, with commas.');
console.log(`seed ${seed}`);
if (kills) {
	console.log(await crashAt(kills));
} else {
	process.exitCode = (await run()).length > 0 ? 1 : 0;
}
