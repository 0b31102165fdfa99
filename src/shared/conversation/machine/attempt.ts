import { nextDueMs as outboxDueMs } from '#shared/conversation/command-outbox.ts';
import {
	confirmTask,
	hear,
	nextDueMs,
	type Readiness,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import { READINESS } from '#shared/protocol/limits.ts';
import type { Effect, Event, Plan } from './events.ts';
import { flush, getTask, hasTask, heardOn, openLink, post, release, taskFor } from './link.ts';
import type { Attempt, OpenLink, Run } from './state.ts';

/** Creating a session has taken up to 2.8 s; main tries more than once within this limit. */
const SESSION_LIMIT_MS = 30_000;
/**
 * A join that cannot work fails within 15 s (faults 55). The transport's own limit is shorter: it reports the cause.
 */
const LINK_LIMIT_MS = 16_000;
/** Without media after this time, the conversation switches to a socket (faults 40). */
const DECISION_MS = 10_000;
/** Readiness has its own limit; the same time is allowed for packets, counted from when the task was sent. */
const PACKETS_LIMIT_MS = 20_000;

/** Problems that another route may solve: the network in between, or a misbehaving room. */
export const BY_ROUTE: ReadonlySet<Problem['kind']> = new Set([
	'room-refused',
	'room-unreachable',
	'connection-lost',
	'interpreter-silent',
	'address-refused',
	'port-refused',
	'timed-out',
	'unexpected-answer',
]);

interface Going {
	readonly is: 'going';
	readonly attempt: Attempt;
	/** The plan from now on, if the service refused the run's own. */
	readonly plan?: Plan;
	readonly effects: readonly Effect[];
}

export type AttemptStep =
	| Going
	| {
			readonly is: 'up';
			readonly link: OpenLink;
			readonly tasked: boolean;
			readonly effects: readonly Effect[];
	  }
	/** `effects` closes everything that the attempt opened. `renewable`: a new session may succeed. */
	| {
			readonly is: 'failed';
			readonly problem: Problem;
			readonly renewable: boolean;
			/** The route is to blame: another route may succeed. */
			readonly byRoute: boolean;
			readonly effects: readonly Effect[];
	  };

/** A room needs a session; a socket only needs the key, and the service cleans up after it. */
export function beginAttempt(
	id: number,
	nowMs: number,
	run: Run,
): { attempt: Attempt; effects: readonly Effect[] } {
	if (run.route === 'websocket') return openWhenReady({ at: 'held', id, handle: null }, nowMs, run);
	return { attempt: { at: 'session', id, sinceMs: nowMs }, effects: [{ do: 'open-session', id }] };
}

/** Closes everything the attempt opened. A session still being opened is closed when it arrives. */
export function dropAttempt(attempt: Attempt): readonly Effect[] {
	if (attempt.at === 'session') return [];
	if (attempt.at === 'held') return [];
	return release('link' in attempt ? attempt.link : attempt);
}

/** Feeds the attempt's link, if it has one, with the microphone or with silence. */
export function feedAttempt(attempt: Attempt, audio: 'microphone' | 'silence'): readonly Effect[] {
	if (attempt.at === 'session' || attempt.at === 'held') return [];
	return [{ do: 'feed-link', id: 'link' in attempt ? attempt.link.id : attempt.id, audio }];
}

export function attemptDueMs(attempt: Attempt, run: Run): number {
	switch (attempt.at) {
		case 'session':
			return attempt.sinceMs + SESSION_LIMIT_MS;
		// The microphone's own limit ends these attempts.
		case 'held':
		case 'joined':
			return Infinity;
		case 'link':
			return joinedByMs(attempt.sinceMs, run);
		case 'task': {
			const limit = attempt.confirmed ? packetsByMs(attempt) : nextDueMs(attempt.readiness);
			const decision = attempt.packets ? Infinity : mediaByMs(run);
			return Math.min(limit, decision, outboxDueMs(attempt.link.outbox) ?? Infinity);
		}
	}
}

/** `run` has the microphone, the plan, and whether the conversation is paused. */
export function stepAttempt(attempt: Attempt, event: Event, nowMs: number, run: Run): AttemptStep {
	switch (attempt.at) {
		case 'session':
			return whileOpening(attempt, event, nowMs, run);
		case 'held':
			return openWhenReady(attempt, nowMs, run);
		case 'link':
			return whileJoining(attempt, event, nowMs, run);
		case 'joined':
			return whileJoined(attempt, event, nowMs, run);
		case 'task':
			return whileTasking(attempt, event, nowMs, run);
	}
}

function whileOpening(
	attempt: Attempt & { at: 'session' },
	event: Event,
	nowMs: number,
	run: Run,
): AttemptStep {
	if (event.type === 'session-opened' && event.id === attempt.id) {
		// The microphone may take longer than the room: neither waits for the other.
		return openLinkOf(attempt.id, event.handle, nowMs, run);
	}
	if (event.type === 'session-failed' && event.id === attempt.id)
		return failed(attempt, event.problem, false);
	if (event.type === 'tick' && nowMs >= attempt.sinceMs + SESSION_LIMIT_MS) {
		return failed(attempt, { kind: 'timed-out', what: 'session', afterMs: nowMs - attempt.sinceMs }, false);
	}
	return going(attempt);
}

function openWhenReady(attempt: Attempt & { at: 'held' }, nowMs: number, run: Run): Going {
	return run.microphone.is === 'on' ? openLinkOf(attempt.id, null, nowMs, run) : going(attempt);
}

/** No task is sent before there is something to interpret. */
function openLinkOf(id: number, handle: string | null, nowMs: number, run: Run): Going {
	const audio = run.microphone.is === 'on' ? 'microphone' : 'nothing';
	const { route } = run;
	const keepSpeech = run.liveSinceMs !== null;
	return going({ at: 'link', id, handle, sinceMs: nowMs }, { do: 'open-link', id, route, audio, keepSpeech });
}

function whileJoining(attempt: Attempt & { at: 'link' }, event: Event, nowMs: number, run: Run): AttemptStep {
	if (isTaken(attempt.handle, event)) return failed(attempt, event.problem, true);
	if (event.type === 'tick' && nowMs >= joinedByMs(attempt.sinceMs, run)) {
		return failed(attempt, { kind: 'timed-out', what: 'room', afterMs: nowMs - attempt.sinceMs }, false);
	}
	if (!('id' in event) || event.id !== attempt.id) return going(attempt);
	if (event.type === 'link-failed' || event.type === 'link-down') {
		// Joining an expired or forgotten session is refused: a new session may be admitted.
		const { kind } = event.problem;
		return failed(attempt, event.problem, kind === 'room-refused' || kind === 'session-lost');
	}
	if (event.type !== 'link-opened') return going(attempt);
	const link = openLink(attempt.id, attempt.handle, run.route);
	const joined: readonly Effect[] =
		attempt.handle === null ? [] : [{ do: 'report-joined', handle: attempt.handle }];
	const step = taskWhenReady(link, nowMs, run);
	return { ...step, effects: [...joined, ...step.effects] };
}

function whileJoined(
	attempt: Attempt & { at: 'joined' },
	event: Event,
	nowMs: number,
	run: Run,
): AttemptStep {
	if (isTaken(attempt.link.handle, event)) return failed(attempt, event.problem, true);
	if ('id' in event && event.id === attempt.link.id) {
		if (event.type === 'link-down')
			return failed(attempt, event.problem, event.problem.kind !== 'opened-elsewhere');
		if (event.type === 'message')
			return going({ ...attempt, link: heardOn(attempt.link, event.message, nowMs) });
	}
	return taskWhenReady(attempt.link, nowMs, run);
}

/** The task's time limit starts when there is something to interpret. */
export function taskWhenReady(link: OpenLink, nowMs: number, run: Run): AttemptStep {
	if (run.paused) return { is: 'up', link, tasked: false, effects: [] };
	if (run.microphone.is !== 'on') return going({ at: 'joined', link });
	const { readiness } = confirmTask(nowMs, null, run.plan.isHere ? READINESS.giveUpHereMs : undefined);
	const sent = post(link, nowMs, taskFor(run.plan, link));
	return going({ at: 'task', link: sent.link, readiness, confirmed: false, packets: false }, ...sent.effects);
}

function whileTasking(attempt: Attempt & { at: 'task' }, event: Event, nowMs: number, run: Run): AttemptStep {
	if (run.paused) return { is: 'up', link: attempt.link, tasked: true, effects: [] };
	if (isTaken(attempt.link.handle, event)) return failed(attempt, event.problem, true);
	if (event.type === 'tick') return whileWaiting(attempt, nowMs, run);
	if (!('id' in event) || event.id !== attempt.link.id) return going(attempt);
	switch (event.type) {
		case 'link-down':
			return failed(attempt, event.problem, event.problem.kind !== 'opened-elsewhere');
		case 'packets':
			return upWhenDone({ ...attempt, packets: attempt.packets || event.sent > 0 });
		case 'message': {
			const link = heardOn(attempt.link, event.message, nowMs);
			if (attempt.confirmed) return going({ ...attempt, link });
			return judge({ ...attempt, link }, hear(attempt.readiness, event.message, nowMs), nowMs, run);
		}
		default:
			return going(attempt);
	}
}

function whileWaiting(attempt: Attempt & { at: 'task' }, nowMs: number, run: Run): AttemptStep {
	if (!attempt.packets && nowMs >= mediaByMs(run)) {
		return failed(attempt, { kind: 'room-unreachable', reason: 'no audio leaves' }, false);
	}
	if (!attempt.confirmed) {
		const { link, effects } = flush(attempt.link, nowMs);
		const readiness = hasTask(effects) ? taskLeft(attempt.readiness, nowMs) : attempt.readiness;
		const step = judge({ ...attempt, link }, tick(readiness, nowMs), nowMs, run);
		return { ...step, effects: [...effects, ...step.effects] };
	}
	if (nowMs >= packetsByMs(attempt)) {
		return failed(attempt, { kind: 'room-unreachable', reason: 'no audio leaves' }, true);
	}
	const { link, effects } = flush(attempt.link, nowMs);
	return going({ ...attempt, link }, ...effects);
}

function judge(attempt: Attempt & { at: 'task' }, step: ReadinessStep, nowMs: number, run: Run): AttemptStep {
	const { verdict, readiness } = step;
	if (verdict.is === 'refused') return withLess(attempt, verdict.problem, nowMs, run);
	if (verdict.is === 'late') {
		return failed(attempt, { kind: 'interpreter-silent', afterMs: verdict.afterMs }, true);
	}
	if (verdict.is === 'ready') return upWhenDone({ ...attempt, readiness, confirmed: true });
	const commands = step.commands.map((name) =>
		name === 'set_task' ? taskFor(run.plan, attempt.link) : getTask,
	);
	const { link, effects } = post(attempt.link, nowMs, ...commands);
	return going(
		{ ...attempt, link, readiness },
		...effects,
		...(step.tell ? [tellSilence(nowMs, readiness)] : []),
	);
}

/** The service refused the plan: request less, if the plan allows it. */
function withLess(attempt: Attempt & { at: 'task' }, problem: Problem, nowMs: number, run: Run): AttemptStep {
	const { without } = run.plan;
	if (without === null) return failed(attempt, problem, false);
	const { readiness } = confirmTask(nowMs);
	const { link, effects } = post(attempt.link, nowMs, taskFor(without, attempt.link));
	const told: Effect = { do: 'notify', notice: { kind: 'asked-without', plan: without } };
	return { ...going({ ...attempt, link, readiness }, ...effects, told), plan: without };
}

/** The deadline for joining the room. */
function joinedByMs(sinceMs: number, run: Run): number {
	return Math.min(sinceMs + LINK_LIMIT_MS, mediaByMs(run));
}

function packetsByMs({ readiness }: { readonly readiness: Readiness }): number {
	return readiness.sinceMs + Math.max(PACKETS_LIMIT_MS, readiness.giveUpMs);
}

/** When to switch to a socket, if there is one. */
function mediaByMs({ route, plan, connectingMs }: Run): number {
	if (route === 'websocket' || !plan.mayFallBack || connectingMs === null) return Infinity;
	return connectingMs + DECISION_MS;
}

function tellSilence(nowMs: number, { sinceMs }: { sinceMs: number }): Effect {
	const problem: Problem = { kind: 'interpreter-silent', afterMs: nowMs - sinceMs };
	return { do: 'notify', notice: { kind: 'problem', problem } };
}

/** Live only when the task is confirmed and packets are leaving. */
function upWhenDone(attempt: Attempt & { at: 'task' }): AttemptStep {
	if (!attempt.confirmed || !attempt.packets) return going(attempt);
	return { is: 'up', link: attempt.link, tasked: true, effects: [] };
}

function isTaken(handle: string | null, event: Event): event is Event & { type: 'session-lost' } {
	return event.type === 'session-lost' && event.handle === handle;
}

function going(attempt: Attempt, ...effects: readonly Effect[]): Going {
	return { is: 'going', attempt, effects };
}

function failed(attempt: Attempt, problem: Problem, renewable: boolean): AttemptStep {
	const byRoute = attempt.at !== 'session' && BY_ROUTE.has(problem.kind);
	return { is: 'failed', problem, renewable, byRoute, effects: dropAttempt(attempt) };
}
