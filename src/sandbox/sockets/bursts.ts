import { deflateSync } from 'node:zlib';
import type { FaultSet } from '#sandbox/faults.ts';
import { draw, type Speech } from '#sandbox/interpreter/transport.ts';
import { resample, SPEECH_HZ, s16Bytes, toFloat, toS16 } from '#sandbox/speech/pcm.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import { SERVER_MESSAGE } from '#shared/protocol/vocabulary.ts';

/** How much faster than real time a sentence is sent: a range, drawn from for each (protocol 4.8). */
const SPEED = [3, 5] as const;
const STALL_MS = 3000;
const WRONG_HZ = 16_000;
const BOMB_BYTES = 64_000_000;

/** One piece of a sentence, not yet a message. */
export interface Piece {
	readonly bytes: Buffer;
	readonly last: boolean;
}

/** Outgoing sentences, in order within each language (protocol 5.1.3). `zlib`: whether to deflate one. */
export function createBursts(parts: {
	clock: Clock;
	random: () => number;
	faults: FaultSet;
	samples: (packets: readonly Uint8Array[]) => Promise<Int16Array>;
	zlib: () => boolean;
	say: (message: object) => void;
	/** Sends chunks without pauses: the client is processing a file, not playing it live. */
	atOnce: boolean;
}) {
	const { clock, random, faults, say } = parts;
	const scope = createScope(clock);
	const spoil = createSpoiler(faults);
	const queues = new Map<string, Promise<void>>();

	function pause(ms: number): Promise<void> {
		return new Promise((done) => {
			if (scope.closed) done();
			else scope.after(ms, done);
		});
	}

	function message(language: string, speech: Speech, piece: Piece, zlib: boolean): object {
		const { bytes, last } = piece;
		const packed = zlib && bytes.length > 0 ? deflateSync(bytes) : bytes;
		return {
			message_type: SERVER_MESSAGE.outputAudioData,
			data: {
				transcription_id: speech.transcriptionId,
				translation_part_id: speech.partId,
				language,
				last_chunk: last && !faults.has('no-last-chunk'),
				data: packed.toString('base64'),
				chunk_generation_delta: null,
			},
		};
	}

	async function send(language: string, speech: Speech, over: () => boolean): Promise<void> {
		const right = await parts.samples(speech.packets);
		const samples = faults.has('wrong-rate') ? toS16(resample(toFloat(right), SPEECH_HZ, WRONG_HZ)) : right;
		const zlib = parts.zlib();
		const pieces = disorder(cutUp(samples), faults);
		const periodMs = parts.atOnce ? 0 : periodOf(faults, random);
		for (const [index, piece] of pieces.entries()) {
			if (over() || scope.closed) return;
			say(spoil(message(language, speech, piece, zlib), index, zlib));
			if (faults.has('stalled-output') && index % 3 === 2) await pause(STALL_MS);
			else if (periodMs > 0 && index < pieces.length - 1) await pause(periodMs);
		}
	}

	return {
		/**
		 * Queues a sentence after the earlier ones of that language; `done` resolves when it is sent or dropped.
		 */
		speak(language: string, speech: Speech): { readonly done: Promise<void>; drop(): void } {
			let over = false;
			const { promise, resolve } = Promise.withResolvers<void>();
			const before = queues.get(language) ?? Promise.resolve();
			const sent = before
				.then(() => (over ? undefined : send(language, speech, () => over)))
				.then(resolve, resolve);
			queues.set(language, sent);
			return {
				done: promise,
				drop() {
					over = true;
					resolve();
				},
			};
		},
		close: (): void => scope.close(),
	};
}

/** Splits into pieces of 200 ms, the last one shorter; without samples, into one empty last piece. */
function cutUp(samples: Int16Array): readonly Piece[] {
	const size = (SPEECH_HZ * SOCKET_AUDIO.outputChunkMs) / 1000;
	const pieces: Piece[] = [];
	for (let at = 0; at < samples.length || pieces.length === 0; at += size) {
		pieces.push({ bytes: s16Bytes(samples.subarray(at, at + size)), last: at + size >= samples.length });
	}
	return pieces;
}

function periodOf(faults: FaultSet, random: () => number): number {
	if (faults.has('fast-output')) return 0;
	if (faults.has('slow-output')) return SOCKET_AUDIO.outputChunkMs * 2;
	return SOCKET_AUDIO.outputChunkMs / draw(SPEED, random);
}

/** Applies the faults that reorder, drop or repeat pieces; the last piece stays last. */
export function disorder(pieces: readonly Piece[], faults: FaultSet): readonly Piece[] {
	let out = [...pieces];
	if (faults.has('missing-chunk')) out = out.filter(({ last }, index) => last || index % 3 !== 2);
	if (faults.has('duplicate-chunk')) {
		out = out.flatMap((piece, index) => (index % 2 === 1 && !piece.last ? [piece, piece] : [piece]));
	}
	if (faults.has('out-of-order')) {
		for (let at = 0; at + 2 < out.length; at += 2) out.splice(at, 2, ...out.slice(at, at + 2).toReversed());
	}
	return out;
}

/** Makes every second chunk unplayable. */
function createSpoiler(faults: FaultSet): (message: object, index: number, zlib: boolean) => object {
	let bomb: string | null = null;
	return (message, index, zlib) => {
		if (index % 2 === 0) return message;
		const swap = (data: string) => ({ ...message, data: { ...Object(Reflect.get(message, 'data')), data } });
		if (faults.has('bad-base64')) return swap('*** this is not base64 ***');
		if (faults.has('odd-bytes')) {
			const odd = Buffer.alloc(1201, 1);
			return swap((zlib ? deflateSync(odd) : odd).toString('base64'));
		}
		if (!faults.has('zlib-bomb')) return message;
		bomb ??= deflateSync(Buffer.alloc(BOMB_BYTES), { level: 1 }).toString('base64');
		return swap(bomb);
	};
}
