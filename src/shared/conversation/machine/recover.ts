import { type BackoffPlan, backoffDelay } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { beginAttempt } from './attempt.ts';
import type { Effect, Moment, Plan } from './events.ts';
import { beginRun, connecting, count, fail, nextOutage } from './run.ts';
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
	type Succession,
	to,
} from './state.ts';

/** Causes that the room reports for the end of its session; main may report another (`livekit-problems.ts`). */
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
 * The session or its link is lost (`release` closes it): requests a new session, at once in a first outage and
 * after a back-off in later ones. Captions and mute persist until the person stops, the cause is hopeless, or
 * the time limit ends.
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

/** Requests a session now. No socket opens without a microphone: after a pause, rests until the resume. */
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

/** Resumes a failed conversation with new connections. */
export function beginAgain(state: State, { lived }: Failed, plan: Plan, nowMs: number): Step {
	const id = state.serial + 1;
	const joined = join({ ...state, serial: id }, { ...beginRun(plan, id, nowMs), ...lived }, nowMs);
	return after([{ do: 'open-microphone', id }], joined);
}

const unasked = { refusals: 0, quietLooks: 0 };

/** The transport restores the link; the machine only enforces the time limit. */
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
 * Nothing arrives any more, and the transport has not noticed. After an interruption of some seconds everything
 * returns at once, while a new session would take seconds more: so the room is kept until `quietUntilMs`. The
 * price: if the connection works and only the room has failed silently, the new session starts that much later.
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
	// Attempts from another kind of outage say nothing about the room.
	if (problem.kind === 'room-refused') return alike >= SENT_AWAY_TRIES;
	if (problem.kind === 'session-limit') return tries > LIMIT_TRIES;
	return HOPELESS.has(problem.kind);
}

function waitMs(problem: Problem, retry: number, random: number): number {
	const limited = problem.kind === 'rate-limited';
	// 0: the service gave no time.
	if (limited && problem.retryAfterMs > 0) return Math.min(problem.retryAfterMs, LONGEST_RETRY_WAIT_MS);
	const service = limited || problem.kind === 'service-failed' || problem.kind === 'session-uncertain';
	return backoffDelay(service ? SERVICE : NETWORK, retry, () => random) ?? LONGEST_RETRY_WAIT_MS;
}

/* Limits, number and timing of the attempts after a session or its link is lost. */

/** An outage of ten minutes is bridged (faults 43), with a margin; then the person decides. */
export const GIVE_UP_MS = 15 * 60_000;
/** If we lose the session to another client twice within this time, the takeover was deliberate (faults 47). */
export const TAKEN_WINDOW_MS = 60_000;
/** Wait for main: the room may report the session's end before main reports that the user ended it. */
export const UNTOLD_MS = 250;
/** Attempts without any answer before the interpreter counts as silent (faults 50). */
export const SILENT_TRIES = 2;
/** A deletion in progress soon frees a session of the plan; a plan that is really full remains full. */
export const LIMIT_TRIES = 4;
/** A restarting server may refuse for seconds; each attempt at a refusing room costs a session. */
export const SENT_AWAY_TRIES = 6;
export const LONGEST_RETRY_WAIT_MS = 60_000;

/**
 * After this long without a packet the server itself has failed, not only its signalling, and a new session may reach
 * a working server. Longer than the library takes to rejoin the same room.
 */
export const QUIET_MS = 10_000;

/** A room that is quiet for this long, or being restored, is doubtful: a socket opens beside it. */
export const STANDBY_QUIET_MS = 2000;
/** Wait after an unneeded standby, so that a stuttering line does not open a connection every second. */
export const STANDBY_PAUSE_MS = 10_000;
/**
 * With an open socket, a room that is quiet for this long is given up. When an interrupted connection returns,
 * the socket opens and the room recovers as well, but the room only at the path's next check: so the socket
 * must also have been open for a while.
 */
export const GONE_QUIET_MS = 4000;
export const STANDBY_STEADY_MS = 1700;
/**
 * After this many immediate refusals the server counts as lost. The third attempt is made 1.2 to 1.5 s after
 * the first, the fourth 1.6 to 2.1 s (`transport/room-resume.ts`), so that a server that restarts within about
 * a second is not given up. An older interpreter answers only 2.1 s after it was asked (protocol 4.4): its room
 * gets one attempt less.
 */
export const REFUSED_TRIES = { current: 4, older: 3 } as const;

/** While there is no network: reconnect within 5 s of its return (faults 43). */
export const NETWORK: BackoffPlan = { baseMs: 500, capMs: 4000, tries: Infinity };
/** While the service answers with failures: avoids a flood of requests. */
export const SERVICE: BackoffPlan = { baseMs: 1000, capMs: 20_000, tries: Infinity };

/** Below the library's own 47.7 s, after which it gives up without a reason. */
export const RESTORING_LIMIT_MS = 20_000;

/**
 * How long before the end of a session that cannot be extended the next one is created, ms. Creating and
 * joining take 3 s, rarely ten; waiting for a pause of the speaker takes up to `PATIENCE_MS`; and failures are
 * retried.
 */
export const LEAD_MS = 60_000;
/** How long to wait for a pause; after that the microphone switches in mid-speech, ms. */
export const PATIENCE_MS: Readonly<Record<Succession, number>> = { expiring: 20_000, leaving: 4000 };
/**
 * A pause this long is the end of a sentence (0.7 s for the service, protocol 4.5). The longer we wait, the
 * shorter a pause is accepted, even one between two words of a person who speaks without a break. `fromMs`:
 * time since waiting began.
 */
export const PAUSES_MS: readonly { readonly fromMs: number; readonly ms: number }[] = [
	{ fromMs: 0, ms: 700 },
	{ fromMs: 8000, ms: 350 },
	{ fromMs: 14_000, ms: 150 },
];
/** Short, because a server that asks clients to leave may stop at any time. */
export const HURRIED_PAUSE_MS = 150;
/** Back-off for a failed successor; the current link continues meanwhile. */
export const AGAIN: Readonly<Record<Succession, BackoffPlan>> = {
	expiring: { baseMs: 5000, capMs: 20_000, tries: 6 },
	leaving: { baseMs: 1000, capMs: 1000, tries: 2 },
};
