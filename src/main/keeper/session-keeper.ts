import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type HeldSession, holdSession } from './held-session.ts';
import { USABLE_MS, type Use } from './keeper-machine.ts';
import { type Ledger, withoutEntry } from './ledger.ts';
import { nextAfterFailure } from './open-failure.ts';
import type { OpenedSession, SessionAccount, SessionApi } from './session-api.ts';
import { createRowHandles, markedSessions, type SessionRow } from './session-rows.ts';
import { type SweepReport, sweepLedger } from './sweep.ts';

/** After a session could not be made ahead, the next attempt waits this long. */
const WARM_PAUSE_MS = 30_000;
/** A first sweep that takes longer does not hold up Start. */
const SWEEP_PATIENCE_MS = 3_000;

/** What the window gets: no id of the service. */
export interface SessionGrant {
	handle: string;
	webrtcUrl: string;
	publisher: string;
}

/** Owns every session this process opens, from before its creation to its confirmed deletion. */
export interface SessionKeeper {
	/** Has one session ready; given back after `warmIdleMs` without another call. Costs at most one session. */
	warm(): void;
	/** The session made ahead, or a new one. The grant is the caller's to `close`. */
	open(): Promise<Result<SessionGrant, Problem>>;
	/** Connected: from now on the service extends it and we only look now and then. */
	joined(handle: string): void;
	/** Resolves when deleted, or within 5 s when left to the ledger and retries. Unknown handles are harmless. */
	close(handle: string): Promise<void>;
	/** Every session of the account in force; its handles are for `end`. */
	list(): Promise<Result<SessionRow[], Problem>>;
	/** Deletes one of the list. One of ours is announced as lost with the cause `ended-by-user`. */
	end(handle: string): Promise<Result<void, Problem>>;
	/** Deletes what the ledger holds and nobody uses; for start, wake and demand. Runs once at a time. */
	sweep(): Promise<Result<SweepReport, Problem>>;
	/** A granted session went away under its user. Returns its removal. */
	onLost(heard: (handle: string, problem: Problem) => void): () => void;
	/** Closes everything; opens under way are cancelled. Resolves at the deadline at the latest. Usable after. */
	closeAll(deadlineMs: number): Promise<void>;
	/** The machine goes to sleep: the session made ahead is given back. */
	suspend(): void;
	/** It woke: every session is looked at, leftovers are swept. */
	resume(): void;
}

export interface SessionKeeperParts {
	readonly api: SessionApi;
	readonly ledger: Ledger;
	readonly clock: Clock;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
	/** 0 = none is made ahead. */
	readonly warmIdleMs: () => number;
}

