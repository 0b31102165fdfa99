import type { SessionAccount, SessionClient } from '#main/service/session-client.ts';
import { atMost, type BackoffPlan, backoffDelay, type Cancel, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type Ledger, type LedgerEntry, sessionLabel } from './ledger.ts';
import { isSettled, isUncertain, LONGEST_LIFE_MS } from './session-owner.ts';

/** A session past its expiry by this much counts as deleted even without the service's confirmation (faults 29). */
const EXPIRED_FOR_SURE_MS = 600_000;
/** After this time no session of another account, whose clock we do not know, can be left. */
const OTHERS_EXPIRED_MS = 86_400_000;

/** The results of a clean-up of the ledger, in numbers of sessions. */
export interface SweepReport {
	readonly deleted: number;
	/** Sessions that the service did not know any more. */
	readonly absent: number;
	/** Left over, but could not be deleted: retried at the next sweep. */
	readonly failed: number;
	/** Used by a living process, this one included. */
	readonly inUse: number;
	/** Handed to the user by the CLI. */
	readonly handedOver: number;
	/** Sessions of another service or key, about which no request was sent. */
	readonly otherAccounts: number;
	/** Sessions of other accounts that expired more than a day ago and were forgotten. */
	readonly outdated: number;
	/** Create calls without an answer: sessions listed since that moment are probably ours. */
	readonly uncertain: number;
	/** Why `failed` is not 0: the last reason. */
	readonly problem: Problem | null;
	/** Where an unreadable ledger was kept. */
	readonly brokenLedger: string | null;
}

