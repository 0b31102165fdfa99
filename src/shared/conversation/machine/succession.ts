import { ENDED_BY_PERSON, dueMs as ofStages, step as stepStages } from '#shared/conversation/machine.ts';
import type { Event, Moment } from './events.ts';
import { after, type State, type Step } from './state.ts';
import {
	forgetSuccessor,
	handleBeside,
	hearSuccessor,
	keepSuccessor,
	successorDueMs,
	watchesPauses,
} from './successor.ts';

/** The machine extended by a second session that takes over from the one in use; loaded once a conversation is live. */
export interface Machine {
	readonly step: typeof stepStages;
	readonly dueMs: typeof ofStages;
}

/**
 * Like `step` of `machine.ts`, and may continue from its state at any time; without it a session is used to its end.
 */
export function step(state: State, event: Event, moment: Moment): Step {
	const known = forgetSuccessor(state, event);
	const heard = hear(known.state, event, moment);
	const next = after(known.effects, keepSuccessor(heard, event, moment));
	const on = watchesPauses(next.state);
	if (on === watchesPauses(state)) return next;
	return after(next.effects, { state: next.state, effects: [{ do: 'watch-pauses', on }] });
}

function hear(state: State, event: Event, moment: Moment): Step {
	// Whichever of the two a person ended must not be reopened behind their back.
	if (event.type === 'session-lost' && event.handle === handleBeside(state)) {
		const { problem } = event;
		const isByPerson = problem.kind === 'session-lost' && problem.cause === ENDED_BY_PERSON;
		if (isByPerson) return stepStages(state, { type: 'stop-now' }, moment);
	}
	return hearSuccessor(state, event, moment) ?? stepStages(state, event, moment);
}

/** When a `tick` is due; null in the stages that wait for the person alone. */
export function dueMs(state: State): number | null {
	const due = ofStages(state);
	return due === null ? null : Math.min(due, successorDueMs(state));
}
