import { backoffDelay } from '#shared/lib/backoff.ts';
import type { Problem } from '#shared/problem.ts';
import { beginAttempt } from './attempt.ts';
import type { Effect, Moment, Plan } from './events.ts';
import {
	GIVE_UP_MS,
	LIMIT_TRIES,
	LONGEST_WAIT_MS,
	NETWORK,
	QUIET_MS,
	SENT_AWAY_TRIES,
	SERVICE,
	SILENT_TRIES,
	TAKEN_WINDOW_MS,
	UNTOLD_MS,
} from './reconnect-limits.ts';
import { connecting } from './route.ts';
import { beginRun, count, fail, nextOutage } from './run.ts';
import {
	after,
	type Failed,
	type Live,
	type OpenLink,
	type Outage,
	type Recovery,
	type Run,
	type State,
	type Step,
	to,
} from './state.ts';

/** Causes that the room gives for the end of its session; main may give another (`livekit-problems.ts`). */
const BY_THE_ROOM: ReadonlySet<string> = new Set(['room-deleted', 'room-closed', 'participant-removed']);

const HOPELESS: ReadonlySet<Problem['kind']> = new Set([
	'api-key-missing',
	'key-elsewhere',
	'account-changed',
	'api-key-rejected',
	'key-characters',
	'forbidden',
	'no-credit',
	'opened-elsewhere',
	'address-refused',
	'port-refused',
	'task-refused',
	'sandbox-failed',
	'socket-off',
	'bug',
]);

/**
 * The session or its link is lost (`release` closes it): takes a new session, at once for a first outage and after a
 * back-off for later ones. Captions and mute persist, until the person stops, the cause is hopeless, or the time is up.
 */
export function recover(
	state: State,
	run: Run,
	problem: Problem,
	{ nowMs, random }: Moment,
	release: readonly Effect[],
): Step {
	const outage = nextOutage(run, problem.kind, nowMs);
	const next = count({ ...run, outage }, false, nowMs);
	const taken = problem.kind === 'session-lost';
	if (taken && run.takenMs !== null && nowMs - run.takenMs < TAKEN_WINDOW_MS)
		return fail(state, problem, ...release);
	if (isHopeless(problem, outage) || nowMs >= outage.sinceMs + GIVE_UP_MS) {
		return fail(state, problem, ...release);
	}
	const givenUp = release.find((one) => one.do === 'close-session')?.handle ?? run.givenUp;
	const marked = { ...next, givenUp, takenMs: taken ? nowMs : next.takenMs };
	const isUntold = problem.kind === 'session-lost' && BY_THE_ROOM.has(problem.cause);
	if (outage.tries === 1 && !isUntold) return after(release, join(state, marked, nowMs));
	const untilMs = nowMs + (outage.tries === 1 ? UNTOLD_MS : waitMs(problem, outage.tries - 1, random));
	return to(
		state,
		{ name: 'reconnecting', run: marked, outage, how: { by: 'waiting', untilMs } },
		...release,
	);
}

/** Takes a new session now. A socket is not opened without a microphone: in a pause of the person it rests until the resume. */
export function join(state: State, run: Run, nowMs: number): Step {
	const needsResume = run.route === 'websocket' && run.paused && !run.asleep;
	if (needsResume) return to(state, { name: 'resting', run });
	const id = state.serial + 1;
	const { attempt, effects } = beginAttempt(id, nowMs, run);
	const outage = run.outage ?? nextOutage(run, 'asleep', nowMs);
	return to(
		{ ...state, serial: id },
		{ name: 'reconnecting', run: connecting(run, attempt), outage, how: { by: 'joining', attempt } },
		...effects,
	);
}

/** A conversation that failed goes on, with everything opened anew. */
export function beginAgain(state: State, { lived }: Failed, plan: Plan, nowMs: number): Step {
	const id = state.serial + 1;
	const joined = join({ ...state, serial: id }, { ...beginRun(plan, id, nowMs), ...lived }, nowMs);
	return after([{ do: 'open-microphone', id }], joined);
}

const unasked = { refusals: 0, quietLooks: 0 };

/** The transport restores the link by itself; we only watch the time. */
export function awaitTransport(state: State, run: Run, link: OpenLink, cause: string, nowMs: number): Step {
	const how = {
		by: 'restoring',
		link,
		sinceMs: nowMs,
		received: null,
		heardMs: nowMs,
		path: null,
		...unasked,
	} as const;
	return restoring(state, run, how, cause, nowMs);
}

/** How long to keep a room that was last heard at `heardMs`. */
export function quietUntilMs(heardMs: number): number {
	return heardMs + QUIET_MS;
}

/**
 * Nothing comes any more, and the transport has not noticed. After a cut of some seconds everything returns at once,
 * while a new session would then take seconds more: so the room is kept until `quietUntilMs`. The price: if the line is
 * fine and only the room has silently gone, its new session comes that much later.
 */
export function awaitPath(state: State, { run, link, watch }: Live, nowMs: number): Step {
	const { received, heardMs, answers: path } = watch;
	const how = { by: 'restoring', link, sinceMs: nowMs, received, heardMs, path, ...unasked } as const;
	return restoring(state, run, how, 'no answer', nowMs);
}

function restoring(
	state: State,
	run: Run,
	how: Recovery & { by: 'restoring' },
	cause: string,
	nowMs: number,
): Step {
	const outage = run.outage ?? nextOutage(run, cause, nowMs);
	return to(state, { name: 'reconnecting', run: count(run, false, nowMs), outage, how });
}

function isHopeless(problem: Problem, { tries, alike = 1 }: Outage): boolean {
	if (problem.kind === 'connection-lost') return problem.final === true;
	if (problem.kind === 'interpreter-silent') return tries > SILENT_TRIES;
	// Tries of an outage of another kind say nothing of the room.
	if (problem.kind === 'room-refused') return alike >= SENT_AWAY_TRIES;
	if (problem.kind === 'session-limit') return tries > LIMIT_TRIES;
	return HOPELESS.has(problem.kind);
}

function waitMs(problem: Problem, retry: number, random: number): number {
	const limited = problem.kind === 'rate-limited';
	// 0: the service did not say how long.
	if (limited && problem.retryAfterMs > 0) return Math.min(problem.retryAfterMs, LONGEST_WAIT_MS);
	const service = limited || problem.kind === 'service-failed' || problem.kind === 'session-uncertain';
	return backoffDelay(service ? SERVICE : NETWORK, retry, () => random) ?? LONGEST_WAIT_MS;
}
