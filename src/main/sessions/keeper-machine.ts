import { unreachable } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** An extension sets the expiry this far ahead, seconds. */
export const EXTENSION_S = 600;
/** A session is extended when less than this is left: half, so that lost calls do no harm. */
const LOW_MS = (EXTENSION_S * 1000) / 2;
/** While joined the service itself extends every minute; we step in only when it seems to have stopped. */
const JOINED_LOW_MS = 90_000;
/** Shortest polling period while joined; with a revoked key, each poll is a failing request (faults 2). */
const JOINED_PERIOD_MS = 60_000;
/** The first poll comes sooner, to see whether the service extends the session. */
const JOINED_FIRST_MS = 10_000;
/** If an extension does not show after this long, it had no effect: answers may lag behind. */
const EFFECT_MS = 5000;
/** How often extending a joined session is retried, and its user warned, when it is about to end. */
const EXPIRING_PERIOD_MS = 15_000;
const LONGEST_LOOK_WAIT_MS = 300_000;
const SHORTEST_WAIT_MS = 15_000;
/** A session without a participant is not used any more if it ends in less than this. */
export const USABLE_MS = 60_000;
/** A granted session not joined within this time, microphone prompt included, counts as abandoned. */
export const JOIN_LIMIT_MS = 150_000;
const RETRY_BASE_MS = 15_000;
/** A deletion that keeps failing is given up here for the next start to finish (faults 29). */
const CLOSING_TRIES = 300;

/** The present use of a session: prepared ahead, handed to the window, or connected. */
export type Use = 'prepared' | 'granted' | 'joined';

/**
 * ```
 * opening ──opened──► held {prepared → granted → joined} ──release──► closing ──removed──► gone
 *    │  └─release─► abandoning ──opened──────────────────────────────▲                  ▲
 *    └─────────────open-failed (also abandoning)──────────────────────── lost ──────────┘
 * ```
 * `abandoning`: released while the create call was under way; what it returns must be deleted.
 */
export type KeeperState =
	| { readonly phase: 'opening'; readonly use: Use }
	| { readonly phase: 'abandoning' }
	| {
			readonly phase: 'held';
			readonly use: Use;
			/** By the service's clock, Unix ms; `null` = not known, treated as if it were soon. */
			readonly expiresAt: number | null;
			/** Failed polls and extensions in a row. */
			readonly failures: number;
			/** The last extension, service's clock: not repeated at once when it seems to have no effect. */
			readonly extendedAt: number | null;
	  }
	| { readonly phase: 'closing'; readonly failures: number }
	| { readonly phase: 'gone' };

/** `at`: the service's time, Unix ms. */
export type KeeperEvent =
	| { readonly type: 'opened' | 'open-failed' | 'taken' | 'joined' | 'release' | 'due' | 'woke' }
	/** Granted for `JOIN_LIMIT_MS`, but never joined. */
	| { readonly type: 'unjoined' }
	| { readonly type: 'seen'; readonly at: number; readonly expiresAt: number | null }
	| { readonly type: 'extended'; readonly at: number }
	/** A poll failed. */
	| { readonly type: 'missed'; readonly at: number }
	/** An extension failed. */
	| { readonly type: 'unextended'; readonly at: number }
	/** The answer to a poll or an extension was that there is no such session. */
	| { readonly type: 'absent' }
	| { readonly type: 'removed' | 'remove-failed' };

export type KeeperEffect =
	| { readonly do: 'look' | 'remove' | 'forget' }
	| { readonly do: 'extend'; readonly ttlS: number }
	/** Sends `due` after about this long; replaces an earlier one. `jitter`: vary the delay, for a retry. */
	| { readonly do: 'wait'; readonly delayMs: number; readonly jitter: boolean }
	| { readonly do: 'announce'; readonly problem: Problem }
	/** Tells the window that the session cannot be extended and expires in `leftMs`. */
	| { readonly do: 'announce-end'; readonly leftMs: number };

interface KeeperStep {
	readonly state: KeeperState;
	readonly effects: readonly KeeperEffect[];
}

/** Pure: no clock, no calls, no randomness. An event that does not apply to a phase changes nothing. */
export function step(state: KeeperState, event: KeeperEvent): KeeperStep {
	switch (state.phase) {
		case 'opening':
			return whileOpening(state, event);
		case 'abandoning':
			return whileAbandoning(state, event);
		case 'held':
			return whileHeld(state, event);
		case 'closing':
			return whileClosing(state, event);
		case 'gone':
			return to(state);
		default:
			return unreachable(state);
	}
}

type In<Phase extends KeeperState['phase']> = Extract<KeeperState, { phase: Phase }>;

function to(state: KeeperState, ...effects: readonly KeeperEffect[]): KeeperStep {
	return { state, effects };
}

function whileOpening(state: In<'opening'>, event: KeeperEvent): KeeperStep {
	switch (event.type) {
		case 'opened': {
			// The answer to a creation does not contain the expiry, so read the session once (spec 2.1).
			const held = { phase: 'held', use: state.use, expiresAt: null, failures: 0, extendedAt: null } as const;
			return to(held, { do: 'look' });
		}
		case 'open-failed':
			return to({ phase: 'gone' });
		case 'release':
			return to({ phase: 'abandoning' });
		case 'taken':
			return to({ ...state, use: 'granted' });
		default:
			return to(state);
	}
}

function whileAbandoning(state: In<'abandoning'>, event: KeeperEvent): KeeperStep {
	if (event.type === 'opened') return to({ phase: 'closing', failures: 0 }, { do: 'remove' });
	return event.type === 'open-failed' ? to({ phase: 'gone' }) : to(state);
}

