import {
	type AttemptStep,
	attemptDueMs,
	beginAttempt,
	dropAttempt,
	feedAttempt,
	stepAttempt,
} from './attempt.ts';
import { enterLive } from './enter-live.ts';
import type { Event, Moment, Plan } from './events.ts';
import { byWebsocket, connecting, fallsBack, worstOf } from './route.ts';
import { beginRun, fail, microphoneDueMs, observe, rest, stepMicrophone, withPlan } from './run.ts';
import { after, type Opening, type Run, type State, type Step, to } from './state.ts';

/** Opens the microphone alongside session and room: neither waits for the other. */
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

/** Before the task was sent a change replaces it; after that the change waits for live. */
function replan({ run, attempt }: Opening, plan: Plan): Run {
	return attempt.at === 'task' ? { ...run, wanted: plan, change: 'waiting' } : { ...run, plan };
}
