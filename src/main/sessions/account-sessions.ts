import { randomUUID } from 'node:crypto';
import type {
	SessionAccount,
	SessionClient,
	SessionFacts,
	SessionList,
} from '#main/service/session-client.ts';
import type { SessionPage, SessionRow } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { HeldSession } from './held-session.ts';
import type { Use } from './keeper-machine.ts';
import { amended, type Ledger, type LedgerEntry, sessionLabel, withoutEntry } from './ledger.ts';
import { hereOwner, isSettled, isUncertain, ownerOf, type SessionOwner } from './session-owner.ts';

/** A listed session with its mark; its id never leaves main. */
export interface MarkedSession extends SessionFacts {
	readonly owner: SessionOwner;
}

interface MarkedSessions {
	readonly sessions: readonly MarkedSession[];
	/** False when the list did not end and was cut off. */
	readonly complete: boolean;
}

/** Every session of the account, marked. `usedHere` contains those that this process holds. */
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
 * Marks listed sessions; an unreadable ledger must not hide sessions that run and cost. With a complete list
 * it also tidies the ledger: it drops lost answers that match no listed session, and handed-over sessions
 * that the service has dropped.
 */
export async function markSessions(
	account: SessionAccount,
	ledger: Ledger,
	usedHere: ReadonlyMap<string, Use>,
	{ sessions, complete }: SessionList,
): Promise<MarkedSessions> {
	const salt = await ledger.salt();
	// Read the ledger after the list: a session just created is then already claimed.
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

/** More than any list has rows; older handles are forgotten first. */
const MOST_HANDLES = 10_000;

/** Handles for listed sessions: random, and stable as long as they are remembered. */
export function createRowHandles() {
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

	return {
		rows,
		find: (handle: string): { readonly account: SessionAccount; readonly id: string } | null =>
			known.get(handle) ?? null,
	};
}

/** A list that does not end is cut off here (faults 21). */
const MOST_PAGES = 50;

/** Most unfinished readings of the list to remember; the oldest is forgotten. */
const MOST_READINGS = 8;

/** Lets the user list the account's sessions, and end or extend one. */
export function createAccountSessions({
	api,
	ledger,
	held,
	purposeOf,
	endHeld,
}: {
	readonly api: Pick<SessionClient, 'account'>;
	readonly ledger: Ledger;
	readonly held: () => Iterable<HeldSession>;
	/** The present use of a held session; `null` = it is being deleted. */
	readonly purposeOf: (session: HeldSession) => Use | null;
	/** The user wants to end this session: informs the part of the app that uses it, then the service. */
	readonly endHeld: (session: HeldSession) => Promise<void>;
}) {
	const handles = createRowHandles();
	const pages = createSessionPages(ledger);

	function usedHere(): ReadonlyMap<string, Use> {
		const uses = new Map<string, Use>();
		for (const session of held()) {
			const id = session.id();
			if (id !== null) uses.set(id, purposeOf(session) ?? 'prepared');
		}
		return uses;
	}

	function heldAs(account: SessionAccount, id: string): HeldSession | undefined {
		return [...held()].find(
			(session) => session.id() === id && session.account.hash('') === account.hash(''),
		);
	}

	async function list(): Promise<Result<SessionRow[], Problem>> {
		const account = api.account();
		if (!account.ok) return account;
		const marked = await markedSessions(account.value, ledger, usedHere());
		return marked.ok ? ok(handles.rows(account.value, marked.value.sessions)) : marked;
	}

	async function page(after: string | null): Promise<Result<SessionPage, Problem>> {
		const account = api.account();
		if (!account.ok) return account;
		const read = await pages.read(account.value, after, usedHere);
		if (!read.ok) return read;
		const { sessions, next, complete } = read.value;
		return ok({
			rows: handles.rows(account.value, sessions),
			next,
			complete,
			serverNow: account.value.serverNow(),
			brokenLedger: ledger.brokenFile(),
		});
	}

	async function extend(
		handle: string,
		ttlS: number,
	): Promise<Result<{ expiresAt: number | null }, Problem>> {
		const row = handles.find(handle);
		if (!row) return err({ kind: 'not-found', what: 'session' });
		const extended = await row.account.extend(row.id, ttlS);
		if (!extended.ok) return extended;
		const read = await row.account.read(row.id);
		const expiresAt = read.ok ? read.value.expiresAt : null;
		await noteExpiry(ledger, row.id, expiresAt);
		return ok({ expiresAt });
	}

	async function end(handle: string): Promise<Result<void, Problem>> {
		const row = handles.find(handle);
		if (!row) return err({ kind: 'not-found', what: 'session' });
		const own = heldAs(row.account, row.id);
		if (own) {
			await endHeld(own);
			if (own.state().phase === 'gone') return ok();
			// The deletion failed and is retried; but the user is here now and should learn why.
		}
		const removed = await row.account.remove(row.id);
		if (!removed.ok) return removed;
		const entries = await ledger.read();
		const entry = entries.ok ? entries.value.find(({ id }) => id === row.id) : undefined;
		if (entry) await ledger.change((all) => withoutEntry(all, entry.intent));
		return ok();
	}

	return {
		/** Every session of the current account, whatever the number of pages. */
		list,
		/** A page of sessions; `after` is `next` of the previous page, `null` for the first. */
		page,
		/** Sets the expiry of a row to `ttlS` seconds from now. Returns the new one if the service reports it. */
		extend,
		/** Deletes the session of a row. One of ours is announced as lost with the cause `ended-by-user`. */
		end,
	};
}

/** Updates the ledger, which must not consider a session long expired after a person has extended it. */
export async function noteExpiry(ledger: Ledger, id: string, expiresAt: number | null): Promise<void> {
	const entries = await ledger.read();
	const entry = entries.ok ? entries.value.find((one) => one.id === id) : undefined;
	if (entry) await ledger.change((all) => amended(all, entry.intent, { expiresAt }));
}

interface MarkedPage {
	/** The sessions that were on no earlier page. */
	readonly sessions: readonly MarkedSession[];
	/** For `read`: the page after this one; `null` = this was the last. */
	readonly next: string | null;
	/** False when the list did not end and was cut off here. */
	readonly complete: boolean;
}

interface Reading {
	readonly account: string;
	readonly token: string;
	readonly seenTokens: ReadonlySet<string>;
	readonly sessions: readonly SessionFacts[];
}

/** The list of an account, read a page at a time. Keeps the service's own page tokens to itself. */
export function createSessionPages(ledger: Ledger) {
	const readings = new Map<string, Reading>();

	function keep(reading: Reading): string {
		const name = randomUUID();
		readings.set(name, reading);
		const [oldest] = readings.keys();
		if (readings.size > MOST_READINGS && oldest !== undefined) readings.delete(oldest);
		return name;
	}

	return {
		/** `after`: the previous page's `next`; `null` = the first page. `not-found` if it has expired. */
		async read(
			account: SessionAccount,
			after: string | null,
			usedHere: () => ReadonlyMap<string, Use>,
		): Promise<Result<MarkedPage, Problem>> {
			const begun = { account: account.hash(''), token: '', seenTokens: new Set<string>(), sessions: [] };
			const reading: Reading | undefined = after === null ? begun : readings.get(after);
			if (!reading || reading.account !== begun.account) return err({ kind: 'not-found', what: 'page' });
			const page = await account.page(reading.token);
			if (!page.ok) return page;
			const known = new Map(reading.sessions.map((session) => [session.id, session]));
			const fresh = new Set<string>();
			for (const session of page.value.sessions) {
				if (known.has(session.id)) continue;
				known.set(session.id, session);
				fresh.add(session.id);
			}
			const { next } = page.value;
			const seenTokens = new Set([...reading.seenTokens, next]);
			const isCut = next !== '' && (reading.seenTokens.has(next) || seenTokens.size >= MOST_PAGES);
			const sessions = [...known.values()];
			const whole = next === '';
			const marked = await markSessions(account, ledger, usedHere(), { sessions, complete: whole });
			return ok({
				sessions: marked.sessions.filter(({ id }) => fresh.has(id)),
				next: whole || isCut ? null : keep({ account: begun.account, token: next, seenTokens, sessions }),
				complete: !isCut,
			});
		},
	};
}
