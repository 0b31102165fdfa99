import type { Problem } from '#shared/problem.ts';
import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import {
	type AttemptStep,
	attemptDueMs,
	beginAttempt,
	dropAttempt,
	feedAttempt,
	stepAttempt,
	taskWhenReady,
} from './machine/attempt.ts';
import { endingDueMs, endNow, stepEnding } from './machine/ending.ts';
import type { Effect, Event, Moment, Plan } from './machine/events.ts';
import { heardOn, openLink, release } from './machine/link.ts';
import { liveDueMs, stepLive } from './machine/live.ts';
import { reconnectingDueMs, stepReconnecting } from './machine/reconnecting.ts';
import {
	beginAgain,
	GONE_QUIET_MS,
	join,
	REFUSED_TRIES,
	STANDBY_PAUSE_MS,
	STANDBY_QUIET_MS,
	STANDBY_STEADY_MS,
} from './machine/recover.ts';
import {
	awaitedSession,
	beginRun,
	byWebrtc,
	byWebsocket,
	connecting,
	count,
	fail,
	fallsBack,
	linkOf,
	microphoneDueMs,
	observe,
	reopenMicrophone,
	rest,
	runOf,
	stepMicrophone,
	withPlan,
	worstOf,
} from './machine/run.ts';
import {
	type Attempt,
	after,
	noStandby,
	type Opening,
	type Recovery,
	type Resting,
	type Run,
	type Stage,
	type Standby,
	type State,
	type Step,
	standbyId,
	successorId,
	to,
	unchanged,
} from './machine/state.ts';
import { askedMs } from './machine/watch.ts';
import { enterLive } from './machine/work.ts';

/** On most connections a live server answers within this time, ms. */
const ANSWERED_MS = 300;

/** Packets are counted once a second: any packet heard later than this arrived after restoring began, ms. */
const FIRST_COUNTS_MS = 1200;

export { linkOf, runOf };

/** The cause that main reports when a person ended the session in the list. */
export const ENDED_BY_PERSON = 'ended-by-user';

/**
 * Pure: no clock, no I/O, no randomness of its own. An event that has no meaning in a stage changes nothing.
 * States: `machine/state.ts`; events and effects: `machine/events.ts`. `machine/succession.ts` is separate so
 * that it need not be loaded before Start.
 */
export function step(state: State, event: Event, moment: Moment): Step {
	const next = keepStandby(hearStandby(state, event, moment) ?? stepStage(state, event, moment), moment);
	const run = runOf(state.stage);
	const { stage } = next.state;
	if (stage.name !== 'failed' || !run || run.liveSinceMs === null) return next;
	const { liveSinceMs, interpretedMs } = count(run, false, moment.nowMs);
	return to(next.state, { ...stage, lived: { liveSinceMs, interpretedMs } }, ...next.effects);
}

function stepStage(state: State, event: Event, moment: Moment): Step {
	if (event.type === 'set-muted') {
		return {
			state: { ...state, muted: event.muted },
			effects: [{ do: 'mute-microphone', muted: event.muted }],
		};
	}
	if (event.type === 'session-opened' && awaited(state.stage) !== event.id) {
		return { state, effects: [{ do: 'close-session', handle: event.handle }] };
	}
	if (event.type === 'microphone-opened' && !usesMicrophone(state.stage)) {
		return { state, effects: [{ do: 'close-microphone' }] };
	}
	if (event.type === 'session-lost' && isEndedByPerson(state.stage, event)) {
		return stepStage(state, { type: 'stop-now' }, moment);
	}
	const { stage } = state;
	switch (stage.name) {
		case 'idle':
		case 'failed':
			return whileClosed(state, event, moment);
		case 'opening':
			return heeding(event, stepOpening(state, stage, event, moment));
		case 'live':
			return stepLive(state, stage, event, moment);
		case 'reconnecting':
			return heeding(event, stepReconnecting(state, stage, event, moment));
		case 'resting':
			return stepResting(state, stage, event, moment);
		case 'ending': {
			if (event.type !== 'start') return stepEnding(state, stage, event, moment);
			const ended = endNow(state, stage);
			return after(ended.effects, beginOpening(ended.state, event.plan, moment.nowMs));
		}
	}
}

