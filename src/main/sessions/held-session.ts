import { randomUUID } from 'node:crypto';
import type { OpenedSession, SessionAccount } from '#main/service/session-client.ts';
import { atMost, type Cancel, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result, unreachable } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createRecorded, type RecordedFailure } from './create-session.ts';
import {
	JOIN_LIMIT_MS,
	type KeeperEffect,
	type KeeperEvent,
	type KeeperState,
	step,
} from './keeper-machine.ts';
import { amended, type Ledger, sessionLabel, withoutEntry } from './ledger.ts';

/** Closing resolves after this long at the latest; retries continue in the background. */
const CLOSE_PATIENCE_MS = 5_000;
/** The ledger is updated only if the expiry moves by more than this. */
const EXPIRY_NEWS_MS = 240_000;

/** One session from its request to its confirmed deletion. Performs the state machine's commands. */
export interface HeldSession {
	/** Our own random name for the session, which the window uses. */
	readonly handle: string;
	readonly account: SessionAccount;
	/** When the request for the session began, `Clock.now`, ms. */
	readonly startedAt: number;
	readonly opened: Promise<Result<OpenedSession, RecordedFailure>>;
	/** When the publisher token stops opening the room, service's clock; `null` = not known. */
	tokenExpiresAt(): number | null;
	state(): KeeperState;
	/** The service's id once known. */
	id(): string | null;
	tell(event: 'taken' | 'joined' | 'woke'): void;
	/**
	 * Gives the session up; a second call tries a waiting deletion at once. Resolves when the session is
	 * deleted, or safely left to the ledger and to retries in the background.
	 */
	release(): Promise<void>;
}

