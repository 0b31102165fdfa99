import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { SessionAccount } from './session-api.ts';
import { sessionLabel } from './session-label.ts';
import { isSettled, isUncertain, LONGEST_LIFE_MS } from './uncertain.ts';

/** A session past its expiry by this much is gone even when the service does not say so (faults 29). */
const EXPIRED_FOR_SURE_MS = 600_000;
/** By then nothing of another account, whose clock we do not know, can be left. */
const OTHERS_EXPIRED_MS = 86_400_000;

/** What a sweep found in the ledger; counts of sessions. */
export interface SweepReport {
	readonly deleted: number;
	/** The service did not know them any more. */
	readonly absent: number;
	/** Left over, but not deleted: tried again at the next sweep. */
	readonly failed: number;
	/** Used by a living process, this one included. */
	readonly inUse: number;
	/** Handed to the user by the CLI: theirs. */
	readonly handedOver: number;
	/** Of another service or key: nothing was sent anywhere about them. */
	readonly otherAccounts: number;
	/** Of those, expired for longer than a day: forgotten. */
	readonly outdated: number;
	/** Answers lost: what the list shows from that moment is probably ours. */
	readonly uncertain: number;
	/** Why `failed` is not 0: the last reason. */
	readonly problem: Problem | null;
	/** Where a ledger that could not be read was kept. */
	readonly brokenLedger: string | null;
}

export interface SweepParts {
	readonly account: SessionAccount;
	readonly ledger: Ledger;
	/** This computer's time, Unix ms. */
	readonly wall: () => number;
	readonly log: Logger;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes sessions in the ledger that nobody uses any more: the owner is gone, or has released them. Only ids
 * read from create answers, only with the credentials they were made with.
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

/** One after the other: leftovers are few, and a service in trouble is not helped by a burst. */
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

/** Never by this computer's clock alone, which may be days ahead. */
function isLongExpired({ expiresAt }: LedgerEntry, account: SessionAccount): boolean {
	const now = account.heardNow();
	return expiresAt !== null && now !== null && now > expiresAt + EXPIRED_FOR_SURE_MS;
}

/** The other service's clock is not known: only when this service and this computer both say so, as either may be wrong. */
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
