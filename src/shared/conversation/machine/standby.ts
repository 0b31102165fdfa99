import type { Problem } from '#shared/problem.ts';
import { taskWhenReady } from './attempt.ts';
import type { Effect, Event, Moment } from './events.ts';
import { heardOn, openLink, release } from './link.ts';
import {
	GONE_QUIET_MS,
	REFUSED_TRIES,
	STANDBY_PAUSE_MS,
	STANDBY_QUIET_MS,
	STANDBY_STEADY_MS,
} from './reconnect-limits.ts';
import { join } from './recover.ts';
import { byWebsocket } from './route.ts';
import {
	after,
	noStandby,
	type Recovery,
	type Run,
	type Stage,
	type Standby,
	type State,
	type Step,
	standbyId,
	successorId,
	to,
} from './state.ts';
import { askedMs } from './watch.ts';

type Restoring = Recovery & { by: 'restoring' };

/** Handles events of the standby itself; null when the event is about something else. */
export function hearStandby(state: State, event: Event, { nowMs }: Moment): Step | null {
	const { standby } = state;
	if (!('id' in event) || event.id !== standbyId(state)) return null;
	switch (event.type) {
		case 'link-opened':
			if (standby.is !== 'opening') return null;
			return become(state, { is: 'open', link: openLink(standby.id, null, 'websocket'), sinceMs: nowMs });
		case 'link-failed':
		case 'link-down': {
			const isFull = event.problem.kind === 'session-limit';
			return become(state, isFull ? { is: 'refused', sinceMs: nowMs } : { is: 'failed' }, {
				do: 'close-standby',
				id: event.id,
			});
		}
		case 'message':
			if (standby.is !== 'open') return become(state, standby);
			return become(state, { ...standby, link: heardOn(standby.link, event.message, nowMs) });
		default:
			return become(state, standby);
	}
}

/**
 * After each step: opens the standby when wanted, closes it when no longer wanted, and puts it in charge when the room
 * is gone.
 */
export function keepStandby(step: Step, { nowMs }: Moment): Step {
	const { state } = step;
	const { stage, standby } = state;
	// A successor under way takes over sooner if the room is in trouble.
	if (nowMs < wantedMs(stage) || successorId(state) !== null) {
		if (standby.is === 'none') return step;
		const id = standbyId(state);
		const next = become(state, { is: 'none', notBeforeMs: nowMs + STANDBY_PAUSE_MS });
		return after([...step.effects, ...(id === null ? [] : [{ do: 'close-standby', id } as const])], next);
	}
	if (standby.is === 'none') {
		if (nowMs < standby.notBeforeMs) return step;
		const id = state.serial + 1;
		const opened = become({ ...state, serial: id }, { is: 'opening', id }, openSocket(id));
		return after(step.effects, opened);
	}
	return nowMs >= goneMs(stage, standby) ? after(step.effects, takeOver(state, nowMs)) : step;
}

/** When `keepStandby` may have something to do. */
export function standbyDueMs(state: State): number {
	const { stage, standby } = state;
	if (standby.is === 'none' && successorId(state) !== null) return Infinity;
	if (standby.is === 'none') return Math.max(wantedMs(stage), standby.notBeforeMs);
	return goneMs(stage, standby);
}

function become(state: State, standby: Standby, ...effects: readonly Effect[]): Step {
	return { state: { ...state, standby }, effects };
}

function openSocket(id: number): Effect {
	return { do: 'open-link', id, route: 'websocket', audio: 'microphone', keepSpeech: true };
}

/** When the room comes into doubt; Infinity = not by time alone. */
function wantedMs(stage: Stage): number {
	if (stage.name === 'live') {
		const { run, watch } = stage;
		// Silence of a server that does not report every second means nothing.
		if (!mayStandBy(run) || watch.probe?.about !== 'server' || watch.queueLevels < 2) return Infinity;
		return Math.max(watch.heardMs + STANDBY_QUIET_MS, askedMs(watch.probe) + ANSWERED_MS);
	}
	const how = restoringOf(stage);
	if (how === null) return Infinity;
	const isDoubted = how.refusals > 0 && how.heardMs - how.sinceMs <= FIRST_COUNTS_MS;
	return isDoubted || how.path !== null ? Number.NEGATIVE_INFINITY : how.heardMs + STANDBY_QUIET_MS;
}

/** On most lines a live server has answered by then, ms. */
const ANSWERED_MS = 300;
/** Packets are counted once a second: anything heard later than this came after restoring began, ms. */
const FIRST_COUNTS_MS = 1200;

/** When the room counts as gone for good, given that the service is reachable. */
function goneMs(stage: Stage, standby: Standby): number {
	const how = restoringOf(stage);
	if (how === null || (standby.is !== 'open' && standby.is !== 'refused')) return Infinity;
	// Its sound may go on although the room's server refuses.
	if (isRefused(how) && how.quietLooks > 0) return Number.NEGATIVE_INFINITY;
	return Math.max(how.heardMs + GONE_QUIET_MS, standby.sinceMs + STANDBY_STEADY_MS);
}

function isRefused({ refusals, link }: Restoring): boolean {
	return refusals >= REFUSED_TRIES[link.acknowledges ? 'current' : 'older'];
}

function takeOver(state: State, nowMs: number): Step {
	const { stage, standby } = state;
	const how = restoringOf(stage);
	// Stryker disable next-line all: only a room that is restored is ever given up
	if (how === null || stage.name !== 'reconnecting') return { state, effects: [] };
	const cause: Problem = isRefused(how)
		? { kind: 'room-unreachable', reason: 'refused' }
		: { kind: 'connection-lost', reason: 'no answer' };
	const { outage } = stage;
	const run = byWebsocket({ ...stage.run, outage, givenUp: how.link.handle }, cause, nowMs);
	const alone: State = { ...state, standby: noStandby };
	if (standby.is !== 'open') return after(release(how.link), join(alone, run, nowMs));
	const taken: Effect = { do: 'take-over', id: standby.link.id };
	const begun = taskWhenReady(standby.link, nowMs, run);
	// Stryker disable next-line all: with a microphone, and not paused, nothing else is possible
	if (begun.is !== 'going') return { state, effects: [] };
	const joining = { by: 'joining', attempt: begun.attempt } as const;
	const next = to(alone, { name: 'reconnecting', run, outage, how: joining }, ...begun.effects);
	return after([...release(how.link), taken], next);
}

function restoringOf(stage: Stage): Restoring | null {
	if (stage.name !== 'reconnecting' || stage.how.by !== 'restoring') return null;
	return mayStandBy(stage.run) ? stage.how : null;
}

/** Without sound, as in a pause, the service would close a socket again. */
function mayStandBy({ route, plan, microphone }: Run): boolean {
	return route === 'webrtc' && plan.mayFallBack && microphone.is === 'on';
}