/** Handles warnings before live: they come with the answer to a task (protocol 4.6). */
function heeding(event: Event, { state, effects }: Step): Step {
	if (event.type !== 'message' || event.message.type !== 'warning') return { state, effects };
	const { code, text } = event.message;
	if (code !== WARNING_CODE.voiceNotFound) return { state, effects };
	return { state, effects: [...effects, { do: 'notify', notice: { kind: 'service-warning', code, text } }] };
}

/** When a `tick` is due; null in the stages that only wait for the person. */
export function dueMs(state: State): number | null {
	const due = stageDueMs(state);
	return due === null ? null : Math.min(due, standbyDueMs(state));
}

function stageDueMs({ stage }: State): number | null {
	switch (stage.name) {
		case 'idle':
		case 'failed':
		case 'resting':
			return null;
		case 'opening':
			return openingDueMs(stage);
		case 'live':
			return liveDueMs(stage);
		case 'reconnecting':
			return reconnectingDueMs(stage);
		case 'ending':
			return endingDueMs(stage);
	}
}

function whileClosed(state: State, event: Event, { nowMs }: Moment): Step {
	switch (event.type) {
		case 'start': {
			const { stage } = state;
			const goesOn = event.again && stage.name === 'failed' && stage.lived;
			return goesOn ? beginAgain(state, stage, event.plan, nowMs) : beginOpening(state, event.plan, nowMs);
		}
		case 'cannot-start':
			return to(state, { name: 'failed', problem: event.problem });
		case 'stop':
		case 'stop-now':
			return to(state, { name: 'idle' });
		default:
			return unchanged(state);
	}
}

/** A session ended in the list must not be reopened behind the person's back. */
function isEndedByPerson(stage: Stage, { handle, problem }: Event & { type: 'session-lost' }): boolean {
	if (problem.kind !== 'session-lost' || problem.cause !== ENDED_BY_PERSON) return false;
	return handle === handleOf(stage) || handle === runOf(stage)?.givenUp;
}

/** The session in use, joined or not. */
function handleOf(stage: Stage): string | null {
	if (stage.name === 'live' || stage.name === 'ending') return stage.link.handle;
	if (stage.name === 'opening') return handleOfAttempt(stage.attempt);
	if (stage.name !== 'reconnecting' || stage.how.by === 'waiting') return null;
	return stage.how.by === 'joining' ? handleOfAttempt(stage.how.attempt) : stage.how.link.handle;
}

function handleOfAttempt(attempt: Attempt): string | null {
	if (attempt.at === 'session') return null;
	return 'link' in attempt ? attempt.link.handle : attempt.handle;
}

/** The id of the awaited session request; any other answer is late, and its session is closed. */
function awaited(stage: Stage): number | null {
	if (stage.name === 'opening') return awaitedSession(stage.attempt);
	if (stage.name !== 'reconnecting' || stage.how.by !== 'joining') return null;
	return awaitedSession(stage.how.attempt);
}

function usesMicrophone(stage: Stage): boolean {
	const run = runOf(stage);
	return run !== null && stage.name !== 'ending' && run.microphone.is !== 'off';
}

type Restoring = Recovery & { by: 'restoring' };

