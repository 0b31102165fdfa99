import type { Problem } from '#shared/problem.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import { READINESS } from '#shared/protocol/limits.ts';
import type { ServerMessage, ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/**
 * Whether the task is running. One procedure for both generations of the service (protocol 4.4): ready on
 * whichever comes first, `task_status` (set_task, running) or a running `current_task`. Pure timing; the owner
 * sends the commands in `commands` and calls `tick` at `nextDueMs`.
 */
export interface Readiness {
	readonly sinceMs: number;
	/** Number of `set_task`s so far. */
	readonly sends: number;
	/** Number of `NOT_FOUND`s since the last `set_task`. */
	readonly missing: number;
	/** Number of running `current_task`s without the requested targets. */
	readonly stale: number;
	readonly pollMs: number;
	/** The ten-second notice was shown. */
	readonly told: boolean;
	/** Without an answer after this time, the session is useless. */
	readonly giveUpMs: number;
	/** Targets that the running task must have; null = any running task will do. */
	readonly targets: readonly string[] | null;
}

export type Verdict =
	| { readonly is: 'waiting' }
	| { readonly is: 'ready' }
	| { readonly is: 'refused'; readonly problem: Problem }
	/** Not confirmed in time, or the service gave up: this session is useless. */
	| { readonly is: 'late'; readonly afterMs: number };

export interface ReadinessStep {
	readonly readiness: Readiness;
	readonly verdict: Verdict;
	readonly commands: readonly ('set_task' | 'get_task')[];
	/** True once, after 10 s: the window then shows what is awaited. */
	readonly tell: boolean;
}

const POLL_MS = READINESS.pollMs;
const TELL_MS = READINESS.tellUserMs;
/** A running task answers at once: after three requests without a reply, the interpreter counts as lost. */
const VERIFY_LIMIT_MS = 3 * POLL_MS;
/** An answer waits for retransmissions: 1, 3, 7 and 15 s after a loss of up to 10 s (RFC 9260, 6.3.3). */
const OLD_CONNECTION_LIMIT_MS = 5 * POLL_MS;
/** After this many stale answers without an error we assume that the service accepted the change. */
const STALE_ANSWERS = 2;

/** Begins to set a task: the owner sends `set_task` now. */
export function confirmTask(
	nowMs: number,
	targets: readonly string[] | null = null,
	giveUpMs: number = READINESS.giveUpMs,
): { readiness: Readiness; commands: readonly ['set_task'] } {
	return { readiness: begin(nowMs, 1, targets, giveUpMs), commands: ['set_task'] };
}

/** A new connection made by the transport, or the old one, which works again. */
export type ConnectionKind = 'new' | 'old';

/** After a reconnect a task should be running: query it first, so that there are never two. */
export function verifyTask(
	nowMs: number,
	way: ConnectionKind = 'new',
): { readiness: Readiness; commands: readonly ['get_task'] } {
	const limitMs = way === 'new' ? VERIFY_LIMIT_MS : OLD_CONNECTION_LIMIT_MS;
	return { readiness: begin(nowMs, 0, null, limitMs), commands: ['get_task'] };
}

export function hear(before: Readiness, message: ServerMessage, nowMs: number): ReadinessStep {
	// The interpreter has answered, so it gets the usual time.
	const readiness = { ...before, giveUpMs: Math.max(before.giveUpMs, READINESS.giveUpMs) };
	switch (message.type) {
		case 'task-status':
			return message.command === 'set_task' && message.status === 'running'
				? decided(readiness, { is: 'ready' })
				: waiting(readiness);
		case 'current-task':
			if (message.status === 'paused') return setAgain(readiness, nowMs);
			if (message.status !== 'running') return waiting(readiness);
			if (isStale(readiness, message.targets)) return waiting({ ...readiness, stale: readiness.stale + 1 });
			return decided(readiness, { is: 'ready' });
		case 'error':
			break;
		default:
			return waiting(readiness);
	}
	switch (meaningOf(message)) {
		case 'missing': {
			const next = { ...readiness, missing: readiness.missing + 1 };
			// If nothing was sent yet, one NOT_FOUND is enough. Otherwise the task may still be starting.
			return next.missing >= (next.sends === 0 ? 1 : READINESS.notFoundBeforeRepeat)
				? setAgain(next, nowMs)
				: waiting(next);
		}
		case 'limited':
			return waiting({ ...readiness, pollMs: nowMs + 2 * POLL_MS });
		case 'odd':
			return waiting(readiness);
		case 'ended':
			return decided(readiness, { is: 'late', afterMs: nowMs - readiness.sinceMs });
		case 'refused':
			return decided(readiness, { is: 'refused', problem: refusal(message) });
	}
}

export function tick(readiness: Readiness, nowMs: number): ReadinessStep {
	const afterMs = nowMs - readiness.sinceMs;
	if (afterMs >= readiness.giveUpMs) return decided(readiness, { is: 'late', afterMs });
	const poll = nowMs >= readiness.pollMs;
	const tell = !readiness.told && afterMs >= TELL_MS;
	return {
		readiness: {
			...readiness,
			told: readiness.told || tell,
			pollMs: poll ? nowMs + POLL_MS : readiness.pollMs,
		},
		verdict: { is: 'waiting' },
		commands: poll ? ['get_task'] : [],
		tell,
	};
}

/** The limits delayed `set_task` until now: the time for an answer starts here. */
export function taskLeft(readiness: Readiness, nowMs: number): Readiness {
	return { ...readiness, pollMs: nowMs + POLL_MS };
}

export function nextDueMs(readiness: Readiness): number {
	return Math.min(
		readiness.pollMs,
		readiness.sinceMs + (readiness.told ? readiness.giveUpMs : Math.min(TELL_MS, readiness.giveUpMs)),
	);
}

function begin(nowMs: number, sends: number, targets: readonly string[] | null, giveUpMs: number): Readiness {
	const pollMs = nowMs + POLL_MS;
	return { sinceMs: nowMs, sends, missing: 0, stale: 0, pollMs, told: false, giveUpMs, targets };
}

function setAgain(readiness: Readiness, nowMs: number): ReadinessStep {
	if (readiness.sends >= READINESS.setTasksInAll) return waiting(readiness);
	const next = { ...readiness, sends: readiness.sends + 1, missing: 0, pollMs: nowMs + POLL_MS };
	return { readiness: next, verdict: { is: 'waiting' }, commands: ['set_task'], tell: false };
}

/** Compares base languages: `en` may be answered as `en-us` (protocol 6.3). Unreadable answers are not stale. */
function isStale({ targets, stale }: Readiness, answered: readonly string[]): boolean {
	if (targets === null || answered.length === 0 || stale >= STALE_ANSWERS) return false;
	const bases = (codes: readonly string[]) => [...new Set(codes.map(baseOf))].sort().join();
	return bases(targets) !== bases(answered);
}

function waiting(readiness: Readiness): ReadinessStep {
	return { readiness, verdict: { is: 'waiting' }, commands: [], tell: false };
}

function decided(readiness: Readiness, verdict: Verdict): ReadinessStep {
	return { readiness, verdict, commands: [], tell: false };
}

/**
 * What an `error` message means to us (protocol 4.6):
 * - `missing`: no task (yet); normal while the pipeline boots
 * - `limited`: too fast; the command was not carried out. The actual code is not published.
 * - `ended`: the service stops this session (`SERVICE_TIMEOUT`: it heard nothing for 10 s)
 * - `odd`: without a usable code; treated as a warning
 * - `refused`: anything else, above all `VALIDATION_ERROR`
 */
export type ErrorMeaning = 'missing' | 'limited' | 'ended' | 'odd' | 'refused';

export function meaningOf(error: ServiceErrorMessage): ErrorMeaning {
	if (error.code === ERROR_CODE.notFound) return 'missing';
	if (/RATE_LIMIT|TOO_MANY/i.test(error.code)) return 'limited';
	if (error.code === ERROR_CODE.serviceTimeout) return 'ended';
	if (error.code === '' || error.code === ERROR_CODE.unknown) return 'odd';
	return 'refused';
}

export function refusal(error: ServiceErrorMessage): Problem {
	return { kind: 'task-refused', field: error.field, detail: error.text === '' ? error.code : error.text };
}
