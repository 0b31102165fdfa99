import type { StoreApi } from 'zustand/vanilla';
import type { CaptionsView, Transcript } from '#renderer/captions/caption-view.ts';
import type { TypedText } from '#shared/captions/typed-texts.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { MachineNotice } from '#shared/conversation/machine/events.ts';
import type { Attempt, Reconnecting, Run, Stage, State } from '#shared/conversation/machine/state.ts';
import { runOf } from '#shared/conversation/machine.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Problem } from '#shared/problem.ts';

/** The interface for the features. `createConversation` in controller.ts implements it. */
export interface Conversation {
	readonly store: StoreApi<ConversationView>;
	readonly captions: CaptionsView;
	/** Prepares microphone permission, session and library while the user is setting up. Harmless to repeat. */
	prepare(): void;
	start(choices: Choices): void;
	/** Turns the microphone off at once, plays the tail, then closes everything. A second call cuts the tail. */
	stop(): void;
	/** Ends everything now. Resolves when the room is left and main has taken over the deletion. */
	stopNow(): Promise<void>;
	pause(): void;
	resume(): void;
	setMuted(muted: boolean): void;
	/** Replaces the connection; captions, history and clock continue. Works only while live and not paused. */
	reconnect(): void;
	/** Drops the queued speech so that the voice catches up with the speaker. */
	catchUp(): void;
	/** Speaks a typed text. Returns false, and does nothing, unless live and not paused, or if it is empty. */
	say(typed: TypedText): boolean;
	/** Returns to WebRTC from the socket that took over. Does nothing if no socket did. */
	backToWebrtc(): void;
	/** Applies the choices live, debounced to the service's limits; rolls them back with a notice when refused. */
	change(choices: Choices): void;
	dismissNotice(): void;
	/** Ends everything; the window is going away. */
	close(): Promise<void>;
}

/** One direction of a conversation, which may run beside another. */
export interface LegConversation extends Conversation {
	/** Without `beside`, starts a separate conversation. */
	start(choices: Choices, beside?: Beside): void;
}

interface Beside {
	/** Zero of the conversation's clock. */
	readonly startedMs: number;
	/** True if the direction was already part of the conversation: its captions remain, and new ones follow them. */
	readonly again: boolean;
}

/** All directions as one, as the window shows them. */
export interface WholeConversation extends Conversation {
	/** Continues a conversation that failed or was stopped to continue elsewhere; else starts a new one. */
	tryAgain(choices: Choices, isMoved?: boolean): void;
	readonly captions: Transcript;
}

/** The visible state of the conversation. Only the controller writes it; views read it. */
export interface ConversationView {
	readonly phase: ConversationPhase;
	/** While starting: the awaited step, for the text on screen. */
	readonly awaiting: Awaiting | null;
	readonly paused: boolean;
	readonly muted: boolean;
	/** Why the conversation failed, or why Start cannot continue; null without a problem. */
	readonly problem: Problem | null;
	readonly problemLeg?: LegName | undefined;
	/** The mode of the conversation that has the problem. */
	readonly problemMode?: Choices['mode'] | undefined;
	/** A non-fatal notice beside a running conversation (silent microphone, refused change). */
	readonly notice: Notice | null;
	readonly noticeLeg?: LegName | undefined;
	/** Monotonic ms at which the conversation first became live; null before. */
	readonly liveSinceMs: number | null;
	/** Interpreted time so far, ms, without pauses, up to `countingSinceMs`; see `interpretedAt`. */
	readonly interpretedMs: number;
	/** Monotonic ms since which the conversation is interpreting; null while it is not. */
	readonly countingSinceMs: number | null;
	readonly recovering: { readonly sinceMs: number; readonly attempt: number; readonly cause: string } | null;
	/** The route in use while the conversation runs; after a fallback also the reason. */
	readonly travel: {
		readonly route: 'webrtc' | 'websocket';
		/** The problem because of which a socket took over. */
		readonly fellBack: Problem | null;
	} | null;
	/** State of the last change of language, voice or target. */
	readonly change: 'none' | 'waiting' | 'applied' | 'refused';
	/** Mouth-to-ear delay, ms, smoothed; null while unknown. */
	readonly delayMs: number | null;
	/** Median delay over the latest phrases of this conversation, ms; null until there are enough. */
	readonly usualDelayMs: number | null;
	/** True while a translated voice is audible ("wait" cue, ducking). */
	readonly voiceActive: boolean;
	/** True while ending, if the tail of the translation is still being heard. */
	readonly tail: boolean;
}