interface SweepParts {
	readonly account: SessionAccount;
	readonly ledger: Ledger;
	/** This computer's time, Unix ms. */
	readonly wall: () => number;
	readonly log: Logger;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes unused sessions of the ledger, whose owner has exited or released them. Uses only ids from answers to
 * creations, with the credentials of the creation.
 */
export async function sweepLedger(parts: SweepParts): Promise<Result<SweepReport, Problem>> {
	const { account, ledger, log } = parts;
	const salt = await ledger.salt();
	if (!salt.ok) return salt;
	const entries = await ledger.read();
	if (!entries.ok) return entries;
	const hash = account.hash(salt.value);
	const found = sort(entries.value, hash, ledger);
	const results = await removeAll(found.leftover, parts);
	const gone = results.filter((one) => one.result.ok || isLongExpired(one.entry, account));
	const settled = found.uncertain.length > 0 ? await settledOnes(found, entries.value, parts) : [];
	const now = Math.min(account.heardNow() ?? 0, parts.wall());
	const outdated = found.others.filter((entry) => isOutdated(entry, now, ledger));
	const dropped = [...gone.map((one) => one.entry), ...settled, ...outdated];
	const drop = new Set(dropped.map((entry) => entry.intent));
	if (drop.size > 0) {
		const changed = await ledger.change((all) => all.filter((entry) => !drop.has(entry.intent)));
		if (!changed.ok) return err(changed.error);
	}
	const report: SweepReport = {
		deleted: results.filter(({ result }) => result.ok && result.value === 'deleted').length,
		absent: results.filter(({ result }) => result.ok && result.value === 'absent').length,
		failed: results.filter(({ result }) => !result.ok).length,
		inUse: found.inUse,
		handedOver: found.handedOver,
		otherAccounts: found.others.length - outdated.length,
		outdated: outdated.length,
		uncertain: found.uncertain.length - settled.length,
		problem: results.reduce<Problem | null>((last, { result }) => (result.ok ? last : result.error), null),
		brokenLedger: ledger.brokenFile(),
	};
	if (results.length > 0) log.info('leftover sessions', { deleted: report.deleted, failed: report.failed });
	return ok(report);
}

interface Leftover extends LedgerEntry {
	readonly id: string;
}

interface Found {
	readonly leftover: readonly Leftover[];
	readonly uncertain: readonly LedgerEntry[];
	readonly inUse: number;
	readonly handedOver: number;
	readonly others: readonly LedgerEntry[];
}

function sort(entries: readonly LedgerEntry[], hash: string, ledger: Ledger): Found {
	const leftover: Leftover[] = [];
	const uncertain: LedgerEntry[] = [];
	const others: LedgerEntry[] = [];
	const counts = { inUse: 0, handedOver: 0 };
	const alive = new Map<string, boolean>();
	for (const entry of entries) {
		const inUse = alive.get(entry.owner) ?? ledger.isInUse(entry.owner);
		alive.set(entry.owner, inUse);
		if (entry.account !== hash) others.push(entry);
		else if (entry.id === null && isUncertain(entry, inUse)) uncertain.push(entry);
		else if (entry.id === null) counts.inUse++;
		else if (entry.state === 'handed-over') counts.handedOver++;
		else if (inUse && entry.state !== 'closing') counts.inUse++;
		else leftover.push({ ...entry, id: entry.id });
	}
	return { leftover, uncertain, others, ...counts };
}

interface Removal {
	readonly entry: Leftover;
	readonly result: Result<'deleted' | 'absent', Problem>;
}

/** Deletes one after the other: leftovers are few, and a burst would not help a service in trouble. */
async function removeAll(
	leftover: readonly Leftover[],
	{ account, log, signal }: SweepParts,
): Promise<readonly Removal[]> {
	const results: Removal[] = [];
	for (const entry of leftover) {
		const result = await account.remove(entry.id, signal);
		const how = result.ok ? result.value : result.error.kind;
		log.debug('leftover session', { session: sessionLabel(entry.id), how });
		results.push({ entry, result });
		// A refused key or a dead network would fail the same way for all others.
		if (!result.ok && isHopeless(result.error)) {
			const rest = leftover.slice(results.length).map((other) => ({ entry: other, result }));
			return [...results, ...rest];
		}
	}
	return results;
}

const HOPELESS: readonly Problem['kind'][] = [
	'api-key-rejected',
	'service-unreachable',
	'certificate-untrusted',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
	'key-characters',
	'cancelled',
	'rate-limited',
];

function isHopeless(problem: Problem): boolean {
	return HOPELESS.includes(problem.kind);
}

/** Does not trust this computer's clock alone, which may be days ahead. */
function isLongExpired({ expiresAt }: LedgerEntry, account: SessionAccount): boolean {
	const now = account.heardNow();
	return expiresAt !== null && now !== null && now > expiresAt + EXPIRED_FOR_SURE_MS;
}

/** The other service's clock is unknown, so this service and this computer must agree: either may be wrong. */
function isOutdated(entry: LedgerEntry, now: number, ledger: Ledger): boolean {
	if (entry.state !== 'closing' && ledger.isInUse(entry.owner)) return false;
	return now > (entry.expiresAt ?? entry.createdServer + LONGEST_LIFE_MS) + OTHERS_EXPIRED_MS;
}

async function settledOnes(
	found: Found,
	entries: readonly LedgerEntry[],
	{ account, signal }: SweepParts,
): Promise<readonly LedgerEntry[]> {
	const listed = await account.list(signal);
	if (!listed.ok || !listed.value.complete) return [];
	const claimed = new Set(entries.map((entry) => entry.id));
	const unclaimed = listed.value.sessions.filter((session) => !claimed.has(session.id));
	return found.uncertain.filter((entry) => isSettled(entry, unclaimed, account.serverNow()));
}

/** Retries after the service was unreachable: leftovers are deleted within a minute of its return. */
const AGAIN: BackoffPlan = { baseMs: 5000, capMs: 60_000, tries: 60 };
const PASSING: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	// Temporary: a login page, such as a hotel network's, goes away.
	'certificate-untrusted',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
	'service-failed',
	'timed-out',
	'rate-limited',
]);
/** A first sweep that takes longer than this does not delay Start. */
const PATIENCE_MS = 3_000;

export type Sweeper = ReturnType<typeof createSweeper>;

/** When leftovers are swept: on request, before the first session of an account, and again after a sweep that failed. */
export function createSweeper(parts: {
	readonly api: Pick<SessionClient, 'account'>;
	readonly ledger: Ledger;
	readonly clock: Pick<Clock, 'after' | 'wall'>;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
}) {
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
		/** Runs one sweep at a time: another call joins it, or waits for it if that is for another account. */
		sweep,
		/** Leftovers count against the plan's limit: delete them before the first session (faults 27). */
		async before(account: SessionAccount): Promise<void> {
			const hash = account.hash('');
			if (swept.has(hash)) return;
			swept.add(hash);
			await atMost(clock, PATIENCE_MS, sweep());
		},
		/** Starts no automatic sweep until the next `sweep`. */
		rest(): void {
			resting = true;
			cancelNext();
		},
	};
}