export function createSessionKeeper(parts: SessionKeeperParts): SessionKeeper {
	const { api, ledger, clock, random, log } = parts;
	const held = new Map<string, HeldSession>();
	const heardLost = new Set<(handle: string, problem: Problem) => void>();
	const handles = createRowHandles();
	const swept = new Set<string>();
	let ahead: HeldSession | null = null;
	let makingAhead = false;
	let giveBackAt = 0;
	let cancelGiveBack: Cancel = () => {};
	let noWarmBefore = 0;
	let noWarmFor = '';
	let asleep = false;
	/** Calls of `open` under way: what they get is for the same person that `warm` would make one for. */
	let opening = 0;
	/** Grows with `closeAll`: whatever was begun before it is cancelled. */
	let generation = 0;
	let sweeping: Promise<Result<SweepReport, Problem>> | null = null;

	function hold(account: SessionAccount, use: 'warm' | 'granted'): HeldSession {
		const session: HeldSession = holdSession({
			account,
			ledger,
			clock,
			random,
			log,
			use,
			announce: (problem) => {
				for (const heard of heardLost) heard(session.handle, problem);
			},
			ended: () => {
				held.delete(session.handle);
				if (ahead !== session) return;
				ahead = null;
				// Lost or too old before it was needed: another, while somebody still seems to want one.
				noWarmBefore = Math.max(noWarmBefore, clock.now() + WARM_PAUSE_MS);
				if (giveBackAt > noWarmBefore) clock.after(WARM_PAUSE_MS, () => void makeAhead());
			},
		});
		held.set(session.handle, session);
		return session;
	}

	function sweep(): Promise<Result<SweepReport, Problem>> {
		const account = api.account();
		if (!account.ok) return Promise.resolve(account);
		sweeping ??= sweepLedger({ account: account.value, ledger, log }).finally(() => {
			sweeping = null;
		});
		return sweeping;
	}

	/** Leftovers count against the plan's limit: they go before the first session is made (faults 27). */
	async function sweepFirst(account: SessionAccount): Promise<void> {
		const hash = account.hash('');
		if (swept.has(hash)) return;
		swept.add(hash);
		let cancel: Cancel = () => {};
		const patience = new Promise<void>((done) => {
			cancel = clock.after(SWEEP_PATIENCE_MS, done);
		});
		await Promise.race([sweep(), patience]);
		cancel();
	}

	async function makeAhead(): Promise<void> {
		const account = api.account();
		if (!account.ok || asleep || ahead || makingAhead || clock.now() >= giveBackAt) return;
		if (isAnyGranted() || (clock.now() < noWarmBefore && noWarmFor === account.value.hash(''))) return;
		makingAhead = true;
		const begun = generation;
		await sweepFirst(account.value);
		makingAhead = false;
		if (begun !== generation || asleep || clock.now() >= giveBackAt || isAnyGranted()) return;
		ahead = hold(account.value, 'warm');
		noWarmFor = account.value.hash('');
		const opened = await ahead.opened;
		if (!opened.ok) noWarmBefore = clock.now() + WARM_PAUSE_MS;
	}

	function isAnyGranted(): boolean {
		if (opening > 0) return true;
		return [...held.values()].some(
			(session) => purposeOf(session) === 'granted' || purposeOf(session) === 'joined',
		);
	}

	function giveBack(): Promise<void> {
		const session = ahead;
		ahead = null;
		return session ? session.release() : Promise.resolve();
	}

	/** The session made ahead, when it is of this account and good for a while; otherwise it is given back. */
	async function takeAhead(account: SessionAccount): Promise<HeldSession | null> {
		const session = ahead;
		if (!session) return null;
		if (session.account.hash('') !== account.hash('') || !isFresh(session)) {
			await giveBack();
			return null;
		}
		ahead = null;
		session.tell('taken');
		return session;
	}

	async function open(): Promise<Result<SessionGrant, Problem>> {
		opening++;
		try {
			return await openOne();
		} finally {
			opening--;
		}
	}

	async function openOne(): Promise<Result<SessionGrant, Problem>> {
		const account = api.account();
		if (!account.ok) return account;
		const begun = generation;
		let session = await takeAhead(account.value);
		if (!session) await sweepFirst(account.value);
		for (let attempt = 1; ; attempt++) {
			if (begun !== generation) {
				await session?.release();
				return err({ kind: 'cancelled' });
			}
			const startedAt = clock.now();
			session ??= hold(account.value, 'granted');
			const opened = await session.opened;
			if (opened.ok && begun === generation) return ok(grantOf(session, opened.value));
			await settleOthers(session);
			if (opened.ok) return err({ kind: 'cancelled' });
			session = null;
			const asked = { account: account.value, ledger, sweep, sinceMs: clock.now() - startedAt };
			const verdict = await nextAfterFailure(opened.error, asked);
			if (verdict !== 'again' || attempt > 1)
				return err(verdict === 'again' ? opened.error.problem : verdict);
		}
	}

	/** What is being deleted still counts against the limit: wait for it before trying again. */
	async function settleOthers(failed: HeldSession): Promise<void> {
		const closing = [...held.values()].filter((session) => session.state().phase === 'closing');
		await Promise.all([failed.release(), ...closing.map((session) => session.release())]);
	}

	function usedHere(): ReadonlyMap<string, Use> {
		const uses = new Map<string, Use>();
		for (const session of held.values()) {
			const id = session.id();
			if (id !== null) uses.set(id, purposeOf(session) ?? 'warm');
		}
		return uses;
	}

	async function list(): Promise<Result<SessionRow[], Problem>> {
		const account = api.account();
		if (!account.ok) return account;
		const marked = await markedSessions(account.value, ledger, usedHere());
		return marked.ok ? ok(handles.rows(account.value, marked.value.sessions)) : marked;
	}

	async function end(handle: string): Promise<Result<void, Problem>> {
		const row = handles.find(handle);
		if (!row) return err({ kind: 'not-found', what: 'session' });
		const own = [...held.values()].find((session) => session.id() === row.id);
		if (own) {
			const inUse = purposeOf(own) === 'granted' || purposeOf(own) === 'joined';
			if (ahead === own) ahead = null;
			await own.release();
			const problem: Problem = { kind: 'session-lost', cause: 'ended-by-user' };
			if (inUse) for (const heard of heardLost) heard(own.handle, problem);
			return ok();
		}
		const removed = await row.account.remove(row.id);
		if (!removed.ok) return removed;
		const entries = await ledger.read();
		const entry = entries.ok ? entries.value.find(({ id }) => id === row.id) : undefined;
		if (entry) await ledger.change((all) => withoutEntry(all, entry.intent));
		return ok();
	}

	return {
		warm() {
			const idleMs = parts.warmIdleMs();
			if (idleMs <= 0) return;
			giveBackAt = clock.now() + idleMs;
			cancelGiveBack();
			cancelGiveBack = clock.after(idleMs, () => void giveBack());
			void makeAhead();
		},
		open,
		joined: (handle) => held.get(handle)?.tell('joined'),
		close: async (handle) => held.get(handle)?.release(),
		list,
		end,
		sweep,
		onLost(heard) {
			heardLost.add(heard);
			return () => heardLost.delete(heard);
		},
		async closeAll(deadlineMs) {
			generation++;
			cancelGiveBack();
			giveBackAt = 0;
			ahead = null;
			let cancel: Cancel = () => {};
			const deadline = new Promise<void>((done) => {
				cancel = clock.after(deadlineMs, done);
			});
			await Promise.race([Promise.all([...held.values()].map((session) => session.release())), deadline]);
			cancel();
		},
		suspend() {
			asleep = true;
			void giveBack();
		},
		resume() {
			asleep = false;
			for (const session of held.values()) session.tell('woke');
			void sweep();
		},
	};
}

function purposeOf(session: HeldSession): Use | null {
	const state = session.state();
	return state.phase === 'held' || state.phase === 'opening' ? state.use : null;
}

/** Will session and token still open the room when the window gets there? */
function isFresh(session: HeldSession): boolean {
	const state = session.state();
	if (state.phase === 'opening') return true;
	if (state.phase !== 'held') return false;
	const neededUntil = session.account.serverNow() + USABLE_MS;
	const token = session.tokenExpiresAt();
	return (
		(state.expiresAt === null || state.expiresAt > neededUntil) && (token === null || token > neededUntil)
	);
}

function grantOf(session: HeldSession, { webrtcUrl, publisher }: OpenedSession): SessionGrant {
	return { handle: session.handle, webrtcUrl, publisher };
}
