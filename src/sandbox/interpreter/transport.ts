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

/** The carrier of the interpreter: the room's agent or a socket. */
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
	/** Takes the heard level: linear RMS 0..1 over `durationMs`. Report silence too (level 0). */
	hear(level: number, durationMs: number): void;
	/** The Opus packet itself, for echoing. */
	heardPacket?(payload: Uint8Array): void;
	/** The running task; null before it runs, while paused and at the end. */
	readonly task?: Task | null;
	close(): void;
}

/** The dependencies of an engine, from its conversation. */
export interface EnginePorts {
	readonly clock: Clock;
	newId(): string;
	/** The running task, or null. */
	task(): Task | null;
	/** Text and diagnostic messages go through the task's filter there. */
	say(message: object): void;
	readonly speaker: Speaker;
	/** The client sends a file, at the pace of our reports that it was processed. */
	readonly asHeard: boolean;
}

/** Recognises, translates and speaks behind the protocol: by a script, or really. */
export interface Engine {
	/** The fault if something that the task needs is missing; null = none. Absent = every task works. */
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
	/** Whether nothing is under way. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** Whether nothing is under way. */
	readonly idle: boolean;
	close(): void;
}

/** Plays the present speech and queues further speech, per language. */
export interface Speaker {
	/** Puts a sentence at the end of its language's queue; without packets nothing happens. */
	speak(language: string, speech: Speech): void;
	/** Cuts these languages (null = all), or those they are the base of, at once. */
	drop(languages: readonly string[] | null): void;
	/** The limits may have changed: drops what exceeds them. */
	trim(): void;
	/** Unspoken ms per language; languages without any are left out. */
	levels(): ReadonlyMap<string, number>;
	readonly idle: boolean;
}

interface Entry {
	readonly lengthMs: number;
	/** Clock ms; null while it waits for the one before. */
	startedAt: number | null;
	readonly drop: () => void;
}

/** How much may wait, ms (protocol 4.5, `translation_queue_configs`). */
interface QueueBounds {
	readonly desiredMs: number;
	readonly maxMs: number;
}

/** `dropLateMs` is by how much a dropped sentence speaks on: 0 unless the service misbehaves. */
export function createSpeaker(parts: {
	clock: Clock;
	transport: InterpreterTransport;
	bounds: () => QueueBounds;
	dropLateMs: () => number;
}): Speaker {
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

	/** Above the maximum that may wait, drops the oldest sentences but the newest, down towards the desired level. */
	function trim(queue: Entry[]): void {
		const { desiredMs, maxMs } = bounds();
		if (level(queue) <= maxMs) return;
		while (queue.length > 1 && level(queue) > desiredMs) queue[0]?.drop();
	}

	return {
		speak(language, speech) {
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
		drop(languages) {
			for (const [language, queue] of queues) {
				if (languages && !languages.includes(language)) continue;
				const lateMs = dropLateMs();
				for (const entry of [...queue]) {
					if (lateMs > 0 && entry.startedAt !== null) clock.after(lateMs, entry.drop);
					else entry.drop();
				}
			}
		},
		trim() {
			for (const queue of queues.values()) trim(queue);
		},
		levels() {
			const all = [...queues].map(([language, queue]): [string, number] => [language, level(queue)]);
			return new Map(all.filter(([, ms]) => ms > 0));
		},
		get idle() {
			return [...queues.values()].every((queue) => queue.length === 0);
		},
	};
}

function opusMs(packets: readonly Uint8Array[]): number {
	return packets.reduce((sum, packet) => sum + (opusDurationMs(packet) || 20), 0);
}

/** When what happens (protocol 4.8). All in ms; pairs are ranges to draw from. */
export const TIMING = {
	/** `set_task` accepted → task running. */
	start: [500, 1500],
	/** Between partial texts, in heard time. */
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

/** A moment within a range; `random` gives [0, 1). */
export function draw(range: readonly [number, number], random: () => number): number {
	return range[0] + (range[1] - range[0]) * random();
}
