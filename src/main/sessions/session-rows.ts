import { randomUUID } from 'node:crypto';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Use } from './keeper-machine.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { SessionAccount, SessionFacts, SessionList } from './session-api.ts';
import { sessionLabel } from './session-label.ts';
import { isSettled, isUncertain, mayBeFrom } from './uncertain.ts';

/** Whose a session is, as far as can be known (the host contract's `SessionRow`). `unknown`: the ledger cannot be read. */
export type SessionOwner =
	| 'this-conversation'
	| 'this-app'
	| 'this-computer'
	| 'probably-ours'
	| 'foreign'
	| 'unknown';

export interface SessionRow {
	/** Opaque; not the service's id. */
	handle: string;
	label: string;
	createdAt: number | null;
	updatedAt: number | null;
	expiresAt: number | null;
	owner: SessionOwner;
}

/** A listed session with its mark; the id never leaves main. */
export interface MarkedSession extends SessionFacts {
	readonly owner: SessionOwner;
}

export interface MarkedSessions {
	readonly sessions: readonly MarkedSession[];
	/** False when the list did not end and was cut off. */
	readonly complete: boolean;
}

/** Every session of the account, marked. `usedHere` names those this process holds. */
export async function markedSessions(
	account: SessionAccount,
	ledger: Ledger,
	usedHere: ReadonlyMap<string, Use>,
	signal?: AbortSignal,
): Promise<Result<MarkedSessions, Problem>> {
	const listed = await account.list(signal);
	return listed.ok ? ok(await markSessions(account, ledger, usedHere, listed.value)) : listed;
}

/**
 * Marks what was listed; a ledger that cannot be read must not hide what runs and costs. With a complete list it also tidies the ledger: it drops lost answers that match nothing
 * listed, and handed-over sessions that the service has dropped.
 */
export async function markSessions(
	account: SessionAccount,
	ledger: Ledger,
	usedHere: ReadonlyMap<string, Use>,
	{ sessions, complete }: SessionList,
): Promise<MarkedSessions> {
	const salt = await ledger.salt();
	// Read after the list: a session just made is then already claimed.
	const entries = await ledger.read();
	if (!salt.ok || !entries.ok) {
		const owner = ({ id }: SessionFacts) => hereOwner(usedHere.get(id)) ?? 'unknown';
		return { sessions: sessions.map((session) => ({ ...session, owner: owner(session) })), complete };
	}
	const hash = account.hash(salt.value);
	const mine = entries.value.filter((entry) => entry.account === hash);
	const claimed = new Set(mine.map((entry) => entry.id));
	const unclaimed = sessions.filter(({ id }) => !claimed.has(id));
	const lost = mine.filter((entry) => isUncertain(entry, ledger.isInUse(entry.owner)));
	if (complete) {
		const there = new Set(sessions.map(({ id }) => id));
		const drop = mine.filter((entry) => isOver(entry, lost, there, unclaimed, account.serverNow()));
		const names = new Set(drop.map((entry) => entry.intent));
		if (names.size > 0) await ledger.change((all) => all.filter((entry) => !names.has(entry.intent)));
	}
	return {
		sessions: sessions.map((session) => ({ ...session, owner: ownerOf(session, usedHere, claimed, lost) })),
		complete,
	};
}

function hereOwner(use: Use | undefined): SessionOwner | null {
	if (use === undefined) return null;
	return use === 'warm' ? 'this-app' : 'this-conversation';
}

function isOver(
	entry: LedgerEntry,
	lost: readonly LedgerEntry[],
	there: ReadonlySet<string>,
	unclaimed: readonly SessionFacts[],
	serverNow: number,
): boolean {
	if (lost.includes(entry)) return isSettled(entry, unclaimed, serverNow);
	return entry.state === 'handed-over' && entry.id !== null && !there.has(entry.id);
}

function ownerOf(
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

/** Handles for listed sessions: random, stable as long as they are remembered. */
export interface RowHandles {
	rows(account: SessionAccount, sessions: readonly MarkedSession[]): SessionRow[];
	find(handle: string): { readonly account: SessionAccount; readonly id: string } | null;
}

/** More than any list has rows; older handles are forgotten first. */
const MOST_HANDLES = 10_000;

export function createRowHandles(): RowHandles {
	const known = new Map<string, { readonly account: SessionAccount; readonly id: string }>();
	const handleOf = new Map<string, string>();

	function handleFor(account: SessionAccount, id: string): string {
		const name = `${account.hash('')} ${id}`;
		const handle = handleOf.get(name) ?? randomUUID();
		// Most recently seen, so forgotten last.
		handleOf.delete(name);
		known.delete(handle);
		handleOf.set(name, handle);
		known.set(handle, { account, id });
		return handle;
	}

	function forgetOldest(): void {
		const [name, handle] = handleOf.entries().next().value ?? ['', ''];
		handleOf.delete(name);
		known.delete(handle);
	}

	function rows(account: SessionAccount, sessions: readonly MarkedSession[]): SessionRow[] {
		const made = sessions.map((session) => {
			const { id, createdAt, updatedAt, expiresAt, owner } = session;
			const handle = handleFor(account, id);
			return { handle, label: sessionLabel(id), createdAt, updatedAt, expiresAt, owner };
		});
		while (handleOf.size > MOST_HANDLES) forgetOldest();
		return made;
	}

	return { rows, find: (handle) => known.get(handle) ?? null };
}
