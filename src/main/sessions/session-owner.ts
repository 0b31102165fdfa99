import type { SessionFacts } from '#main/service/session-client.ts';
import type { SessionRow } from '#shared/host/contract.ts';
import type { Use } from './keeper-machine.ts';
import type { LedgerEntry } from './ledger.ts';

/** Whose a listed session is. `unknown`: the ledger cannot be read. */
export type SessionOwner = SessionRow['owner'];

/** How far our estimate of the service's time may be off: a `Date` header counts whole seconds. */
const CLOCK_SLACK_MS = 5_000;
/** A service that gave no answer may still have finished this much later. */
const LATE_MS = 60_000;
/** The longest a create call can be under way, with all its waiting; for a process that died in it. */
const LONGEST_CREATE_MS = 300_000;
/** A lost answer is forgotten if no listed session matches it for this long, or after the longest life seen. */
const SETTLED_AFTER_MS = 120_000;
/** The longest session life ever seen. */
export const LONGEST_LIFE_MS = 31 * 86_400_000;

/** A create call without an answer: its session id is unknown. `inUse`: its owner may still be waiting for it. */
export function isUncertain(entry: LedgerEntry, inUse: boolean): boolean {
	return entry.id === null && (entry.lostAt !== null || !inUse);
}

/** True if this session may come from the create call whose answer was lost. A guess: shown, never acted on. */
export function mayBeFrom(entry: LedgerEntry, session: SessionFacts): boolean {
	if (session.createdAt === null) return false;
	const last = (entry.lostAt ?? entry.createdServer + LONGEST_CREATE_MS) + LATE_MS;
	return session.createdAt >= entry.createdServer - CLOCK_SLACK_MS && session.createdAt <= last;
}

/** True once no session in a complete list of unclaimed ones can belong to this entry. */
export function isSettled(
	entry: LedgerEntry,
	unclaimed: readonly SessionFacts[],
	serverNow: number,
): boolean {
	if (serverNow > entry.createdServer + LONGEST_LIFE_MS) return true;
	const since = entry.lostAt ?? entry.createdServer + LONGEST_CREATE_MS;
	return serverNow > since + SETTLED_AFTER_MS && !unclaimed.some((session) => mayBeFrom(entry, session));
}

/** The owner of a session that this window uses or has prepared; null = it does neither. */
export function hereOwner(use: Use | undefined): SessionOwner | null {
	if (use === undefined) return null;
	return use === 'prepared' ? 'this-app' : 'this-conversation';
}

/** `claimed`: the ids in the ledger. `lost`: its uncertain entries. */
export function ownerOf(
	session: SessionFacts,
	usedHere: ReadonlyMap<string, Use>,
	claimed: ReadonlySet<string | null>,
	lost: readonly LedgerEntry[],
): SessionOwner {
	const here = hereOwner(usedHere.get(session.id));
	if (here) return here;
	if (claimed.has(session.id)) return 'this-computer';
	return lost.some((entry) => mayBeFrom(entry, session)) ? 'probably-ours' : 'foreign';
}
