import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import type { Task } from '#shared/protocol/task.ts';
import { bytesToS16 } from '#shared/sound/s16le.ts';

/** One inflated message is never larger (faults 76). */
const INFLATED_BYTES = 4 * 1024 * 1024;

/** The samples of one message's bytes; `null` when they cannot be any. Never throws. */
export type ReadSamples = (payload: Uint8Array | null) => Int16Array<ArrayBuffer> | null;

/** Reads the format that the task asked for: plain, or each message one zlib stream (protocol 5.1.3). */
export function samplesReader(task: Task | null): ReadSamples {
	const isPacked = task?.output_stream?.target.format === 'zlib_pcm_s16le';
	return (payload) => {
		if (payload === null || payload.length === 0) return payload && new Int16Array(0);
		const bytes = isPacked ? inflate(payload) : payload;
		return bytes && bytesToS16(bytes);
	};
}

function inflate(packed: Uint8Array): Uint8Array | null {
	try {
		return inflateSync(packed, { maxOutputLength: INFLATED_BYTES });
	} catch {
		return null;
	}
}

/** What replaces an unreadable piece: silence as long as pieces are (protocol 5.1.3). */
export function missingPiece(): Int16Array<ArrayBuffer> {
	return new Int16Array((SOCKET_AUDIO.sampleRateHz * SOCKET_AUDIO.outputChunkMs) / 1000);
}

/** A piece says which sentence it belongs to, but carries no number (protocol 5.1.3). */
interface PiecePlace {
	readonly transcriptionId: string;
	readonly partId: string;
	readonly language: string;
}

/** Finds pieces that come twice: only their sound tells (faults 75). */
export interface HeardPieces {
	/** True when exactly this sound was among the last few pieces of its part. Silence may repeat itself. */
	isRepeated(place: PiecePlace, samples: Int16Array): boolean;
	clear(): void;
}

/** How many pieces of a part to look back at. */
const LOOKED_BACK = 8;
/** Below -50 dB of full scale nothing can be told apart. */
const QUIET = 100;

export function createHeardPieces(): HeardPieces {
	const heard = new Map<string, readonly string[]>();
	return {
		isRepeated({ transcriptionId, partId, language }, samples) {
			if (samples.every((sample) => Math.abs(sample) <= QUIET)) return false;
			const part = JSON.stringify([transcriptionId, partId, language]);
			const print = hash('sha1', samples);
			const before = heard.get(part) ?? [];
			if (before.includes(print)) return true;
			heard.delete(part);
			heard.set(part, [...before, print].slice(-LOOKED_BACK));
			const oldest = heard.keys().next().value;
			if (heard.size > REMEMBERED && oldest !== undefined) heard.delete(oldest);
			return false;
		},
		clear: () => heard.clear(),
	};
}

/** More sentences than are under way at any time. */
const REMEMBERED = 256;

/** Which sentences were dropped on purpose, so that what still comes of them is not heard (protocol 9.2). */
export interface DroppedPhrases {
	/** A text or sound of a sentence came. */
	met(id: string): void;
	/** Everything met so far is dropped, in these languages; null = in all. */
	drop(languages: readonly string[] | null): void;
	has(id: string, language: string): boolean;
	clear(): void;
}

export function createDroppedPhrases(): DroppedPhrases {
	const met = new Set<string>();
	const dropped = new Map<string, readonly string[] | null>();

	function forget(ids: Set<string> | Map<string, unknown>): void {
		const oldest = ids.keys().next().value;
		if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
	}

	return {
		met(id) {
			if (met.has(id)) return;
			met.add(id);
			forget(met);
		},
		drop(languages) {
			for (const id of met) {
				const before = dropped.get(id);
				const all = languages === null || before === null;
				dropped.set(id, all ? null : [...new Set([...(before ?? []), ...languages])]);
				forget(dropped);
			}
		},
		has(id, language) {
			const languages = dropped.get(id);
			return languages !== undefined && (languages === null || languages.includes(language));
		},
		clear() {
			met.clear();
			dropped.clear();
		},
	};
}
