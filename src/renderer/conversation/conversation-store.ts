import type { Choices } from '#shared/conversation/choices.ts';
import type { Plan } from '#shared/conversation/machine/events.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Problem } from '#shared/problem.ts';

/** What a person sees of the conversation. Written by the controller alone; views only read. */
export interface ConversationView {
	readonly phase: ConversationPhase;
	/** While starting: what is awaited, for the words on screen. */
	readonly awaiting: Awaiting | null;
	readonly paused: boolean;
	readonly muted: boolean;
	/** Why the conversation failed, or why Start cannot go on; null when all is well. */
	readonly problem: Problem | null;
	/** Which leg has the problem, where there are two. */
	readonly problemLeg?: LegName | undefined;
	/** The mode it was started in. */
	readonly problemMode?: Choices['mode'] | undefined;
	/** A non-fatal notice beside a running conversation (silent microphone, refused change). */
	readonly notice: Notice | null;
	readonly noticeLeg?: LegName | undefined;
	/** Monotonic ms at which the conversation became live first; null before. */
	readonly liveSinceMs: number | null;
	/** Interpreted time so far, ms, pauses left out, up to `countingSinceMs`; see `interpretedAt`. */
	readonly interpretedMs: number;
	/** Monotonic ms from which on it is interpreting; null while it is not. */
	readonly countingSinceMs: number | null;
	readonly recovering: { readonly sinceMs: number; readonly attempt: number; readonly cause: string } | null;
	/** The route in use while it runs; after a fallback also the reason. */
	readonly travel: {
		readonly route: 'webrtc' | 'websocket';
		/** A socket took over because of this. */
		readonly fellBack: Problem | null;
	} | null;
	/** State of the last change of language, voice or target. */
	readonly change: 'none' | 'waiting' | 'applied' | 'refused';
	/** Mouth-to-ear delay, ms, smoothed; null while unknown. */
	readonly delayMs: number | null;
	/** Its median over the latest phrases of this conversation, ms; null until there are enough. */
	readonly usualDelayMs: number | null;
	/** True while a translated voice is audible ("wait" cue, ducking). */
	readonly voiceActive: boolean;
	/** Ending: the tail of the translation is still being heard. */
	readonly tail: boolean;
}

/** Nothing runs, and no last words are being heard. */
export function isOver({ phase }: Pick<ConversationView, 'phase'>): boolean {
	return phase === 'idle' || phase === 'failed';
}

/** Interpreted time at a monotonic time, ms: what is billed. */
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
	/** From WebRTC to a socket. */
	| 'switching'
	| 'reconnecting'
	| 'ending'
	| 'failed';

export type Awaiting = 'microphone' | 'session' | 'room' | 'interpreter' | 'first-packet';

export type Notice =
	| { readonly kind: 'problem'; readonly problem: Problem }
	/** Nothing heard from this microphone although unmuted. */
	| { readonly kind: 'silent-microphone'; readonly device: string }
	/** Speaking while muted. */
	| { readonly kind: 'you-are-muted' }
	/** The microphone vanished and another took over. */
	| { readonly kind: 'microphone-switched'; readonly from: string; readonly to: string }
	/** This much speech will never be translated. */
	| { readonly kind: 'speech-lost'; readonly ms: number }
	/** Why speech from while the connection was away could not be sent afterwards. */
	| { readonly kind: 'output-switched'; readonly from: string; readonly to: string }
	/** The service cannot take the voice from the speaker: a fixed one speaks. */
	| { readonly kind: 'asked-without'; readonly plan: Plan }
	/** After sleep the conversation waits for the user. */
	| { readonly kind: 'was-asleep'; readonly forMs: number }
	/** The service said something that is not an error (`VOICE_NOT_FOUND`, pacing). */
	| {
			readonly kind: 'service-warning';
			readonly code: string;
			/** The newest of them. */
			readonly text: string;
			/** How often it came, when more than once. */
			readonly times?: number;
	  };

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
