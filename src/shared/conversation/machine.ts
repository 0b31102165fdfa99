import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { endingDueMs, endNow, stepEnding } from './machine/ending.ts';
import type { Event, Moment } from './machine/events.ts';
import { liveDueMs, stepLive } from './machine/live.ts';
import { beginOpening, openingDueMs, stepOpening } from './machine/opening.ts';
import { reconnectingDueMs, stepReconnecting } from './machine/reconnecting.ts';
import { stepResting } from './machine/resting.ts';
import { awaitedSession, runOf } from './machine/run.ts';
import { hearStandby, keepStandby, standbyDueMs } from './machine/standby.ts';
import { type Attempt, after, type Stage, type State, type Step, to, unchanged } from './machine/state.ts';
import {
	forgetSuccessor,
	handleBeside,
	hearSuccessor,
	keepSuccessor,
	successorDueMs,
	watchesPauses,
} from './machine/successor.ts';

export { runOf };

/** The cause by which main tells that a person ended the session in the list. */
const ENDED_BY_PERSON = 'ended-by-user';

/**
 * Pure: no clock, no I/O, no randomness of its own. An event that means nothing in a stage changes
 * nothing. States: `machine/state.ts`; what comes in and goes out: `machine/events.ts`.
 */
export function step(state: State, event: Event, moment: Moment): Step {
	const known = forgetSuccessor(state, event);
	const heard = hearBeside(known.state, event, moment) ?? stepStage(known.state, event, moment);
	const kept = keepStandby(keepSuccessor(heard, event, moment), moment);
	const next = after(known.effects, kept);
	const on = watchesPauses(next.state);
	if (on === watchesPauses(state)) return next;
	return { state: next.state, effects: [...next.effects, { do: 'watch-pauses', on }] };
}

/** What happens to a link beside the one in use; null when the event is about something else. */
function hearBeside(state: State, event: Event, moment: Moment): Step | null {
	if (event.type === 'session-lost' && isEndedByPerson(state, event)) return null;
	return hearSuccessor(state, event, moment) ?? hearStandby(state, event, moment);
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
	if (event.type === 'session-lost' && isEndedByPerson(state, event)) {
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
			return heeding(event, stepLive(state, stage, event, moment));
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

/** What the service remarks comes with the answer to a task, so mostly before live (protocol 4.6). */
function heeding(event: Event, { state, effects }: Step): Step {
	if (event.type !== 'message' || event.message.type !== 'warning') return { state, effects };
	const { code, text } = event.message;
	if (code !== WARNING_CODE.voiceNotFound) return { state, effects };
	return { state, effects: [...effects, { do: 'notify', notice: { kind: 'service-warning', code, text } }] };
}

/** When a `tick` is due; null in the stages that wait for the person alone. */
export function dueMs(state: State): number | null {
	const due = stageDueMs(state);
	return due === null ? null : Math.min(due, standbyDueMs(state), successorDueMs(state));
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

/** Ended in the list of sessions, it is not to be opened again behind the person's back. */
function isEndedByPerson(state: State, { handle, problem }: Event & { type: 'session-lost' }): boolean {
	if (problem.kind !== 'session-lost' || problem.cause !== ENDED_BY_PERSON) return false;
	return [handleOf(state.stage), runOf(state.stage)?.givenUp, handleBeside(state)].includes(handle);
}

/** The session that is held, joined or not. */
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
