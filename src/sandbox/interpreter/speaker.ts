import { opusDurationMs } from '#sandbox/speech/opus.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { InterpreterTransport, Speech } from './transport.ts';

/** What is being spoken and what waits to be, per language. */
export interface Speaker {
	/** Puts a sentence at the end of its language's queue; without packets nothing happens. */
	speak(language: string, speech: Speech): void;
	/** Cuts these languages (null = all), or those they are the base of, at once. */
	drop(languages: readonly string[] | null): void;
	/** The bounds may be other ones: drops what is too much by them. */
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
export interface QueueBounds {
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