/** Handles events of the standby; null when the event is about something else. */
function hearStandby(state: State, event: Event, { nowMs }: Moment): Step | null {
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

/** After each step: opens or closes the standby as wanted, and switches to it when the room is lost. */
function keepStandby(step: Step, { nowMs }: Moment): Step {
	const { state } = step;
	const { stage, standby } = state;
	// A successor being prepared takes over sooner if the room is in trouble.
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
function standbyDueMs(state: State): number {
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

/** When the room becomes doubtful; Infinity = never without an event. */
function wantedMs(stage: Stage): number {
	if (stage.name === 'live') {
		const { run, watch } = stage;
		// Silence proves nothing if the server does not report every second.
		if (!mayStandBy(run) || watch.probe?.about !== 'server' || watch.queueLevels < 2) return Infinity;
		return Math.max(watch.heardMs + STANDBY_QUIET_MS, askedMs(watch.probe) + ANSWERED_MS);
	}
	const how = restoringOf(stage);
	if (how === null) return Infinity;
	const isDoubted = how.refusals > 0 && how.heardMs - how.sinceMs <= FIRST_COUNTS_MS;
	return isDoubted || how.path !== null ? Number.NEGATIVE_INFINITY : how.heardMs + STANDBY_QUIET_MS;
}

/** When the room counts as permanently lost, provided that the service is reachable. */
function goneMs(stage: Stage, standby: Standby): number {
	const how = restoringOf(stage);
	if (how === null || (standby.is !== 'open' && standby.is !== 'refused')) return Infinity;
	// Its audio may continue although the room's server refuses us.
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

/** Without audio, as in a pause, the service would close a socket again. */
function mayStandBy({ route, plan, microphone }: Run): boolean {
	return route === 'webrtc' && plan.mayFallBack && microphone.is === 'on';
}

/** Opens the microphone in parallel with session and room; neither waits for the other. */
export function beginOpening(state: State, plan: Plan, nowMs: number): Step {
	const microphoneId = state.serial + 1;
	const attemptId = state.serial + 2;
	const run = beginRun(plan, microphoneId, nowMs);
	const { attempt, effects } = beginAttempt(attemptId, nowMs, run);
	return to(
		{ ...state, serial: attemptId },
		{ name: 'opening', run, attempt, renewals: 0 },
		{ do: 'open-microphone', id: microphoneId },
		...effects,
	);
}

export function stepOpening(state: State, stage: Opening, event: Event, { nowMs }: Moment): Step {
	switch (event.type) {
		case 'stop':
		case 'stop-now':
		case 'suspend':
		case 'woke':
			return rest(state, ...dropAttempt(stage.attempt));
		case 'change':
			return to(state, { ...stage, run: replan(stage, event.plan) });
		// Stryker disable next-line ConditionalExpression: the last case ends without its break as well
		default:
			break;
	}
	const heard = stepMicrophone(stage.run, event, nowMs);
	if (heard?.problem) return fail(state, heard.problem, ...dropAttempt(stage.attempt));
	const run = heard?.run ?? observe(stage.run, event, nowMs);
	const feed = heard?.opened ? feedAttempt(stage.attempt, 'microphone') : [];
	return after(feed, goOn(state, { ...stage, run }, stepAttempt(stage.attempt, event, nowMs, run), nowMs));
}

export function openingDueMs(stage: Opening): number {
	return Math.min(attemptDueMs(stage.attempt, stage.run), microphoneDueMs(stage.run));
}

function goOn(state: State, stage: Opening, step: AttemptStep, nowMs: number): Step {
	switch (step.is) {
		case 'going': {
			const run = connecting(withPlan(stage.run, step), step.attempt);
			return to(state, { ...stage, run, attempt: step.attempt }, ...step.effects);
		}
		case 'up':
			return after(
				step.effects,
				enterLive(state, stage.run, { link: step.link, work: { is: 'running' } }, nowMs),
			);
		case 'failed': {
			const renews = step.renewable && stage.renewals === 0;
			if (!renews && !fallsBack(stage.run, step)) {
				return fail(state, worstOf(stage.run, step.problem), ...step.effects);
			}
			const id = state.serial + 1;
			const run = renews ? stage.run : byWebsocket(stage.run, step.problem, nowMs);
			const { attempt, effects } = beginAttempt(id, nowMs, run);
			const renewed = { ...stage, run: connecting(run, attempt), attempt, renewals: stage.renewals + 1 };
			return to({ ...state, serial: id }, renewed, ...step.effects, ...effects);
		}
	}
}

/** Before the task is sent, a change replaces it; afterwards the change waits for live. */
function replan({ run, attempt }: Opening, plan: Plan): Run {
	return attempt.at === 'task' ? { ...run, wanted: plan, change: 'waiting' } : { ...run, plan };
}

/** Nothing is open. Resume opens a new session and the microphone; stop ends it. */
export function stepResting(state: State, stage: Resting, event: Event, { nowMs }: Moment): Step {
	switch (event.type) {
		case 'stop':
		case 'stop-now':
			return rest(state);
		case 'resume': {
			const again = reopenMicrophone(state, { ...stage.run, paused: false, outage: null }, nowMs);
			return after(again.effects, join(again.state, again.run, nowMs));
		}
		case 'go-back':
			if (stage.run.switched === null) return unchanged(state);
			return to(state, { ...stage, run: byWebrtc(stage.run) });
		default:
			return to(state, { ...stage, run: observe(stage.run, event, nowMs) });
	}
}
