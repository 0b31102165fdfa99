import { nextDueMs as outboxDueMs } from '#shared/conversation/command-limits.ts';
import {
	confirmTask,
	hear,
	nextDueMs,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import type { Effect, Event } from './events.ts';
import { flush, getTask, hasTask, heardOn, openLink, post, release, taskFor } from './link.ts';
import type { Leg, OpenLink, Run } from './state.ts';

/** A create was seen to take 2.8 s; main tries more than once within this. */
const SESSION_LIMIT_MS = 30_000;
/** A join that cannot work says so within 15 s (faults 55); the transport first, because it knows why. */
const LINK_LIMIT_MS = 16_000;
/** Without media by then the decision for a socket falls (faults 40). */
const DECISION_MS = 10_000;
/** Readiness has its own limit; packets get the same from the moment the task was sent. */
const PACKETS_LIMIT_MS = 20_000;

/** What another way may mend: the network between, or a room that does not do what it should. */
export const BY_ROUTE: ReadonlySet<Problem['kind']> = new Set([
	'room-refused',
	'room-unreachable',
	'connection-lost',
	'interpreter-silent',
	'address-refused',
	'timed-out',
	'unexpected-answer',
]);

interface Going {
	readonly is: 'going';
	readonly leg: Leg;
	readonly effects: readonly Effect[];
}

export type LegStep =
	| Going
	| {
			readonly is: 'up';
			readonly link: OpenLink;
			readonly tasked: boolean;
			readonly effects: readonly Effect[];
	  }
	/** Everything it held is closed by `effects`. `renewable`: a new session may do better. */
	| {
			readonly is: 'failed';
			readonly problem: Problem;
			readonly renewable: boolean;
			/** The way is to blame: another one may do better. */
			readonly byRoute: boolean;
			readonly effects: readonly Effect[];
	  };

/** A room needs a session; a socket has the key, and its service cleans up. */
export function beginLeg(id: number, nowMs: number, run: Run): { leg: Leg; effects: readonly Effect[] } {
	if (run.route === 'websocket') return openWhenReady({ at: 'held', id, handle: null }, nowMs, run);
	return { leg: { at: 'session', id, sinceMs: nowMs }, effects: [{ do: 'open-session', id }] };
}

/** Closes what the leg holds. A session still being opened is closed when it arrives. */
export function dropLeg(leg: Leg): readonly Effect[] {
	if (leg.at === 'session') return [];
	if (leg.at === 'held') return [];
	return release('link' in leg ? leg.link : leg);
}

/** The microphone, or silence in its place, for whatever the leg is in. */
export function feedLeg(leg: Leg, audio: 'microphone' | 'silence'): readonly Effect[] {
	if (leg.at === 'session' || leg.at === 'held') return [];
	return [{ do: 'feed-link', id: 'link' in leg ? leg.link.id : leg.id, audio }];
}

export function legDueMs(leg: Leg, run: Run): number {
	switch (leg.at) {
		case 'session':
			return leg.sinceMs + SESSION_LIMIT_MS;
		// The microphone's own limit ends these.
		case 'held':
		case 'joined':
			return Infinity;
		case 'link':
			return joinedByMs(leg.sinceMs, run);
		case 'task': {
			const limit = leg.confirmed ? leg.readiness.sinceMs + PACKETS_LIMIT_MS : nextDueMs(leg.readiness);
			const decision = leg.packets ? Infinity : mediaByMs(run);
			return Math.min(limit, decision, outboxDueMs(leg.link.outbox) ?? Infinity);
		}
	}
}

/** `run` tells whether the microphone is there, what is asked, and whether anything is asked (paused). */
export function stepLeg(leg: Leg, event: Event, nowMs: number, run: Run): LegStep {
	switch (leg.at) {
		case 'session':
			return whileOpening(leg, event, nowMs, run);
		case 'held':
			return openWhenReady(leg, nowMs, run);
		case 'link':
			return whileJoining(leg, event, nowMs, run);
		case 'joined':
			return whileJoined(leg, event, nowMs, run);
		case 'task':
			return whileTasking(leg, event, nowMs, run);
	}
}

function whileOpening(leg: Leg & { at: 'session' }, event: Event, nowMs: number, run: Run): LegStep {
	if (event.type === 'session-opened' && event.id === leg.id) {
		// The microphone may take longer than the room does: neither waits for the other.
		return openLinkOf(leg.id, event.handle, nowMs, run);
	}
	if (event.type === 'session-failed' && event.id === leg.id) return failed(leg, event.problem, false);
	if (event.type === 'tick' && nowMs >= leg.sinceMs + SESSION_LIMIT_MS) {
		return failed(leg, { kind: 'timed-out', what: 'session', afterMs: nowMs - leg.sinceMs }, false);
	}
	return going(leg);
}

function openWhenReady(leg: Leg & { at: 'held' }, nowMs: number, run: Run): Going {
	return run.microphone.is === 'on' ? openLinkOf(leg.id, null, nowMs, run) : going(leg);
}

/** Nothing is sent before there is something to interpret. */
function openLinkOf(id: number, handle: string | null, nowMs: number, run: Run): Going {
	const audio = run.microphone.is === 'on' ? 'microphone' : 'nothing';
	const { route } = run;
	const keepSpeech = run.liveSinceMs !== null;
	return going({ at: 'link', id, handle, sinceMs: nowMs }, { do: 'open-link', id, route, audio, keepSpeech });
}

function whileJoining(leg: Leg & { at: 'link' }, event: Event, nowMs: number, run: Run): LegStep {
	if (isTaken(leg.handle, event)) return failed(leg, event.problem, true);
	if (event.type === 'tick' && nowMs >= joinedByMs(leg.sinceMs, run)) {
		return failed(leg, { kind: 'timed-out', what: 'room', afterMs: nowMs - leg.sinceMs }, false);
	}
	if (!('id' in event) || event.id !== leg.id) return going(leg);
	if (event.type === 'link-failed' || event.type === 'link-down') {
		// An expired or forgotten session is refused at the door: another one may be let in.
		const { kind } = event.problem;
		return failed(leg, event.problem, kind === 'room-refused' || kind === 'session-lost');
	}
	if (event.type !== 'link-opened') return going(leg);
	const link = openLink(leg.id, leg.handle, run.route);
	const joined: readonly Effect[] = leg.handle === null ? [] : [{ do: 'report-joined', handle: leg.handle }];
	const step = taskWhenReady(link, nowMs, run);
	return { ...step, effects: [...joined, ...step.effects] };
}

function whileJoined(leg: Leg & { at: 'joined' }, event: Event, nowMs: number, run: Run): LegStep {
	if (isTaken(leg.link.handle, event)) return failed(leg, event.problem, true);
	if ('id' in event && event.id === leg.link.id) {
		if (event.type === 'link-down')
			return failed(leg, event.problem, event.problem.kind !== 'opened-elsewhere');
		if (event.type === 'message') return going({ ...leg, link: heardOn(leg.link, event.message, nowMs) });
	}
	return taskWhenReady(leg.link, nowMs, run);
}

/** The task counts from when there is something to interpret. */
function taskWhenReady(link: OpenLink, nowMs: number, run: Run): LegStep {
	if (run.paused) return { is: 'up', link, tasked: false, effects: [] };
	if (run.microphone.is !== 'on') return going({ at: 'joined', link });
	const { readiness } = confirmTask(nowMs);
	const sent = post(link, nowMs, taskFor(run.plan, link));
	return going({ at: 'task', link: sent.link, readiness, confirmed: false, packets: false }, ...sent.effects);
}

function whileTasking(leg: Leg & { at: 'task' }, event: Event, nowMs: number, run: Run): LegStep {
	if (run.paused) return { is: 'up', link: leg.link, tasked: true, effects: [] };
	if (isTaken(leg.link.handle, event)) return failed(leg, event.problem, true);
	if (event.type === 'tick') return whileWaiting(leg, nowMs, run);
	if (!('id' in event) || event.id !== leg.link.id) return going(leg);
	switch (event.type) {
		case 'link-down':
			return failed(leg, event.problem, event.problem.kind !== 'opened-elsewhere');
		case 'packets':
			return upWhenDone({ ...leg, packets: leg.packets || event.sent > 0 });
		case 'message': {
			const link = heardOn(leg.link, event.message, nowMs);
			if (leg.confirmed) return going({ ...leg, link });
			return judge({ ...leg, link }, hear(leg.readiness, event.message, nowMs), nowMs, run);
		}
		default:
			return going(leg);
	}
}

function whileWaiting(leg: Leg & { at: 'task' }, nowMs: number, run: Run): LegStep {
	if (!leg.packets && nowMs >= mediaByMs(run)) {
		return failed(leg, { kind: 'room-unreachable', reason: 'no audio leaves' }, false);
	}
	if (!leg.confirmed) {
		const { link, effects } = flush(leg.link, nowMs);
		const readiness = hasTask(effects) ? taskLeft(leg.readiness, nowMs) : leg.readiness;
		const step = judge({ ...leg, link }, tick(readiness, nowMs), nowMs, run);
		return { ...step, effects: [...effects, ...step.effects] };
	}
	if (nowMs >= leg.readiness.sinceMs + PACKETS_LIMIT_MS) {
		return failed(leg, { kind: 'room-unreachable', reason: 'no audio leaves' }, true);
	}
	const { link, effects } = flush(leg.link, nowMs);
	return going({ ...leg, link }, ...effects);
}

function judge(leg: Leg & { at: 'task' }, step: ReadinessStep, nowMs: number, run: Run): LegStep {
	const { verdict, readiness } = step;
	if (verdict.is === 'refused') return failed(leg, verdict.problem, false);
	if (verdict.is === 'late') {
		return failed(leg, { kind: 'interpreter-silent', afterMs: verdict.afterMs }, true);
	}
	if (verdict.is === 'ready') return upWhenDone({ ...leg, readiness, confirmed: true });
	const commands = step.commands.map((name) => (name === 'set_task' ? taskFor(run.plan, leg.link) : getTask));
	const { link, effects } = post(leg.link, nowMs, ...commands);
	return going(
		{ ...leg, link, readiness },
		...effects,
		...(step.tell ? [tellSilence(nowMs, readiness)] : []),
	);
}

/** Until when the room must be joined. */
function joinedByMs(sinceMs: number, run: Run): number {
	return Math.min(sinceMs + LINK_LIMIT_MS, mediaByMs(run));
}

/** When the decision for a socket falls, if there is one to go to. */
function mediaByMs({ route, plan, connectingMs }: Run): number {
	if (route === 'websocket' || !plan.mayFallBack || connectingMs === null) return Infinity;
	return connectingMs + DECISION_MS;
}

function tellSilence(nowMs: number, { sinceMs }: { sinceMs: number }): Effect {
	const problem: Problem = { kind: 'interpreter-silent', afterMs: nowMs - sinceMs };
	return { do: 'notify', notice: { kind: 'problem', problem } };
}

/** Live only when the task is confirmed and packets are seen to leave. */
function upWhenDone(leg: Leg & { at: 'task' }): LegStep {
	if (!leg.confirmed || !leg.packets) return going(leg);
	return { is: 'up', link: leg.link, tasked: true, effects: [] };
}

function isTaken(handle: string | null, event: Event): event is Event & { type: 'session-lost' } {
	return event.type === 'session-lost' && event.handle === handle;
}

function going(leg: Leg, ...effects: readonly Effect[]): Going {
	return { is: 'going', leg, effects };
}

function failed(leg: Leg, problem: Problem, renewable: boolean): LegStep {
	const byRoute = leg.at !== 'session' && leg.at !== 'held' && BY_ROUTE.has(problem.kind);
	return { is: 'failed', problem, renewable, byRoute, effects: dropLeg(leg) };
}
