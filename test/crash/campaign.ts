import { createRandom } from '#test/support/random.ts';
import { type Bench, buildChild, type Kill, type Outcome, startBench } from './trial.ts';

export interface CampaignOptions {
	readonly seed: number;
	/** Trials side by side, each with a service of its own. */
	readonly workers: number;
	/** At least this many trials; those at every step come first and are not cut short. Absent: only those. */
	readonly times?: number;
	/** Instead of all: trials in an order drawn from the seed for this long, at least a dozen. */
	readonly forMs?: number;
	/** Called after each trial. */
	readonly heard?: (kills: readonly Kill[], outcome: Outcome, totals: Totals) => void;
}

export interface Totals {
	readonly trials: number;
	/** Programs that were killed. */
	readonly killed: number;
	/** Steps of one program from its beginning to its end. */
	readonly steps: number;
	readonly moments: number;
	readonly cleared: number;
	readonly unanswered: number;
	readonly finals: number;
	/** The most batches of captions that one program lost, none of them acknowledged. */
	readonly lost: number;
	/** Which trial, and what was not as promised. */
	readonly failures: readonly string[];
}

/** The words of `--at`: `step:137,time:20`. */
export function nameOf(kills: readonly Kill[]): string {
	return kills.map(({ by, at }) => `${by}:${at}`).join(',');
}

/** Null if `name` is not of that form. */
export function killsOf(name: string): readonly Kill[] | null {
	const kills = name.split(',').map((one): Kill | null => {
		const [, by, at] = /^(step|moment|time):(\d+)$/.exec(one) ?? [];
		return by === 'step' || by === 'moment' || by === 'time' ? { by, at: Number(at) } : null;
	});
	return kills.every((kill) => kill !== null) ? kills : null;
}

const NONE: Totals = {
	trials: 0,
	killed: 0,
	steps: 0,
	moments: 0,
	cleared: 0,
	unanswered: 0,
	finals: 0,
	lost: 0,
	failures: [],
};
/** The order of concurrent steps differs from run to run: the end is reached when this many programs have survived. */
const PAST_THE_END = 3;
const FEWEST = 12;

function added(totals: Totals, kills: readonly Kill[], outcome: Outcome): Totals {
	const failures = outcome.failures.map((failure) => `${nameOf(kills)}: ${failure}`);
	return {
		trials: totals.trials + 1,
		killed: totals.killed + outcome.killed,
		steps: Math.max(totals.steps, outcome.whole?.steps ?? 0),
		moments: Math.max(totals.moments, outcome.whole?.moments ?? 0),
		cleared: totals.cleared + outcome.cleared,
		unanswered: totals.unanswered + outcome.unanswered,
		finals: totals.finals + outcome.finals,
		lost: Math.max(totals.lost, outcome.lost),
		failures: [...totals.failures, ...failures],
	};
}

/**
 * Kills a main process at every step of its day, then at random, also several in a row, and reports what was not as
 * promised. Never rejects because of what it found.
 */
export async function crash(options: CampaignOptions): Promise<Totals> {
	const { seed, workers, times = 0, forMs } = options;
	const random = createRandom(seed);
	const child = await buildChild();
	const benches = await Promise.all(Array.from({ length: workers }, () => startBench(child)));
	let totals = NONE;

	async function trial(bench: Bench, kills: readonly Kill[]): Promise<Outcome> {
		const outcome = await bench.run(kills);
		totals = added(totals, kills, outcome);
		options.heard?.(kills, outcome, totals);
		return outcome;
	}

	const inParallel = (work: (bench: Bench) => Promise<void>) => Promise.all(benches.map(work));

	/** At 1, 2, 3 … until the program ends before it can be killed. */
	async function everyOne(by: 'step' | 'moment'): Promise<void> {
		let next = 1;
		let survived = 0;
		await inParallel(async (bench) => {
			while (survived < PAST_THE_END) {
				const { killed } = await trial(bench, [{ by, at: next++ }]);
				if (killed === 0) survived += 1;
			}
		});
	}

	const below = (limit: number) => Math.floor(random() * limit);

	/** Up to three programs in a row, each of which meets what the one before left. */
	function anyKills(lastsMs: number): readonly Kill[] {
		return Array.from({ length: 1 + below(3) }, (): Kill => {
			const by = (['time', 'time', 'step', 'moment'] as const)[below(4)] ?? 'time';
			const limit = { time: lastsMs, step: totals.steps, moment: totals.moments }[by];
			return { by, at: by === 'time' ? below(limit) : 1 + below(limit) };
		});
	}

	try {
		const [first] = benches;
		if (!first) return totals;
		// Runs to its end: this tells how many steps there are, and fills the compile cache for the rest.
		await trial(first, [{ by: 'step', at: 0 }]);
		const { whole } = await trial(first, [{ by: 'step', at: 0 }]);
		const lastsMs = whole?.lastedMs ?? 0;
		if (forMs === undefined) {
			await everyOne('moment');
			await everyOne('step');
			await inParallel(async (bench) => {
				while (totals.trials < times) await trial(bench, anyKills(lastsMs));
			});
			return totals;
		}
		const until = performance.now() + forMs;
		const all = (by: 'step' | 'moment', count: number) =>
			Array.from({ length: count }, (_, index) => [{ by, at: index + 1 }] as const);
		const single = [...all('step', totals.steps), ...all('moment', totals.moments)];
		await inParallel(async (bench) => {
			while (performance.now() < until || totals.trials < FEWEST) {
				// Half of the trials are a single kill at a step not tried yet.
				const [kills] = single.length > 0 && random() < 0.5 ? single.splice(below(single.length), 1) : [];
				await trial(bench, kills ?? anyKills(lastsMs));
			}
		});
		return totals;
	} finally {
		for (const bench of benches) await bench.close();
		child.remove();
	}
}

/** One trial alone, to look at what it found. */
export async function crashAt(kills: readonly Kill[]): Promise<Outcome> {
	const child = await buildChild();
	const bench = await startBench(child);
	try {
		return await bench.run(kills);
	} finally {
		await bench.close();
		child.remove();
	}
}
