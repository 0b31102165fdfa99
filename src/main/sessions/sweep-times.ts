import { atMost } from '#shared/lib/at-most.ts';
import { type BackoffPlan, backoffDelay } from '#shared/lib/backoff.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Ledger } from './ledger.ts';
import type { SessionAccount, SessionApi } from './session-api.ts';
import { type SweepReport, sweepLedger } from './sweep.ts';

/** Leftovers that stayed because the service was unreachable are cleared within a minute of its return. */
const AGAIN: BackoffPlan = { baseMs: 5000, capMs: 60_000, tries: 60 };
const PASSING: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	// A hotel network's login page, for one, goes away.
	'certificate-untrusted',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
	'service-failed',
	'timed-out',
	'rate-limited',
]);
/** A first sweep that takes longer does not hold up Start. */
const PATIENCE_MS = 3_000;

/** When leftovers are swept: on request, before the first session of an account, and again after a sweep that failed. */
export interface Sweeper {
	/** One at a time: a call meanwhile joins the one under way, or waits for it if that is another account's. */
	sweep(): Promise<Result<SweepReport, Problem>>;
	/** Leftovers count against the plan's limit: they go before the first session is made (faults 27). */
	before(account: SessionAccount): Promise<void>;
	/** No sweep begins by itself until the next `sweep`. */
	rest(): void;
}

export function createSweeper(parts: {
	readonly api: SessionApi;
	readonly ledger: Ledger;
	readonly clock: Pick<Clock, 'after' | 'wall'>;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
}): Sweeper {
	const { api, ledger, clock, random, log } = parts;
	const swept = new Set<string>();
	let sweeping: { readonly hash: string; readonly done: Promise<Result<SweepReport, Problem>> } | null = null;
	let failed = 0;
	let resting = false;
	let cancelNext: Cancel = () => {};

	function sweep(): Promise<Result<SweepReport, Problem>> {
		const account = api.account();
		if (!account.ok) return Promise.resolve(account);
		cancelNext();
		resting = false;
		const hash = account.value.hash('');
		if (sweeping?.hash === hash) return sweeping.done;
		const run = () => sweepOf(account.value);
		const mine = { hash, done: sweeping ? sweeping.done.then(run, run) : run() };
		sweeping = mine;
		const over = () => {
			if (sweeping === mine) sweeping = null;
		};
		void mine.done.then(over, over);
		return mine.done;
	}

	async function sweepOf(account: SessionAccount): Promise<Result<SweepReport, Problem>> {
		const done = await sweepLedger({ account, ledger, wall: clock.wall, log });
		plan(done.ok ? done.value.problem : done.error);
		return done;
	}

	function plan(problem: Problem | null): void {
		cancelNext();
		failed = problem && PASSING.has(problem.kind) ? failed + 1 : 0;
		const delayMs = failed > 0 ? backoffDelay(AGAIN, failed, random) : null;
		if (delayMs === null || resting) return;
		const leastMs = problem?.kind === 'rate-limited' ? problem.retryAfterMs : 0;
		cancelNext = clock.after(Math.max(delayMs, leastMs), () => void sweep());
	}

	return {
		sweep,
		async before(account) {
			const hash = account.hash('');
			if (swept.has(hash)) return;
			swept.add(hash);
			await atMost(clock, PATIENCE_MS, sweep());
		},
		rest() {
			resting = true;
			cancelNext();
		},
	};
}
