import type { LedgerEntry } from './ledger.ts';
import type { SessionFacts } from './session-api.ts';

/** How far our idea of the service's time may be off: a `Date` header counts whole seconds. */
const CLOCK_SLACK_MS = 5_000;
/** A service that gave no answer may still have finished this much later. */
const LATE_MS = 60_000;
/** The longest a create call can be under way, with all its waiting; for a process that died in it. */
const LONGEST_CREATE_MS = 300_000;
/** A lost answer is forgotten when nothing in the list fits it for this long, or after the longest life seen. */
const SETTLED_AFTER_MS = 120_000;
/** The longest session life ever seen. */
export const LONGEST_LIFE_MS = 31 * 86_400_000;

/** A create call whose answer never came: nobody knows its id. `inUse`: its owner may still be waiting for it. */
export function isUncertain(entry: LedgerEntry, inUse: boolean): boolean {
	return entry.id === null && (entry.lostAt !== null || !inUse);
}

/** Might this session come from the create call whose answer we lost? A guess: shown, never acted on. */
export function mayBeFrom(entry: LedgerEntry, session: SessionFacts): boolean {
	if (session.createdAt === null) return false;
	const last = (entry.lostAt ?? entry.createdServer + LONGEST_CREATE_MS) + LATE_MS;
	return session.createdAt >= entry.createdServer - CLOCK_SLACK_MS && session.createdAt <= last;
}

/** Nothing in a complete list of unclaimed sessions can be from it any more. */
export function isSettled(
	entry: LedgerEntry,
	unclaimed: readonly SessionFacts[],
	serverNow: number,
): boolean {
	if (serverNow > entry.createdServer + LONGEST_LIFE_MS) return true;
	const since = entry.lostAt ?? entry.createdServer + LONGEST_CREATE_MS;
	return serverNow > since + SETTLED_AFTER_MS && !unclaimed.some((session) => mayBeFrom(entry, session));
}
