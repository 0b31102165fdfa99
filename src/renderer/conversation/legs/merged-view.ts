import {
	type ConversationPhase,
	type ConversationView,
	idleView,
	isOver,
} from '#renderer/conversation/conversation-store.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Problem } from '#shared/problem.ts';

export interface LegView {
	readonly leg: LegName;
	readonly view: ConversationView;
}

export interface Failure {
	readonly leg: LegName;
	readonly problem: Problem;
	readonly mode: Choices['mode'];
}

/**
 * `starting`: not all legs have been live yet. `together`: they have. `over`: stopped, failed to start, or never
 * started.
 */
export type Stage = 'starting' | 'together' | 'over';

/** The joint state of two legs. */
export interface Together {
	/** Most important first, for fields that can show only one of them. */
	readonly legs: readonly LegView[];
	/** With `over` no leg goes on running. */
	readonly stage: Stage;
	/** Why there is no conversation. */
	readonly failure: Failure | null;
	readonly change: ConversationView['change'];
}

/** The phase furthest from live comes first: that is what a person waits for. */
const WORST_FIRST: readonly ConversationPhase[] = [
	'preparing',
	'connecting',
	'starting',
	'reconnecting',
	'switching',
	'live',
];

/** One view of both, without notices. A leg that has failed while the other goes on is not in it. */
export function mergeViews({ legs, stage, failure, change }: Together): ConversationView {
	const [main] = legs;
	const muted = main?.view.muted ?? false;
	const active = legs.filter(({ view }) => !isOver(view));
	if (failure) {
		const { problem, leg: problemLeg, mode: problemMode } = failure;
		return { ...idleView, muted, phase: 'failed', problem, problemLeg, problemMode };
	}
	const [first] = active;
	if (!first) return { ...idleView, muted };
	if (stage === 'over') {
		return { ...idleView, muted, phase: 'ending', tail: active.some(({ view }) => view.tail) };
	}
	const views = active.map(({ view }) => view);
	const worst =
		WORST_FIRST.map((phase) => views.find((view) => view.phase === phase)).find((view) => view) ?? first.view;
	const latest = views.reduce((one, other) => ((other.delayMs ?? -1) > (one.delayMs ?? -1) ? other : one));
	const oldest = views.reduce((one, other) => (ageOf(other) < ageOf(one) ? other : one));
	return {
		phase: worst.phase,
		awaiting: worst.awaiting,
		recovering: worst.recovering,
		paused: views.every((view) => view.paused),
		muted,
		problem: null,
		notice: null,
		// A conversation of two is live once both are.
		liveSinceMs: stage === 'starting' ? null : oldest.liveSinceMs,
		interpretedMs: oldest.interpretedMs,
		countingSinceMs: oldest.countingSinceMs,
		travel: first.view.travel,
		change,
		delayMs: latest.delayMs,
		usualDelayMs: latest.usualDelayMs,
		voiceActive: views.some((view) => view.voiceActive),
		tail: false,
	};
}

/** Live first = smallest; not live yet = last. */
function ageOf({ liveSinceMs }: ConversationView): number {
	return liveSinceMs ?? Number.POSITIVE_INFINITY;
}
