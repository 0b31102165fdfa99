import type { Task } from '#shared/protocol/task.ts';

/** 20 ms Opus packets of one sentence in one language. */
export interface Speech {
	readonly transcriptionId: string;
	readonly partId: string;
	readonly packets: readonly Uint8Array[];
}

/** What the interpreter needs of its carrier: the room's agent or a socket. */
export interface InterpreterTransport {
	/** One JSON message to the client, as an object. */
	say(message: object): void;
	/** Makes voice tracks exist for exactly these targets. */
	publish(languages: readonly string[]): void;
	/**
	 * Plays 20 ms Opus packets in real time on that language's track, after what is playing there;
	 * `done` resolves when played or dropped. `drop` stops it at once.
	 */
	speak(language: string, speech: Speech): { readonly done: Promise<void>; drop(): void };
	/** How long that speech is, ms, where packets are not all Opus. */
	lengthMs?(speech: Speech): number;
	/** Closes the client's connection: at the end of the task, or because no audio came. */
	end(why: 'done' | 'no-audio'): void;
}

/** One conversation. Its owner closes it when the client is gone; after that it is silent. */
export interface Interpreter {
	/** A raw message of the client, JSON text in UTF-8. */
	command(text: string | Uint8Array): void;
	/** What was heard: linear RMS 0..1 over `durationMs`. Silence must be reported too (level 0). */
	hear(level: number, durationMs: number): void;
	/** The Opus packet itself, for echoing. */
	heardPacket?(payload: Uint8Array): void;
	/** The task at work; null before it runs, while paused and at the end. */
	readonly task?: Task | null;
	close(): void;
}
