import { enterLive } from './enter-live.ts';
import type { Event, Moment, Plan } from './events.ts';
import { beginLeg, dropLeg, feedLeg, type LegStep, legDueMs, stepLeg } from './leg.ts';
import { byWebsocket, connecting, fallsBack, worstOf } from './route.ts';
import { beginRun, fail, microphoneDueMs, observe, rest, stepMicrophone } from './run.ts';
import { after, type Opening, type Run, type State, type Step, to } from './state.ts';

/** The microphone beside session and room: neither waits for the other. */
export function beginOpening(state: State, plan: Plan, nowMs: number): Step {
	const microphoneId = state.serial + 1;
	const legId = state.serial + 2;
	const run = beginRun(plan, microphoneId, nowMs);
	const { leg, effects } = beginLeg(legId, nowMs, run);
	return to(
		{ ...state, serial: legId },
		{ name: 'opening', run, leg, renewals: 0 },
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
			return rest(state, ...dropLeg(stage.leg));
		case 'change':
			return to(state, { ...stage, run: replan(stage, event.plan) });
		default:
			break;
	}
	const heard = stepMicrophone(stage.run, event, nowMs);
	if (heard?.problem) return fail(state, heard.problem, ...dropLeg(stage.leg));
	const run = heard?.run ?? observe(stage.run, event, nowMs);
	const feed = heard?.opened ? feedLeg(stage.leg, 'microphone') : [];
	return after(feed, goOn(state, { ...stage, run }, stepLeg(stage.leg, event, nowMs, run), nowMs));
}

export function openingDueMs(stage: Opening): number {
	return Math.min(legDueMs(stage.leg, stage.run), microphoneDueMs(stage.run));
}

function goOn(state: State, stage: Opening, step: LegStep, nowMs: number): Step {
	switch (step.is) {
		case 'going':
			return to(state, { ...stage, run: connecting(stage.run, step.leg), leg: step.leg }, ...step.effects);
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
			const { leg, effects } = beginLeg(id, nowMs, run);
			const renewed = { ...stage, run: connecting(run, leg), leg, renewals: stage.renewals + 1 };
			return to({ ...state, serial: id }, renewed, ...step.effects, ...effects);
		}
	}
}

/** Before the task was sent a change replaces it; afterwards it waits for live. */
function replan({ run, leg }: Opening, plan: Plan): Run {
	return leg.at === 'task' ? { ...run, wanted: plan, change: 'waiting' } : { ...run, plan };
}
