import { opusDurationMs } from '#sandbox/speech/codec.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import type { CommandFault } from '#shared/protocol/decode-client-message.ts';

/** 20 ms Opus packets of one sentence in one language. */
export interface Speech {
	readonly transcriptionId: string;
	readonly partId: string;
	readonly packets: readonly Uint8Array[];
}

/** Connects the interpreter with its client: by the room's agent or a socket. */
export interface InterpreterTransport {
	/** Sends one JSON message, given as an object, to the client. */
	say(message: object): void;
	/** Publishes voice tracks for exactly these targets. */
	publish(languages: readonly string[]): void;
	/** Plays 20 ms Opus packets on a language's track; `done`: played or dropped. `drop` stops them. */
	speak(language: string, speech: Speech): { readonly done: Promise<void>; drop(): void };
	/** Length of the speech, ms, for transports whose packets are not all Opus. */
	lengthMs?(speech: Speech): number;
	/** The client requested `AS_HEARD`: it sends a file. */
	readonly asHeard?: boolean;
	/** Closes the client's connection: at the end of the task, or because no audio arrived. */
	end(why: 'done' | 'no-audio'): void;
}

/** One conversation. Its owner closes it when the client has left; then it sends nothing more. */
export interface Interpreter {
	/** Handles a raw message of the client, JSON text in UTF-8. */
	command(text: string | Uint8Array): void;
	/** Receives the level of the audio: linear RMS 0..1 over `durationMs`. Report silence too (level 0). */
	hear(level: number, durationMs: number): void;
	/** Receives the Opus packet itself, for echoing. */
	heardPacket?(payload: Uint8Array): void;
	/** The running task; null before it runs, while it is paused and at the end. */
	readonly task?: Task | null;
	close(): void;
}

/** What an engine gets from its conversation. */
export interface EnginePorts {
	readonly clock: Clock;
	newId(): string;
	task(): Task | null;
	/** Sends text and diagnostic messages through the task's filter. */
	say(message: object): void;
	readonly speaker: Speaker;
	/** The client sends a file, at the pace at which we report progress. */
	readonly asHeard: boolean;
}

/** Recognises, translates and speaks independently of the protocol: scripted or real. */
export interface Engine {
	/** The fault if a requirement of the task is missing; null = none. Absent = every task works. */
	lackOf?(task: Task): CommandFault | null;
	/** Resolves when the task may run. Absent = the task runs after the service's usual time. */
	prepare?(task: Task): Promise<void>;
	/** The task runs, or has changed. */
	applied?(task: Task): void;
	/** Receives the level of the audio: linear RMS 0..1 over `durationMs`. */
	hear(level: number, durationMs: number): void;
	packet(payload: Uint8Array): void;
	/** Confirms the open segment now, as silence would. */
	finish(): void;
	/** Drops the open segment and starts again: the next sound is a new sentence. */
	reset(): void;
	/** Drops unspoken sentences in these languages; null = all, and the open segment. */
	drop(languages: readonly string[] | null): void;
	/** Speaks a text of the client (`tts_task`); returns the id of its texts and audio. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** Whether nothing is in progress. */
	readonly idle: boolean;
	close(): void;
}

interface Entry {
	readonly lengthMs: number;
	/** Clock ms; null while it waits for the previous sentence. */
	startedAt: number | null;
	readonly drop: () => void;
}

/** Limits of waiting speech, ms (protocol 4.5, `translation_queue_configs`). */
interface QueueBounds {
	readonly desiredMs: number;
	readonly maxMs: number;
}

export type Speaker = ReturnType<typeof createSpeaker>;

/** Plays and queues sentences by language. `dropLateMs`: how long a dropped one goes on, 0 without faults. */
export function createSpeaker(parts: {
	clock: Clock;
	transport: InterpreterTransport;
	bounds: () => QueueBounds;
	dropLateMs: () => number;
}) {
	const { clock, transport, bounds, dropLateMs } = parts;
	const queues = new Map<string, Entry[]>();

	function left(entry: Entry): number {
		return entry.startedAt === null ? entry.lengthMs : entry.lengthMs - (clock.now() - entry.startedAt);
	}

	function level(queue: readonly Entry[]): number {
		return queue.reduce((sum, entry) => sum + Math.max(0, left(entry)), 0);
	}

	function remove(queue: Entry[], entry: Entry): void {
		const index = queue.indexOf(entry);
		if (index < 0) return;
		queue.splice(index, 1);
		const next = queue[0];
		if (next && next.startedAt === null) next.startedAt = clock.now();
	}

	/** When too much speech waits, drops the oldest sentences, but not the newest, to the desired level. */
	function trim(queue: Entry[]): void {
		const { desiredMs, maxMs } = bounds();
		if (level(queue) <= maxMs) return;
		while (queue.length > 1 && level(queue) > desiredMs) queue[0]?.drop();
	}

	return {
		/** Adds a sentence to its language's queue; does nothing without packets. */
		speak(language: string, speech: Speech): void {
			if (speech.packets.length === 0) return;
			const queue = queues.get(language) ?? [];
			queues.set(language, queue);
			const lengthMs = transport.lengthMs?.(speech) ?? opusMs(speech.packets);
			const playing = transport.speak(language, speech);
			const entry: Entry = {
				lengthMs,
				startedAt: queue.length === 0 ? clock.now() : null,
				drop() {
					remove(queue, entry);
					playing.drop();
				},
			};
			queue.push(entry);
			void playing.done.then(() => remove(queue, entry));
			trim(queue);
		},
		/** Stops these languages (null = all), or those of which they are the base, at once. */
		drop(languages: readonly string[] | null): void {
			for (const [language, queue] of queues) {
				if (languages && !languages.includes(language)) continue;
				const lateMs = dropLateMs();
				for (const entry of [...queue]) {
					if (lateMs > 0 && entry.startedAt !== null) clock.after(lateMs, entry.drop);
					else entry.drop();
				}
			}
		},
		/** Drops sentences that exceed the limits, which may have changed. */
		trim(): void {
			for (const queue of queues.values()) trim(queue);
		},
		/** Length of unspoken speech per language, ms; languages without any are omitted. */
		levels(): ReadonlyMap<string, number> {
			const all = [...queues].map(([language, queue]): [string, number] => [language, level(queue)]);
			return new Map(all.filter(([, ms]) => ms > 0));
		},
		get idle(): boolean {
			return [...queues.values()].every((queue) => queue.length === 0);
		},
	};
}

function opusMs(packets: readonly Uint8Array[]): number {
	return packets.reduce((sum, packet) => sum + (opusDurationMs(packet) || 20), 0);
}

/** Delays of each step (protocol 4.8). All in ms; pairs are ranges for a random value. */
export const TIMING = {
	/** `set_task` accepted → task running. */
	start: [500, 1500],
	/** Between partial texts, in audio time. */
	partial: 250,
	/** Segment end → final source text. */
	validated: 50,
	/** Final source text → its translation, per target. */
	translated: [200, 400],
	/** Translation → its speech. */
	speech: [300, 600],
	/** Segments longer than this are split when the splitter is on. */
	longest: 8000,
	queueLevel: 1000,
	/** `SERVICE_TIMEOUT` → connection closed. */
	closeAfterTimeout: 250,
	/** End of stream → connection closed. */
	closeAfterEnd: 500,
	/** Older generation: the longest tail after a plain `end_task`. */
	olderTail: 5000,
} as const satisfies Record<string, number | readonly [number, number]>;

/** A random value within a range; `random` gives [0, 1). */
export function draw(range: readonly [number, number], random: () => number): number {
	return range[0] + (range[1] - range[0]) * random();
}
