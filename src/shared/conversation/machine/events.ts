import type { Choices, Lack } from '#shared/conversation/choices.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/** The request to the interpreter: a person's choices, and the task built from them. */
export interface Plan {
	readonly choices: Choices;
	/** The task for a room. */
	readonly task: Task;
	/** The task for a socket. */
	readonly socketTask: Task;
	/** The route to try first. */
	readonly route: Route;
	/** There is a socket to fall back to if the room cannot be reached. */
	readonly mayFallBack: boolean;
	/** True if this computer interprets. */
	readonly isHere?: boolean;
	/** The plan to try when the service refuses this one; null = no feature can be omitted. */
	readonly without: Plan | null;
	/** The feature of the refused plan that this plan omits. */
	readonly lacks?: Lack;
}

/** How a conversation is connected: by the room of a session, or by a socket without one. */
export type Route = 'webrtc' | 'websocket';

/** When an event happened. `random` is the jitter of one back-off, [0, 1). */
export interface Moment {
	readonly nowMs: number;
	readonly random: number;
}

/** Everything that can happen to a conversation. Answers carry the `id` of their effect. */
export type Event =
	/** `again`: restarts the failed conversation, which resumes if it was ever live. */
	| { readonly type: 'start'; readonly plan: Plan; readonly again?: boolean }
	/** These choices cannot be interpreted. */
	| { readonly type: 'cannot-start'; readonly problem: Problem }
	/** The rest of the translation is played first; a second stop cuts it off. */
	| { readonly type: 'stop' }
	| { readonly type: 'stop-now' }
	| { readonly type: 'pause' }
	| { readonly type: 'resume' }
	/** Returns from the socket to a room. */
	| { readonly type: 'go-back' }
	| { readonly type: 'set-muted'; readonly muted: boolean }
	| { readonly type: 'catch-up' }
	/** The person abandons the connection: a new one replaces it. */
	| { readonly type: 'reconnect' }
	/** A typed text to be spoken; only while live and not paused. */
	| { readonly type: 'say'; readonly command: ClientMessage & { readonly message_type: 'tts_task' } }
	| { readonly type: 'change'; readonly plan: Plan }
	/** The changed choices cannot be interpreted; keep the current ones. */
	| { readonly type: 'cannot-change' }
	| { readonly type: 'microphone-opened'; readonly id: number }
	| { readonly type: 'microphone-failed'; readonly id: number; readonly problem: Problem }
	/** The microphone stopped, and no other can take over. */
	| { readonly type: 'microphone-lost'; readonly problem: Problem }
	| { readonly type: 'session-opened'; readonly id: number; readonly handle: string }
	| { readonly type: 'session-failed'; readonly id: number; readonly problem: Problem }
	/** Main reports that the session with this handle has ended. */
	| { readonly type: 'session-lost'; readonly handle: string; readonly problem: Problem }
	/** Main cannot extend the session, which expires in `leftMs`. Repeated until it ends. */
	| { readonly type: 'session-expiring'; readonly handle: string; readonly leftMs: number }
	| { readonly type: 'link-opened'; readonly id: number }
	| { readonly type: 'link-failed'; readonly id: number; readonly problem: Problem }
	| { readonly type: 'link-up'; readonly id: number }
	| { readonly type: 'link-restoring'; readonly id: number; readonly cause: string }
	/** During a reconnection: another attempt was refused at once, so no server is running there. */
	| { readonly type: 'link-refused'; readonly id: number }
	/** The server asks its clients to leave; until then it works as usual. */
	| { readonly type: 'link-leaving'; readonly id: number }
	| { readonly type: 'link-down'; readonly id: number; readonly problem: Problem }
	| { readonly type: 'message'; readonly id: number; readonly message: ServerMessage }
	/** Counters since the link was opened. */
	| {
			readonly type: 'packets';
			readonly id: number;
			readonly sent: number;
			readonly received: number;
			/** Answers to the path's own checks; absent if the path has none. */
			readonly answers?: number | undefined;
			/** The connection is too slow for partial texts: only final texts arrive in time. */
			readonly onlyFinals?: boolean | undefined;
	  }
	| { readonly type: 'voice-active'; readonly active: boolean }
	/** The speaker has been silent for this long, ms; only while `watch-pauses` is on. */
	| { readonly type: 'quiet'; readonly ms: number }
	/** The operating system reports a network again. */
	| { readonly type: 'network-back' }
	| { readonly type: 'suspend' }
	| { readonly type: 'woke'; readonly sleptMs: number }
	/** Time has passed; due at `dueMs(state)`. */
	| { readonly type: 'tick' };

/** Effects of a step. The runner performs them in order and makes no decisions of its own. */
export type Effect =
	| { readonly do: 'open-microphone'; readonly id: number }
	/** Performed at once, synchronously. */
	| { readonly do: 'close-microphone' }
	| { readonly do: 'mute-microphone'; readonly muted: boolean }
	| { readonly do: 'open-session'; readonly id: number }
	/** Hands the session to main for deletion, even if the window closes or crashes. */
	| { readonly do: 'close-session'; readonly handle: string }
	| { readonly do: 'report-joined'; readonly handle: string }
	/**
	 * Joins the room of session `id`, or opens a socket once every session is deleted. The link gets the
	 * microphone's track, or nothing until it is fed. `keepSpeech`: speech is buffered from now on until the
	 * task runs (a socket only).
	 */
	| {
			readonly do: 'open-link';
			readonly id: number;
			readonly route: Route;
			readonly audio: 'microphone' | 'silence' | 'nothing';
			readonly keepSpeech: boolean;
	  }
	/** `silence` is sent and processed like speech; with `nothing` the room receives no audio. */
	| { readonly do: 'feed-link'; readonly id: number; readonly audio: 'microphone' | 'silence' | 'nothing' }
	| { readonly do: 'close-link'; readonly id: number }
	/** Closes the link that was opened beside the one in use; none of its output was played. */
	| { readonly do: 'close-standby'; readonly id: number }
	/** This link replaces the one that was just closed. */
	| { readonly do: 'take-over'; readonly id: number }
	/** `to` replaces `from`; the output of `from` is still played until `leave-link`. */
	| { readonly do: 'hand-over'; readonly from: number; readonly to: number }
	/** The link that was replaced has nothing more to deliver. */
	| { readonly do: 'leave-link'; readonly id: number }
	/** Turns reports of the speaker's pauses (`quiet`) on or off. */
	| { readonly do: 'watch-pauses'; readonly on: boolean }
	| { readonly do: 'send'; readonly id: number; readonly command: ClientMessage }
	/** Drops the queued voice; later phrases are played. */
	| { readonly do: 'skip-voice' }
	| { readonly do: 'notify'; readonly notice: MachineNotice };

/** Notices shown while a conversation continues. */
export type MachineNotice =
	| { readonly kind: 'problem'; readonly problem: Problem }
	/** The service accepted only the reduced plan (`without`). */
	| { readonly kind: 'asked-without'; readonly plan: Plan }
	/** After sleep, the conversation waits for the user. */
	| { readonly kind: 'was-asleep'; readonly forMs: number }
	/** The service's newest warning (`VOICE_NOT_FOUND`, pacing). `times`: how often, if more than once. */
	| {
			readonly kind: 'service-warning';
			readonly code: string;
			readonly text: string;
			readonly times?: number;
	  };