/** True if nothing runs and no last words are being heard. */
export function isOver({ phase }: Pick<ConversationView, 'phase'>): boolean {
	return phase === 'idle' || phase === 'failed';
}

/** Interpreted (billed) time at a monotonic time, ms. */
export function interpretedAt(
	{ interpretedMs, countingSinceMs }: Pick<ConversationView, 'interpretedMs' | 'countingSinceMs'>,
	nowMs: number,
): number {
	return interpretedMs + (countingSinceMs === null ? 0 : Math.max(0, nowMs - countingSinceMs));
}

export type ConversationPhase =
	| 'idle'
	| 'preparing'
	| 'connecting'
	| 'starting'
	| 'live'
	/** Switching from WebRTC to a socket. */
	| 'switching'
	| 'reconnecting'
	| 'ending'
	| 'failed';

type Awaiting = 'microphone' | 'session' | 'room' | 'interpreter' | 'first-packet';

export type Notice =
	| MachineNotice
	/** This microphone delivers no sound although it is unmuted. */
	| { readonly kind: 'silent-microphone'; readonly device: string }
	| { readonly kind: 'you-are-muted' }
	/** The microphone vanished and another took over. */
	| { readonly kind: 'microphone-switched'; readonly from: string; readonly to: string }
	/** This much speech will never be translated. */
	| { readonly kind: 'speech-lost'; readonly ms: number }
	/** The loudspeaker vanished and another took over, or the chosen one came back. */
	| { readonly kind: 'output-switched'; readonly from: string; readonly to: string };

export const idleView: ConversationView = {
	phase: 'idle',
	awaiting: null,
	paused: false,
	muted: false,
	problem: null,
	notice: null,
	liveSinceMs: null,
	interpretedMs: 0,
	countingSinceMs: null,
	recovering: null,
	travel: null,
	change: 'none',
	delayMs: null,
	usualDelayMs: null,
	voiceActive: false,
	tail: false,
};

/** The part of the view that follows from the machine's state alone. */
type StateView = Omit<
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
	// A permission prompt may be open, which only the user can answer.
	if (microphone.is === 'opening') return 'microphone';
	if (attempt.at === 'session' || attempt.at === 'held') return 'session';
	if (attempt.at === 'link' || attempt.at === 'joined') return 'room';
	return attempt.confirmed ? 'first-packet' : 'interpreter';
}

function recoveringOf({ outage }: Reconnecting): NonNullable<ConversationView['recovering']> {
	return { sinceMs: outage.sinceMs, attempt: outage.tries, cause: outage.cause };
}

/** True if the view need not be updated. */
export function sameValue(one: unknown, other: unknown): boolean {
	return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/** Shows a message that the service repeats as one notice with a count. */
export function sameAgain(before: Notice | null, next: Notice): Notice {
	if (next.kind !== 'service-warning' || before?.kind !== 'service-warning') return next;
	return before.code === next.code ? { ...next, times: (before.times ?? 1) + 1 } : next;
}

/** True if the notice reports that the interpreter has not answered yet. */
export function isSilence(notice: Notice | null): boolean {
	return notice?.kind === 'problem' && notice.problem.kind === 'interpreter-silent';
}

export type NoticeSlot = ReturnType<typeof createNoticeSlot>;

/** The one notice beside a running conversation. `changed`: show it at once. */
export function createNoticeSlot(changed: () => void) {
	let notice: Notice | null = null;
	return {
		now: (): Notice | null => notice,
		/** Takes effect with the next change of the view. */
		set(next: Notice | null): void {
			notice = next;
		},
		/** Shows the notice at once. */
		say(next: Notice): void {
			notice = next;
			changed();
		},
		/** Removes the notice if it is of this kind. */
		withdraw(kind: Notice['kind']): void {
			if (notice?.kind === kind) notice = null;
		},
	};
}
