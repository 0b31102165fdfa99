import type { StoreApi } from 'zustand/vanilla';
import type { CaptionsView, Transcript } from '#renderer/captions/caption-view.ts';
import type { TypedText } from '#shared/captions/typed-texts.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { ConversationView } from './conversation-store.ts';

/** What the features use; built by the composition root (`createConversation` in controller.ts). */
export interface Conversation {
	readonly store: StoreApi<ConversationView>;
	readonly captions: CaptionsView;
	/** The user is setting up: have microphone permission, session and library at hand. Harmless to repeat. */
	warm(): void;
	start(choices: Choices): void;
	/** Microphone off at once, the tail is played, then everything is closed. A second call cuts the tail. */
	stop(): void;
	/** Everything off now. Resolves when the room is left and main has taken over the deletion. */
	stopNow(): Promise<void>;
	pause(): void;
	resume(): void;
	setMuted(muted: boolean): void;
	/** Gives the connection up for a new one; captions, history and clock go on. Only while live and not paused. */
	reconnect(): void;
	/** Drops what is queued so that the voice catches up with the speaker. */
	catchUp(): void;
	/**
	 * Has the interpreter speak a typed text; a caption row shows what becomes of it. Nothing happens unless the
	 * conversation is live and not paused (false), or for an empty text.
	 */
	say(typed: TypedText): boolean;
	/** Returns from the socket that took over to WebRTC. Does nothing if none did. */
	backToWebrtc(): void;
	/** Applies live, debounced to the service's limits; rolled back with a notice when refused. */
	change(choices: Choices): void;
	dismissNotice(): void;
	/** Ends everything; the window is going away. */
	close(): Promise<void>;
}

/** One direction of a conversation, which may run beside another. */
export interface LegConversation extends Conversation {
	/** `beside` absent: a conversation of its own. */
	start(choices: Choices, beside?: Beside): void;
}

export interface Beside {
	/** Zero of the conversation's clock. */
	readonly startedMs: number;
	/** The leg was already part of the conversation: its captions stay, and new ones follow them. */
	readonly again: boolean;
}

/** All directions as one, as the window shows them. */
export interface WholeConversation extends Conversation {
	/** Goes on with the conversation that failed, as `reconnect` does; starts one if it never was live. */
	tryAgain(choices: Choices): void;
	readonly captions: Transcript;
}
