import type { Clock } from '#shared/lib/clock.ts';
import { pause } from '#shared/lib/pause.ts';
import { err, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import {
	type CloseRule,
	CONNECTION_LIMIT_WAIT_MS,
	problemOfEnd,
	ruleOf,
	type SocketEnd,
} from './close-codes.ts';

/** A connection that was lost or never made: the problem, and what may be done about it. */
export interface ConnectionFailure {
	readonly problem: Problem;
	readonly rule: CloseRule;
}

export type Verdict =
	| { readonly do: 'again'; readonly afterMs: number }
	| { readonly do: 'stop'; readonly problem: Problem };

/** When to make a fresh connection for a lost one (protocol 5.1.4): pure, bounded. */
export interface Reconnect {
	after(failure: ConnectionFailure, nowMs: number): Verdict;
	/** The task runs again. */
	live(nowMs: number): void;
}

/** Before each try, ms (protocol 5.1.4); each a fifth more or less, so that not all come back at once. */
const DELAYS_MS = [1000, 2000, 4000, 8000];
const JITTER = 0.2;
/** A connection that ran for this long does not count with the earlier failures, ms. */
const STEADY_MS = 30_000;
/** The longest wait that a service may ask for, ms. */
const LONGEST_WAIT_MS = 60_000;

export function createReconnect(random: () => number): Reconnect {
	let tries = 0;
	let hasWaited = false;
	let liveSinceMs: number | null = null;

	function waitOnce(problem: Problem, waitMs: number): Verdict {
		if (hasWaited) return { do: 'stop', problem };
		hasWaited = true;
		return { do: 'again', afterMs: waitMs };
	}

	return {
		after({ problem, rule }, nowMs) {
			if (liveSinceMs !== null && nowMs - liveSinceMs >= STEADY_MS) {
				tries = 0;
				hasWaited = false;
			}
			liveSinceMs = null;
			if (rule === 'wait') {
				const askedMs = problem.kind === 'rate-limited' ? problem.retryAfterMs : 0;
				return waitOnce(problem, Math.min(askedMs || CONNECTION_LIMIT_WAIT_MS, LONGEST_WAIT_MS));
			}
			const delayMs = DELAYS_MS[tries];
			if (rule !== 'again' || delayMs === undefined) return { do: 'stop', problem };
			tries += 1;
			return { do: 'again', afterMs: Math.round(delayMs * (1 - JITTER + 2 * JITTER * random())) };
		},
		live(nowMs) {
			liveSinceMs = nowMs;
		},
	};
}

export function failureOfEnd(end: SocketEnd, error: ServiceErrorMessage | null): ConnectionFailure {
	return { problem: problemOfEnd(end, error), rule: ruleOf(end, error) };
}

/**
 * Tries until there is a connection again; a problem when it gives up, `cancelled` when `signal` ended
 * it.
 */
export async function restoreConnection(
	first: ConnectionFailure,
	parts: {
		readonly reconnect: Reconnect;
		readonly clock: Clock;
		readonly signal: AbortSignal;
		readonly tried: (failure: ConnectionFailure, next: Verdict) => void;
		readonly connectOnce: () => Promise<Result<void, ConnectionFailure>>;
	},
): Promise<Result<void, Problem>> {
	const { reconnect, clock, signal, tried, connectOnce } = parts;
	for (let failure = first; ; ) {
		const verdict = reconnect.after(failure, clock.now());
		tried(failure, verdict);
		if (verdict.do === 'stop') return err(verdict.problem);
		if (!(await pause(clock, verdict.afterMs, signal))) return err({ kind: 'cancelled' });
		const made = await connectOnce();
		if (signal.aborted) return err({ kind: 'cancelled' });
		if (made.ok) return made;
		failure = made.error;
	}
}

/** What may be done about a connection that could not be made, or a task that was not confirmed. */
export function failureOf(problem: Problem): ConnectionFailure {
	return { problem, rule: ruleOfProblem(problem) };
}

function ruleOfProblem(problem: Problem): CloseRule {
	switch (problem.kind) {
		case 'service-unreachable':
		// A hotel network's login page, for one, goes away.
		case 'certificate-untrusted':
		case 'proxy-refused':
		case 'proxy-login':
		case 'not-the-service':
		case 'timed-out':
		case 'connection-lost':
		case 'interpreter-silent':
			return 'again';
		case 'rate-limited':
			return 'wait';
		case 'service-failed':
			// 409 is a second session of the same identity (protocol 2.3): our own dead socket, until the service sees it.
			return problem.status >= 500 || [408, 409].includes(problem.status) ? 'again' : 'stop';
		case 'api-key-rejected':
			// Both ways to send the key were tried, and both were refused.
			return 'auth';
		default:
			return 'stop';
	}
}
