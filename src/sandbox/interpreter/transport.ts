import type { Clock } from '#shared/lib/clock.ts';
import type { CommandFault } from '#shared/protocol/decode-client-message.ts';
import type { Task } from '#shared/protocol/task.ts';
import type { Speaker } from './speaker.ts';

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
	/** The client asked for `AS_HEARD`: it sends a file. */
	readonly asHeard?: boolean;
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

/** What an engine is given by the conversation around it. */
export interface EnginePorts {
	readonly clock: Clock;
	newId(): string;
	/** The task at work, or null. */
	task(): Task | null;
	/** Text and diagnostic messages go through the task's filter there. */
	say(message: object): void;
	readonly speaker: Speaker;
	/** The client sends a file, as fast as it is told that it was heard. */
	readonly asHeard: boolean;
}

/** What hears, translates and speaks behind the protocol: by a script, or really. */
export interface Engine {
	/** What this task needs and is not there; null = it can be done. Absent = every task can. */
	lackOf?(task: Task): CommandFault | null;
	/** Resolves when the task may run. Absent = after the service's usual time. */
	prepare?(task: Task): Promise<void>;
	/** The task runs, or runs with changes. */
	applied?(task: Task): void;
	/** Linear RMS 0..1 over `durationMs`. */
	hear(level: number, durationMs: number): void;
	packet(payload: Uint8Array): void;
	/** Confirms the open segment now, as silence would. */
	finish(): void;
	/** Forgets the open segment and starts afresh: the next sound is a new sentence. */
	reset(): void;
	/** Drops what is not said yet in these languages; null = all, and what is being heard. */
	drop(languages: readonly string[] | null): void;
	/** Speaks a text of the client's (`tts_task`); the id its texts and audio have. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** Whether nothing is under way. */
	readonly idle: boolean;
	close(): void;
}