function whileHeld(state: In<'held'>, event: KeeperEvent): KeeperStep {
	switch (event.type) {
		case 'taken':
			return to(state.use === 'prepared' ? { ...state, use: 'granted' } : state);
		case 'joined':
			return to({ ...state, use: 'joined' }, wait(JOINED_FIRST_MS));
		case 'due':
		case 'woke':
			return to(state, { do: 'look' });
		case 'seen':
			return seen({ ...state, failures: 0, expiresAt: event.expiresAt }, event.at);
		case 'extended':
			return to({ ...state, failures: 0, extendedAt: event.at }, { do: 'look' });
		case 'missed':
			return missed(state, event.at);
		case 'unextended':
			return isEnding(state, event.at)
				? expiring({ ...state, failures: state.failures + 1 }, event.at)
				: missed(state, event.at);
		case 'absent':
			return absent(state);
		case 'unjoined':
			return state.use === 'granted' ? giveUp('never-joined') : to(state);
		case 'release':
			return to({ phase: 'closing', failures: 0 }, { do: 'remove' });
		default:
			return to(state);
	}
}

/** The expiry is known now: extend, or poll again in time. */
function seen(state: In<'held'>, at: number): KeeperStep {
	const leftMs = state.expiresAt === null ? 0 : state.expiresAt - at;
	const low = state.use === 'joined' ? JOINED_LOW_MS : LOW_MS;
	const justExtended = state.extendedAt !== null && at - state.extendedAt < JOINED_PERIOD_MS;
	if (leftMs < low && !justExtended) return to(state, { do: 'extend', ttlS: EXTENSION_S });
	if (isEnding(state, at) && state.extendedAt !== null)
		return at - state.extendedAt < EFFECT_MS ? to(state, wait(EFFECT_MS)) : expiring(state, at);
	if (state.use === 'joined') return to(state, wait(JOINED_PERIOD_MS));
	// A service may grant less than requested;
	// then wait half of the time left, to avoid a request every second.
	const untilLowMs = leftMs >= low ? leftMs - low : leftMs / 2;
	return to(state, wait(Math.min(Math.max(untilLowMs, SHORTEST_WAIT_MS), LONGEST_LOOK_WAIT_MS)));
}

/** True if, by the last poll, only we extend the session. */
function isEnding({ use, expiresAt }: In<'held'>, at: number): boolean {
	return use === 'joined' && expiresAt !== null && expiresAt - at < JOINED_LOW_MS;
}

/** Keeps trying to extend the session while it lasts, and warns its user, who can open another one in time. */
function expiring(state: In<'held'>, at: number): KeeperStep {
	const leftMs = Math.max(0, (state.expiresAt ?? at) - at);
	return to(state, { do: 'announce-end', leftMs }, wait(EXPIRING_PERIOD_MS));
}

function missed(state: In<'held'>, at: number): KeeperStep {
	const failures = state.failures + 1;
	const leftMs = state.expiresAt === null ? Number.POSITIVE_INFINITY : state.expiresAt - at;
	if (state.use === 'prepared' && leftMs < USABLE_MS) {
		return to({ phase: 'closing', failures: 0 }, { do: 'remove' });
	}
	if (state.use === 'granted' && leftMs < 0) {
		return giveUp('expired');
	}
	// While joined, waiting loses nothing, and a revoked key must not cost a request a minute (faults 2).
	const [baseMs, capMs] =
		state.use === 'joined' ? [JOINED_PERIOD_MS * 2, LONGEST_LOOK_WAIT_MS] : [RETRY_BASE_MS, JOINED_PERIOD_MS];
	const delayMs = Math.min(baseMs * 2 ** (failures - 1), capMs);
	return to({ ...state, failures }, { do: 'wait', delayMs, jitter: true });
}

/** Gives up a session that is no longer usable but may still exist. */
function giveUp(cause: string): KeeperStep {
	const problem: Problem = { kind: 'session-lost', cause };
	return to({ phase: 'closing', failures: 0 }, { do: 'announce', problem }, { do: 'remove' });
}

/** Handles "no such session". The server may lag behind, so only a confirmed deletion is believed. */
function absent(state: In<'held'>): KeeperStep {
	const isNew = state.expiresAt === null && state.extendedAt === null && state.failures === 0;
	if (isNew) return to({ ...state, failures: 1 }, wait(SHORTEST_WAIT_MS));
	return state.use === 'prepared'
		? to({ phase: 'closing', failures: 0 }, { do: 'remove' })
		: giveUp('deleted');
}

function whileClosing(state: In<'closing'>, event: KeeperEvent): KeeperStep {
	switch (event.type) {
		case 'removed':
			return to({ phase: 'gone' }, { do: 'forget' });
		case 'remove-failed': {
			const failures = state.failures + 1;
			// The session is still in the ledger: the next start continues.
			if (failures >= CLOSING_TRIES) return to({ phase: 'gone' });
			const delayMs = Math.min(RETRY_BASE_MS * 2 ** (failures - 1), LONGEST_LOOK_WAIT_MS);
			return to({ phase: 'closing', failures }, { do: 'wait', delayMs, jitter: true });
		}
		// Requested again, as at the end of the program: the connection may be back by now.
		case 'release':
		case 'due':
		case 'woke':
			return to(state, { do: 'remove' });
		default:
			return to(state);
	}
}

function wait(delayMs: number): KeeperEffect {
	return { do: 'wait', delayMs, jitter: false };
}
