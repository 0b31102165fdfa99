import type { Attempt, Reconnecting, Run, Stage, State } from '#shared/conversation/machine/state.ts';
import { runOf } from '#shared/conversation/machine.ts';
import type { Awaiting, ConversationPhase, ConversationView } from './conversation-store.ts';

/** The part of the view that follows from the machine's state alone. */
export type StateView = Omit<
	ConversationView,
	'notice' | 'delayMs' | 'usualDelayMs' | 'problemLeg' | 'problemMode' | 'noticeLeg'
>;

export function viewOf({ stage, muted }: State): StateView {
	const run = runOf(stage);
	return {
		phase: phaseOf(stage),
		awaiting: awaitingOf(stage),
		paused: run?.paused ?? false,
		muted,
		problem: stage.name === 'failed' ? stage.problem : null,
		liveSinceMs: run?.liveSinceMs ?? null,
		interpretedMs: run?.interpretedMs ?? 0,
		countingSinceMs: run?.countingSinceMs ?? null,
		recovering: stage.name === 'reconnecting' ? recoveringOf(stage) : null,
		travel: run && { route: run.route, fellBack: run.switched?.cause ?? null },
		change: run?.change ?? 'none',
		voiceActive: run?.voiceActive ?? false,
		tail: stage.name === 'ending',
	};
}

function phaseOf(stage: Stage): ConversationPhase {
	if (isSwitching(stage)) return 'switching';
	if (stage.name === 'resting') return 'live';
	if (stage.name !== 'opening') return stage.name;
	if (stage.run.microphone.is === 'opening') return 'preparing';
	switch (stage.attempt.at) {
		case 'session':
		case 'held':
		case 'joined':
			return 'preparing';
		case 'link':
			return 'connecting';
		case 'task':
			return 'starting';
	}
}

function isSwitching(stage: Stage): boolean {
	if (stage.name !== 'opening' && stage.name !== 'reconnecting') return false;
	return stage.run.switched?.done === false;
}

function awaitingOf(stage: Stage): Awaiting | null {
	if (stage.name === 'opening') return awaitedBy(stage.run, stage.attempt);
	if (stage.name !== 'reconnecting') return null;
	if (stage.how.by === 'joining') return awaitedBy(stage.run, stage.how.attempt);
	return stage.how.by === 'checking' ? 'interpreter' : 'room';
}

function awaitedBy({ microphone }: Run, attempt: Attempt): Awaiting {
	// A permission prompt may be open: the one thing a person can act on.
	if (microphone.is === 'opening') return 'microphone';
	if (attempt.at === 'session' || attempt.at === 'held') return 'session';
	if (attempt.at === 'link' || attempt.at === 'joined') return 'room';
	return attempt.confirmed ? 'first-packet' : 'interpreter';
}

function recoveringOf({ outage }: Reconnecting): NonNullable<ConversationView['recovering']> {
	return { sinceMs: outage.sinceMs, attempt: outage.tries, cause: outage.cause };
}

/** True: the view need not be updated. */
export function sameValue(one: unknown, other: unknown): boolean {
	return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}
