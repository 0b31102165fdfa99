import { randomUUID } from 'node:crypto';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Use } from './keeper-machine.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { SessionAccount, SessionFacts } from './session-api.ts';
import { sessionLabel } from './session-label.ts';
import { isSettled, isUncertain, mayBeFrom } from './uncertain.ts';

/** Whose a session is, as far as can be known (the host contract's `SessionRow`). */
export type SessionOwner = 'this-conversation' | 'this-app' | 'this-computer' | 'probably-ours' | 'foreign';

export interface SessionRow {
	/** Opaque; not the service's id. */
	handle: string;
	label: string;
	createdAt: number | null;
	expiresAt: number | null;
	owner: SessionOwner;
}

/** A listed session with its mark; the id never leaves main. */
export interface MarkedSession extends SessionFacts {
	readonly owner: SessionOwner;
}

export interface MarkedSessions {
	readonly sessions: readonly MarkedSession[];
	/** False when the list had no end and was cut. */
	readonly complete: boolean;
}

/**
 * Every session of the account, marked. `usedHere` names those this process holds. Tidies the ledger on the
 * way: lost answers that nothing listed can be from, and handed-over sessions the service has dropped.
 */
export async function markedSessions(
	account: SessionAccount,
	ledger: Ledger,
	usedHere: ReadonlyMap<string, Use>,
	signal?: AbortSignal,
): Promise<Result<MarkedSessions, Problem>> {
	const salt = await ledger.salt();
	if (!salt.ok) return salt;
	const listed = await account.list(signal);
	if (!listed.ok) return listed;
	// Read after the list: a session just made is then already claimed.
	const entries = await ledger.read();
	if (!entries.ok) return entries;
	const hash = account.hash(salt.value);
	const mine = entries.value.filter((entry) => entry.account === hash);
	const claimed = new Set(mine.map((entry) => entry.id));
	const unclaimed = listed.value.sessions.filter(({ id }) => !claimed.has(id));
	const lost = mine.filter((entry) => isUncertain(entry, ledger.isInUse(entry.owner)));
	if (listed.value.complete) {
		const there = new Set(listed.value.sessions.map(({ id }) => id));
		const drop = mine.filter((entry) => isOver(entry, lost, there, unclaimed, account.serverNow()));
		const names = new Set(drop.map((entry) => entry.intent));
		if (names.size > 0) await ledger.change((all) => all.filter((entry) => !names.has(entry.intent)));
	}
	const { sessions, complete } = listed.value;
	return ok({
		sessions: sessions.map((session) => ({ ...session, owner: ownerOf(session, usedHere, claimed, lost) })),
		complete,
	});
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
	const use = usedHere.get(session.id);
	if (use !== undefined) return use === 'warm' ? 'this-app' : 'this-conversation';
	if (claimed.has(session.id)) return 'this-computer';
	return lost.some((entry) => mayBeFrom(entry, session)) ? 'probably-ours' : 'foreign';
}

/** Handles for listed sessions: random, stable while a session stays in the list. */
export interface RowHandles {
	rows(account: SessionAccount, sessions: readonly MarkedSession[]): SessionRow[];
	find(handle: string): { readonly account: SessionAccount; readonly id: string } | null;
}

export function createRowHandles(): RowHandles {
	let known = new Map<string, { readonly account: SessionAccount; readonly id: string }>();

	function rows(account: SessionAccount, sessions: readonly MarkedSession[]): SessionRow[] {
		const before = new Map(
			[...known].map(([handle, { account: of, id }]) => [`${of.hash('')} ${id}`, handle]),
		);
		known = new Map();
		return sessions.map((session) => {
			const handle = before.get(`${account.hash('')} ${session.id}`) ?? randomUUID();
			known.set(handle, { account, id: session.id });
			const { createdAt, expiresAt, owner } = session;
			return { handle, label: sessionLabel(session.id), createdAt, expiresAt, owner };
		});
	}

	return { rows, find: (handle) => known.get(handle) ?? null };
}
