import type { Choices } from '#shared/conversation/choices.ts';
import type { Lack } from '#shared/conversation/less.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Task } from '#shared/protocol/task.ts';

/** What is asked of the interpreter: the choices a person made, and the task built from them. */
export interface Plan {
	readonly choices: Choices;
	/** For a room. */
	readonly task: Task;
	/** For a socket. */
	readonly socketTask: Task;
	/** How to travel first. */
	readonly route: Route;
	/** There is a socket to go on with when the room cannot be had. */
	readonly mayFallBack: boolean;
	/** What to ask for when the service refuses this; null = nothing less will do. */
	readonly without: Plan | null;
	/** What this one leaves out of the plan that was refused. */
	readonly lacks?: Lack;
}

/** How a conversation travels: by a room of a session, or by a socket without one. */
export type Route = 'webrtc' | 'websocket';

/** When something happened. `random` gives the jitter of one back-off, [0, 1). */
export interface Moment {
	readonly nowMs: number;
	readonly random: number;
}

/**
 * Everything that can happen to a conversation. Answers carry the `id` of the effect they answer, so
 * that a late one is known as late.
 */
export type Event =
	| { readonly type: 'start'; readonly plan: Plan }
	/** These choices cannot be interpreted. */
	| { readonly type: 'cannot-start'; readonly problem: Problem }
	/** The tail is heard first; a second one cuts it. */
	| { readonly type: 'stop' }
	| { readonly type: 'stop-now' }
	| { readonly type: 'pause' }
	| { readonly type: 'resume' }
	/** From the socket back to a room. */
	| { readonly type: 'go-back' }
	| { readonly type: 'set-muted'; readonly muted: boolean }
	| { readonly type: 'catch-up' }
	/** Typed instead of spoken; only while live and not paused. */
	| { readonly type: 'say'; readonly command: ClientMessage & { readonly message_type: 'tts_task' } }
	| { readonly type: 'change'; readonly plan: Plan }
	/** The changed choices cannot be interpreted; what is in force stays. */
	| { readonly type: 'cannot-change' }
	| { readonly type: 'microphone-opened'; readonly id: number }
	| { readonly type: 'microphone-failed'; readonly id: number; readonly problem: Problem }
	/** It stopped, and there is no other to take over. */
	| { readonly type: 'microphone-lost'; readonly problem: Problem }
	| { readonly type: 'session-opened'; readonly id: number; readonly handle: string }
	| { readonly type: 'session-failed'; readonly id: number; readonly problem: Problem }
	/** Main says that the session behind the handle is gone. */
	| { readonly type: 'session-lost'; readonly handle: string; readonly problem: Problem }
	/** Main says that the session cannot be kept: it ends by itself in so long, ms. Told again as long as it is so. */
	| { readonly type: 'session-expiring'; readonly handle: string; readonly leftMs: number }
	| { readonly type: 'link-opened'; readonly id: number }
	| { readonly type: 'link-failed'; readonly id: number; readonly problem: Problem }
	| { readonly type: 'link-up'; readonly id: number }
	| { readonly type: 'link-restoring'; readonly id: number; readonly cause: string }
	/** While it is restored: one more try was refused at once, so that nobody is there. */
	| { readonly type: 'link-refused'; readonly id: number }
	/** Its server wants to be left; until then everything flows. */
	| { readonly type: 'link-leaving'; readonly id: number }
	| { readonly type: 'link-down'; readonly id: number; readonly problem: Problem }
	| { readonly type: 'message'; readonly id: number; readonly message: ServerMessage }
	/** Counters since the link was opened. */
	| {
			readonly type: 'packets';
			readonly id: number;
			readonly sent: number;
			readonly received: number;
			/** To the path's own checks; absent where there are none to count. */
			readonly answers?: number | undefined;
			/** Only finished texts come through in time. */
			readonly onlyFinals?: boolean | undefined;
	  }
	/** A translated voice began or ceased to be audible. */
	| { readonly type: 'voice-active'; readonly active: boolean }
	/** Nothing has been said for so long, ms; only while `watch-pauses` is on. */
	| { readonly type: 'quiet'; readonly ms: number }
	/** The operating system says that there is a network again. */
	| { readonly type: 'network-back' }
	| { readonly type: 'suspend' }
	| { readonly type: 'woke'; readonly sleptMs: number }
	/** Time has passed; due when `dueMs(state)` says so. */
	| { readonly type: 'tick' };

/** What is to be done. The runner performs them in order and decides nothing. */
export type Effect =
	| { readonly do: 'open-microphone'; readonly id: number }
	/** At once, synchronously. */
	| { readonly do: 'close-microphone' }
	| { readonly do: 'mute-microphone'; readonly muted: boolean }
	| { readonly do: 'open-session'; readonly id: number }
	/** Hands the session to main for deletion, whatever happens to us. */
	| { readonly do: 'close-session'; readonly handle: string }
	| { readonly do: 'report-joined'; readonly handle: string }
	/**
	 * Joins the room of session `id`, or opens a socket once every session is deleted, with the microphone's
	 * track, or with nothing until it is fed. `keepSpeech`: what is said from now on is kept until the task runs (a socket only).
	 */
	| {
			readonly do: 'open-link';
			readonly id: number;
			readonly route: Route;
			readonly audio: 'microphone' | 'silence' | 'nothing';
			readonly keepSpeech: boolean;
	  }
	/** Silence is sent like speech, and heard; of nothing the room hears nothing. */
	| { readonly do: 'feed-link'; readonly id: number; readonly audio: 'microphone' | 'silence' | 'nothing' }
	| { readonly do: 'close-link'; readonly id: number }
	/** What was opened beside the link in use is not needed: nothing of it was heard. */
	| { readonly do: 'close-standby'; readonly id: number }
	/** It is the link from now on, in place of the one just closed. */
	| { readonly do: 'take-over'; readonly id: number }
	/** It is the link from now on; the one before it is heard until `leave-link`. */
	| { readonly do: 'hand-over'; readonly from: number; readonly to: number }
	/** Nothing more will come of the link that another took over from. */
	| { readonly do: 'leave-link'; readonly id: number }
	/** Whether pauses of the speaker are told (`quiet`). */
	| { readonly do: 'watch-pauses'; readonly on: boolean }
	| { readonly do: 'send'; readonly id: number; readonly command: ClientMessage }
	/** Nothing of the queued voice is heard any more; later phrases are. */
	| { readonly do: 'skip-voice' }
	| { readonly do: 'notify'; readonly notice: MachineNotice };

/** What to say beside a running conversation. */
export type MachineNotice =
	| { readonly kind: 'problem'; readonly problem: Problem }
	/** The service took the plan only without what its `without` leaves out. */
	| { readonly kind: 'asked-without'; readonly plan: Plan }
	| { readonly kind: 'was-asleep'; readonly forMs: number }
	| { readonly kind: 'service-warning'; readonly code: string; readonly text: string };
