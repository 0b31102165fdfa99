import type { OpenedSession, SessionAccount, SessionClient } from '#main/service/session-client.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import { atMost, type Cancel, type Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createAccountSessions } from './account-sessions.ts';
import { createLostAnswers } from './create-session.ts';
import { type HeldSession, holdSession } from './held-session.ts';
import { USABLE_MS, type Use } from './keeper-machine.ts';
import type { Ledger } from './ledger.ts';
import { createSweeper } from './sweep.ts';

/** After a session could not be prepared, or the plan's limit allowed none, the next attempt waits this long. */
const PREPARE_PAUSE_MS = 30_000;
/** A prepared session is replaced when its token has less time left than Start needs, plus this. */
const RENEWAL_MS = 30_000;
/** The end of a token is checked again after this long, because a timer cannot run for a month. */
const LONGEST_LOOK_MS = 3_600_000;
/** Shorter than the window's wait (30 s), so that it gets the reason and no session comes too late. */
const OPEN_LIMIT_MS = 25_000;

/** One call of `open` under way. */
interface Opening {
	session: HeldSession | null;
	abandoned: boolean;
}

/** Owns every session this process opens, from before its creation to its confirmed deletion. */
export type SessionKeeper = ReturnType<typeof createSessionKeeper>;

export function createSessionKeeper(parts: {
	readonly api: Pick<SessionClient, 'account'>;
	readonly ledger: Ledger;
	readonly clock: Clock;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
	/** How long a prepared session is kept unused, ms; 0 = none is prepared. */
	readonly preparedIdleMs: () => number;
}) {
	const { api, ledger, clock, random, log } = parts;
	const held = new Map<string, HeldSession>();
	const heardLost = createListeners<[handle: string, problem: Problem]>();
	const heardExpiring = createListeners<[handle: string, leftMs: number]>();
	const sweeper = createSweeper(parts);
	const lostAnswers = createLostAnswers({ ledger, sweeper, clock });
	let prepared: HeldSession | null = null;
	let cancelRenewal: Cancel = () => {};
	let makingPrepared = false;
	let giveBackAt = 0;
	let cancelGiveBack: Cancel = () => {};
	let noPreparingBefore = 0;
	let noPreparingFor = '';
	let cancelRetry: Cancel = () => {};
	let asleep = false;
	/** Calls of `open` under way: they serve the same user for whom `prepare` would prepare a session. */
	let opening = 0;
	/** Incremented by `closeAll`: everything begun before that is cancelled. */
	let generation = 0;

	function hold(account: SessionAccount, use: 'prepared' | 'granted'): HeldSession {
		const session: HeldSession = holdSession({
			account,
			ledger,
			clock,
			random,
			log,
			use,
			announce: (problem) => {
				heardLost.tell(session.handle, problem);
			},
			expiring: (leftMs) => heardExpiring.tell(session.handle, leftMs),
			ended: () => {
				held.delete(session.handle);
				if (prepared !== session) return;
				leavePrepared();
				// The session was lost or too old before use: prepare another while the user still seems about to start.
				noPreparingBefore = Math.max(noPreparingBefore, clock.now() + PREPARE_PAUSE_MS);
				cancelRetry();
				if (giveBackAt > noPreparingBefore)
					cancelRetry = clock.after(PREPARE_PAUSE_MS, () => void makeAhead());
			},
		});
		held.set(session.handle, session);
		return session;
	}

	async function makeAhead(): Promise<void> {
		const account = api.account();
		if (!account.ok || asleep || prepared || makingPrepared || clock.now() >= giveBackAt) return;
		const isPaused = clock.now() < noPreparingBefore && noPreparingFor === account.value.hash('');
		if (isAnyGranted() || isPaused) return;
		makingPrepared = true;
		const begun = generation;
		await sweeper.before(account.value);
		const isDoubtful = await lostAnswers.isAnyLeft(account.value);
		makingPrepared = false;
		// Hovering over Start must not leave one undeletable session after another (faults 13).
		if (isDoubtful) return pauseFor(account.value);
		if (begun !== generation || asleep || clock.now() >= giveBackAt || isAnyGranted()) return;
		prepared = hold(account.value, 'prepared');
		noPreparingFor = account.value.hash('');
		const session = prepared;
		const opened = await session.opened;
		if (opened.ok) {
			if (prepared === session) renewInTime(session);
			return;
		}
		pause(account.value, opened.error.problem);
		// If Start took the session over, it checks this itself.
		if (opened.error.created === 'no' || opening > 0) return;
		makingPrepared = true;
		await lostAnswers.after(session, opened.error, false);
		makingPrepared = false;
	}

	function pauseFor(account: SessionAccount): void {
		noPreparingBefore = clock.now() + PREPARE_PAUSE_MS;
		noPreparingFor = account.hash('');
	}

	/** After a refusal, prepare no session until the user seems about to start: the service would refuse again. */
	function pause(account: SessionAccount, problem: Problem): void {
		pauseFor(account);
		if (problem.kind !== 'session-limit' && problem.kind !== 'forbidden') return;
		cancelRetry();
		giveBackAt = 0;
	}

	/** Replaces a token that is about to expire, together with its session, before anybody needs it. */
	function renewInTime(session: HeldSession): void {
		cancelRenewal();
		const token = session.tokenExpiresAt();
		if (token === null) return;
		const leftMs = token - session.account.serverNow() - USABLE_MS - RENEWAL_MS;
		// Limit how often a service with very short-lived tokens is asked for new ones.
		const delayMs = Math.min(Math.max(leftMs, PREPARE_PAUSE_MS), LONGEST_LOOK_MS);
		cancelRenewal = clock.after(delayMs, async () => {
			if (leftMs > LONGEST_LOOK_MS) return renewInTime(session);
			await giveBack();
			await makeAhead();
		});
	}

	function leavePrepared(): HeldSession | null {
		const session = prepared;
		cancelRenewal();
		prepared = null;
		return session;
	}

	function isAnyGranted(): boolean {
		if (opening > 0) return true;
		return [...held.values()].some(
			(session) => purposeOf(session) === 'granted' || purposeOf(session) === 'joined',
		);
	}

	function giveBack(): Promise<void> {
		return leavePrepared()?.release() ?? Promise.resolve();
	}

	/** The prepared session if it belongs to this account and lasts a while; otherwise it is given back. */
	async function takeAhead(account: SessionAccount): Promise<HeldSession | null> {
		const session = prepared;
		if (!session) return null;
		if (session.account.hash('') !== account.hash('') || !isFresh(session)) {
			await giveBack();
			return null;
		}
		leavePrepared();
		session.tell('taken');
		return session;
	}

	async function open(): Promise<Result<SessionGrant, Problem>> {
		const account = api.account();
		opening++;
		const own: Opening = { session: null, abandoned: false };
		let cancel: Cancel = () => {};
		const late = new Promise<Result<SessionGrant, Problem>>((done) => {
			cancel = clock.after(OPEN_LIMIT_MS, () => {
				own.abandoned = true;
				void own.session?.release();
				done(err({ kind: 'timed-out', what: 'session', afterMs: OPEN_LIMIT_MS }));
			});
		});
		try {
			const opened = await Promise.race([openOne(own), late]);
			if (!opened.ok && opened.error.kind === 'session-limit' && account.ok)
				pause(account.value, opened.error);
			return opened;
		} finally {
			cancel();
			opening--;
		}
	}

	async function openOne(own: Opening): Promise<Result<SessionGrant, Problem>> {
		const account = api.account();
		if (!account.ok) return account;
		const begun = generation;
		const isOver = () => own.abandoned || begun !== generation;
		let session = await takeAhead(account.value);
		const obstacle = session ? null : await lostAnswers.before(account.value);
		if (obstacle) return err(obstacle);
		for (let attempt = 1; ; attempt++) {
			if (isOver()) {
				await session?.release();
				return err({ kind: 'cancelled' });
			}
			session ??= hold(account.value, 'granted');
			own.session = session;
			const opened = await session.opened;
			if (opened.ok && !isOver()) {
				lostAnswers.opened();
				return ok(grantOf(session, opened.value));
			}
			const isRoomMade = await settleOthers(session);
			if (opened.ok) return err({ kind: 'cancelled' });
			const verdict = await lostAnswers.after(session, opened.error, isRoomMade);
			session = null;
			if (verdict !== 'again') return err(verdict);
			if (attempt > 1) return err(opened.error.problem);
		}
	}

	/** A session being deleted counts against the limit: waits for that. True: one was deleted. */
	async function settleOthers(failed: HeldSession): Promise<boolean> {
		const closing = [...held.values()].filter((session) => session.state().phase === 'closing');
		await Promise.all([failed.release(), ...closing.map((session) => session.release())]);
		return closing.some((session) => session.state().phase === 'gone');
	}

	/** Informs the session's user first: a conversation that saw its room close would open another session. */
	async function endHeld(session: HeldSession): Promise<void> {
		const use = purposeOf(session);
		if (prepared === session) leavePrepared();
		const problem: Problem = { kind: 'session-lost', cause: 'ended-by-user' };
		if (use === 'granted' || use === 'joined') heardLost.tell(session.handle, problem);
		await session.release();
	}

	const accountSessions = createAccountSessions({
		api,
		ledger,
		held: () => held.values(),
		purposeOf,
		endHeld,
	});

	return {
		/** Keeps one session ready, given back after `preparedIdleMs` without a call. Costs at most one session. */
		prepare(): void {
			const idleMs = parts.preparedIdleMs();
			if (idleMs <= 0) return;
			giveBackAt = clock.now() + idleMs;
			cancelGiveBack();
			cancelGiveBack = clock.after(idleMs, () => void giveBack());
			void makeAhead();
		},
		/** Deletes the prepared session, because none is needed any more. */
		cool(): void {
			cancelGiveBack();
			giveBackAt = 0;
			void giveBack();
		},
		/** Returns the prepared session, or a new one. The caller must `close` the grant. */
		open,
		/** The window has connected: from now on the service extends the session and we only poll now and then. */
		joined: (handle: string): void => held.get(handle)?.tell('joined'),
		/**
		 * Deletes the session. Resolves when it is deleted, or within 5 s if it is left to the ledger and retries.
		 * Does nothing for unknown handles.
		 */
		close: async (handle: string): Promise<void> => held.get(handle)?.release(),
		...accountSessions,
		end(handle: string) {
			noPreparingBefore = 0;
			return accountSessions.end(handle);
		},
		/** Deletes unused sessions of the ledger; called at start, on waking and on demand. Never runs twice at once. */
		sweep: sweeper.sweep,
		/** Calls back when a granted session was lost while in use. The returned function removes the listener. */
		onLost: heardLost.listen,
		/** Calls back repeatedly while a joined session cannot be extended; it then ends in `leftMs`. */
		onExpiring: heardExpiring.listen,
		/** Closes everything and cancels calls of `open`, by the deadline at the latest. Can be used again. */
		async closeAll(deadlineMs: number): Promise<void> {
			generation++;
			sweeper.rest();
			cancelGiveBack();
			giveBackAt = 0;
			leavePrepared();
			await atMost(clock, deadlineMs, Promise.all([...held.values()].map((session) => session.release())));
		},
		/** The computer goes to sleep: deletes the prepared session. */
		suspend(): void {
			asleep = true;
			sweeper.rest();
			void giveBack();
		},
		/** The computer woke up: polls every session and deletes leftover ones. */
		resume(): void {
			asleep = false;
			for (const session of held.values()) session.tell('woke');
			void sweeper.sweep();
		},
	};
}

function grantOf(session: HeldSession, { webrtcUrl, publisher }: OpenedSession): SessionGrant {
	return { handle: session.handle, webrtcUrl, publisher };
}

/** The present use of a held session; `null` = it is being given up. */
export function purposeOf(session: HeldSession): Use | null {
	const state = session.state();
	return state.phase === 'held' || state.phase === 'opening' ? state.use : null;
}

/** True if session and token will still open the room when the window gets there. */
export function isFresh(session: HeldSession): boolean {
	const state = session.state();
	if (state.phase === 'opening') return true;
	if (state.phase !== 'held') return false;
	const neededUntil = session.account.serverNow() + USABLE_MS;
	const token = session.tokenExpiresAt();
	return (
		(state.expiresAt === null || state.expiresAt > neededUntil) && (token === null || token > neededUntil)
	);
}
