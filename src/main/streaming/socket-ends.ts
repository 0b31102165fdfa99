import { type Clock, pause } from '#shared/lib/clock.ts';
import { err, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { saidInMessage } from '#shared/protocol/service-error.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/** How a connection ended, if we did not end it. */
export type SocketEnd =
	/** A close frame, or none at all (1005, 1006). `reason` is plain text, at most 123 bytes. */
	| { readonly by: 'peer'; readonly code: number; readonly reason: string }
	/** No answer to a ping: the connection is half open. */
	| { readonly by: 'silence' }
	/** Broken by the network or by a frame that cannot be read. */
	| { readonly by: 'failure'; readonly cause: string };

type CloseRule =
	/** Reconnect after the usual back-off. */
	| 'again'
	/** Try once more, a minute later. */
	| 'wait'
	/** The service ended the connection; do not reconnect unless the user asks. */
	| 'over'
	/** Both sides do not understand each other; a retry would not help. */
	| 'stop'
	/** The credential was refused. */
	| 'auth';

/**
 * What a close code means (protocol 5.1.4 and 4.7, faults 68; RFC 6455 7.4 for the numbers). After any other
 * code the connection is retried, within the usual limits.
 */
const RULES: Readonly<Record<number, CloseRule>> = {
	1000: 'over',
	1001: 'again',
	1002: 'stop',
	1003: 'stop',
	1006: 'again',
	1007: 'stop',
	/** Too many connections, or a close after an `error` (see `ruleOf`). */
	1008: 'wait',
	1009: 'stop',
	1010: 'stop',
	1011: 'again',
	1012: 'again',
	1013: 'again',
	/** Unauthorized and forbidden, in services that derive close codes from HTTP. */
	4001: 'auth',
	4003: 'auth',
	4401: 'auth',
	4403: 'auth',
};

/** A close within this time after an error belongs to that error, ms (protocol 5.1.4). */
export const ERROR_BEFORE_CLOSE_MS = 10_000;
/** Wait after a 1008 without a reason: connections are limited per minute (protocol 5.1.4). */
const CONNECTION_LIMIT_WAIT_MS = 60_000;

/** `error` is the last one the service sent, if that was within `ERROR_BEFORE_CLOSE_MS`. */
export function ruleOf(end: SocketEnd, error: ServiceErrorMessage | null): CloseRule {
	if (end.by !== 'peer') return 'again';
	if (end.code === 1008 && error !== null) return ruleOfError(error);
	return RULES[end.code] ?? 'again';
}

function ruleOfError({ code }: ServiceErrorMessage): CloseRule {
	if (code === ERROR_CODE.validation || code === ERROR_CODE.badRequest) return 'stop';
	if (/UNAUTHORIZED|FORBIDDEN/.test(code)) return 'auth';
	if (/RATE_LIMIT|TOO_MANY/.test(code)) return 'wait';
	// This includes SERVICE_TIMEOUT: the service heard nothing for 10 s, as after a sleep of this computer.
	return 'again';
}

/** The problem to show if the connection is not retried. */
export function problemOfEnd(end: SocketEnd, error: ServiceErrorMessage | null): Problem {
	const rule = ruleOf(end, error);
	const said = error === null ? {} : saidInMessage(error);
	if (rule === 'auth') return { kind: 'api-key-rejected', status: 403, ...said };
	if (rule === 'over') return { kind: 'session-lost', cause: 'closed by the service' };
	if (rule === 'wait') return { kind: 'rate-limited', retryAfterMs: CONNECTION_LIMIT_WAIT_MS, ...said };
	if (error?.code === ERROR_CODE.validation)
		return { kind: 'task-refused', field: error.field, detail: error.text };
	const reason = error ? error.code : causeOf(end);
	return { kind: 'connection-lost', reason, ...(rule === 'stop' && { final: true }) };
}

/** A word for logs and for `connection-lost`; never text from the peer. */
export function causeOf(end: SocketEnd): string {
	if (end.by === 'peer') return `closed ${end.code}`;
	return end.by === 'silence' ? 'no answer to a ping' : end.cause;
}

/** A connection that was lost or never established: the problem, and how to go on. */
export interface ConnectionFailure {
	readonly problem: Problem;
	readonly rule: CloseRule;
}

type Verdict =
	| { readonly do: 'again'; readonly afterMs: number }
	| { readonly do: 'stop'; readonly problem: Problem };

/** Delays before attempts, ms (protocol 5.1.4); varied by a fifth, so that clients do not return at once. */
const DELAYS_MS = [1000, 2000, 4000, 8000];
const JITTER = 0.2;
/** After a connection that ran for this long, earlier failures no longer count, ms. */
const STEADY_MS = 30_000;
/** The longest wait that a service may ask for, ms. */
const LONGEST_LIMIT_WAIT_MS = 60_000;

type Reconnect = ReturnType<typeof createReconnect>;

/** Decides when to reconnect (protocol 5.1.4): pure, bounded. */
export function createReconnect(random: () => number) {
	let tries = 0;
	let hasWaited = false;
	let liveSinceMs: number | null = null;

	function waitOnce(problem: Problem, waitMs: number): Verdict {
		if (hasWaited) return { do: 'stop', problem };
		hasWaited = true;
		return { do: 'again', afterMs: waitMs };
	}

	return {
		after({ problem, rule }: ConnectionFailure, nowMs: number): Verdict {
			if (liveSinceMs !== null && nowMs - liveSinceMs >= STEADY_MS) {
				tries = 0;
				hasWaited = false;
			}
			liveSinceMs = null;
			if (rule === 'wait') {
				const askedMs = problem.kind === 'rate-limited' ? problem.retryAfterMs : 0;
				return waitOnce(problem, Math.min(askedMs || CONNECTION_LIMIT_WAIT_MS, LONGEST_LIMIT_WAIT_MS));
			}
			const delayMs = DELAYS_MS[tries];
			if (rule !== 'again' || delayMs === undefined) return { do: 'stop', problem };
			tries += 1;
			return { do: 'again', afterMs: Math.round(delayMs * (1 - JITTER + 2 * JITTER * random())) };
		},
		/** Call when the task runs again. */
		live(nowMs: number): void {
			liveSinceMs = nowMs;
		},
	};
}

export function failureOfEnd(end: SocketEnd, error: ServiceErrorMessage | null): ConnectionFailure {
	return { problem: problemOfEnd(end, error), rule: ruleOf(end, error) };
}

/** Reconnects until it succeeds; returns a problem when it gives up, `cancelled` if `signal` aborted. */
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

/** Whether to retry after a connection could not be opened, or a task was not confirmed. */
export function failureOf(problem: Problem): ConnectionFailure {
	return { problem, rule: ruleOfProblem(problem) };
}

function ruleOfProblem(problem: Problem): CloseRule {
	switch (problem.kind) {
		case 'service-unreachable':
		// Temporary: a login page, such as a hotel network's, goes away.
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
			// 409 means a second session of the same identity (protocol 2.3):
			// our own dead socket, until the service notices.
			return problem.status >= 500 || [408, 409].includes(problem.status) ? 'again' : 'stop';
		case 'api-key-rejected':
			// Both ways to send the key were tried, and both were refused.
			return 'auth';
		default:
			return 'stop';
	}
}