export function holdSession(parts: {
	readonly account: SessionAccount;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	readonly use: 'prepared' | 'granted';
	/** Called when the session was lost while in use. */
	readonly announce: (problem: Problem) => void;
	/** Called when the session cannot be extended, and ends in `leftMs`. */
	readonly expiring: (leftMs: number) => void;
	/** Called when nothing remains of the session: no call, no timer, no ledger entry. */
	readonly ended: () => void;
}): HeldSession {
	const { account, ledger, clock, log } = parts;
	const control = new AbortController();
	let state: KeeperState = { phase: 'opening', use: parts.use };
	let entry: { readonly intent: string; readonly id: string } | null = null;
	let timer: Cancel = () => {};
	/** Runs while the session is granted but not joined. */
	let joinTimer: Cancel | null = null;
	let busy = false;
	/** True once its ledger entry has been removed. */
	let forgotten = false;
	let tokenExpiresAt: number | null = null;
	let recordedExpiry: number | null = null;
	/** Resolves with the outcome of the deletion under way or to come, or when there is nothing to delete. */
	let settled = Promise.withResolvers<void>();

	function send(event: KeeperEvent): void {
		const before = state.phase;
		const next = step(state, event);
		state = next.state;
		for (const effect of next.effects) perform(effect);
		watchJoining();
		if (event.type === 'remove-failed') {
			settled.resolve();
			settled = Promise.withResolvers();
		}
		if (state.phase !== 'gone' || before === 'gone') return;
		timer();
		settled.resolve();
		parts.ended();
	}

	function watchJoining(): void {
		if (state.phase === 'held' && state.use === 'granted') {
			joinTimer ??= clock.after(JOIN_LIMIT_MS, () => send({ type: 'unjoined' }));
			return;
		}
		joinTimer?.();
		joinTimer = null;
	}

	function perform(effect: KeeperEffect): void {
		switch (effect.do) {
			case 'look':
				alone(look);
				break;
			case 'extend':
				alone(() => extend(effect.ttlS));
				break;
			case 'remove':
				alone(remove);
				break;
			case 'forget':
				if (entry) void forget(entry.intent);
				break;
			case 'announce':
				log.info('session lost', { session: labelOf(), cause: effect.problem.kind });
				parts.announce(effect.problem);
				break;
			case 'announce-end':
				log.info('session cannot be kept', { session: labelOf(), leftMs: effect.leftMs });
				parts.expiring(effect.leftMs);
				break;
			case 'wait':
				waitThenSend(effect.jitter ? effect.delayMs * (0.5 + parts.random()) : effect.delayMs);
				break;
			default:
				unreachable(effect);
		}
	}

	function waitThenSend(delayMs: number): void {
		timer();
		timer = clock.after(delayMs, () => send({ type: 'due' }));
	}

	/** Makes one call at a time; the phase remembers a deletion requested meanwhile. */
	function alone(call: () => Promise<KeeperEvent>): void {
		if (busy) return;
		busy = true;
		timer();
		void call().then((event) => {
			busy = false;
			const wasClosing =
				state.phase === 'closing' && event.type !== 'removed' && event.type !== 'remove-failed';
			send(wasClosing ? { type: 'due' } : event);
		});
	}

	async function look(): Promise<KeeperEvent> {
		if (!entry) return { type: 'absent' };
		const seen = await account.read(entry.id, control.signal);
		if (!seen.ok) return missedOr(seen.error);
		await recordExpiry(entry.intent, seen.value.expiresAt);
		return { type: 'seen', at: account.serverNow(), expiresAt: seen.value.expiresAt };
	}

	async function extend(ttlS: number): Promise<KeeperEvent> {
		if (!entry) return { type: 'absent' };
		const extended = await account.extend(entry.id, ttlS, control.signal);
		if (extended.ok) return { type: 'extended', at: account.serverNow() };
		return extended.error.kind === 'not-found'
			? { type: 'absent' }
			: { type: 'unextended', at: account.serverNow() };
	}

	async function remove(): Promise<KeeperEvent> {
		if (!entry) return { type: 'removed' };
		const removed = await account.remove(entry.id);
		if (removed.ok) {
			log.info('session deleted', { session: labelOf(), was: removed.value });
			await forget(entry.intent);
		} else {
			// Release the entry: other processes may delete what we cannot, while this one runs.
			const { intent } = entry;
			await ledger.change((all) => amended(all, intent, { state: 'closing' }));
		}
		return { type: removed.ok ? 'removed' : 'remove-failed' };
	}

	function missedOr(problem: Problem): KeeperEvent {
		return problem.kind === 'not-found' ? { type: 'absent' } : { type: 'missed', at: account.serverNow() };
	}

	async function forget(intent: string): Promise<void> {
		if (forgotten) return;
		forgotten = (await ledger.change((all) => withoutEntry(all, intent))).ok;
	}

	async function recordExpiry(intent: string, expiresAt: number | null): Promise<void> {
		if (expiresAt === null) return;
		if (recordedExpiry !== null && Math.abs(expiresAt - recordedExpiry) < EXPIRY_NEWS_MS) return;
		recordedExpiry = expiresAt;
		await ledger.change((all) => amended(all, intent, { expiresAt }));
	}

	async function open(): Promise<Result<OpenedSession, RecordedFailure>> {
		const created = await createRecorded({ account, ledger, clock, signal: control.signal });
		if (created.ok) {
			entry = { intent: created.value.intent, id: created.value.session.id };
			tokenExpiresAt = created.value.session.tokenExpiresAt;
			const abandoned = state.phase === 'abandoning';
			log.info('session opened', { session: labelOf(), use: parts.use });
			send({ type: 'opened' });
			return abandoned
				? err({ problem: { kind: 'cancelled' }, created: 'no', lostIntent: null, toRemove: null })
				: ok(created.value.session);
		}
		if (created.error.toRemove) {
			entry = created.error.toRemove;
			send({ type: 'release' });
			send({ type: 'opened' });
		} else {
			send({ type: 'open-failed' });
		}
		return created;
	}

	const labelOf = () => (entry ? sessionLabel(entry.id) : 'none');

	return {
		handle: randomUUID(),
		account,
		startedAt: clock.now(),
		opened: open(),
		tokenExpiresAt: () => tokenExpiresAt,
		state: () => state,
		id: () => entry?.id ?? null,
		tell: (type) => send({ type }),
		async release() {
			send({ type: 'release' });
			// Ends polls, extensions and waits between attempts; a create call under way is awaited.
			control.abort();
			if (state.phase === 'gone') return;
			await atMost(clock, CLOSE_PATIENCE_MS, settled.promise);
		},
	};
}
