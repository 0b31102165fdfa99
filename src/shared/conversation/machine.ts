import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { endingDueMs, endNow, stepEnding } from './machine/ending.ts';
import type { Event, Moment } from './machine/events.ts';
import { liveDueMs, stepLive } from './machine/live.ts';
import { beginOpening, openingDueMs, stepOpening } from './machine/opening.ts';
import { reconnectingDueMs, stepReconnecting } from './machine/reconnecting.ts';
import { stepResting } from './machine/resting.ts';
import { awaitedSession, linkOf, runOf } from './machine/run.ts';
import { hearStandby, keepStandby, standbyDueMs } from './machine/standby.ts';
import { type Attempt, after, type Stage, type State, type Step, to, unchanged } from './machine/state.ts';

export { linkOf, runOf };

/** The cause that main reports when a person ended the session in the list. */
export const ENDED_BY_PERSON = 'ended-by-user';

/**
 * Pure: no clock, no I/O, no randomness of its own. An event that means nothing in a stage changes nothing. States:
 * `machine/state.ts`; what comes in and goes out: `machine/events.ts`. Kept apart, so that it need not be loaded before
 * Start: `machine/succession.ts`.
 */
export function step(state: State, event: Event, moment: Moment): Step {
	return keepStandby(hearStandby(state, event, moment) ?? stepStage(state, event, moment), moment);
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

/** Handles the service's remarks before live, since they come with the answer to a task (protocol 4.6); live handles its own. */
function heeding(event: Event, { state, effects }: Step): Step {
	if (event.type !== 'message' || event.message.type !== 'warning') return { state, effects };
	const { code, text } = event.message;
	if (code !== WARNING_CODE.voiceNotFound) return { state, effects };
	return { state, effects: [...effects, { do: 'notify', notice: { kind: 'service-warning', code, text } }] };
}

/** When a `tick` is due; null in the stages that wait for the person alone. */
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
		case 'start':
			return beginOpening(state, event.plan, nowMs);
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

/** The session held, joined or not. */
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

/** The session request whose answer is awaited; any other answer is late, and its session is closed. */
function awaited(stage: Stage): number | null {
	if (stage.name === 'opening') return awaitedSession(stage.attempt);
	if (stage.name !== 'reconnecting' || stage.how.by !== 'joining') return null;
	return awaitedSession(stage.how.attempt);
}

function usesMicrophone(stage: Stage): boolean {
	const run = runOf(stage);
	return run !== null && stage.name !== 'ending' && run.microphone.is !== 'off';
}
