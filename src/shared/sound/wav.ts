import { err, ok, type Result } from '#shared/lib/result.ts';
import { s16ToBytes } from './pcm.ts';

/** Length of the header before the samples. */
export const WAV_HEAD_BYTES = 44;
const MAX_S16 = 32_767;
/** Written if the length is not known yet, as for a pipe. */
const UNKNOWN_BYTES = 0xffff_ffff - WAV_HEAD_BYTES;

/** Encodings of samples (RFC 2361). */
export const WAV_TAG = { pcm: 1, float: 3, alaw: 6, mulaw: 7 } as const;
/** The tag is stored further down in the header. */
const EXTENSIBLE = 0xfffe;
/** Sizes from here on mean that the writer did not know the size. */
const UNKNOWN_SIZE = 0xffff_fff0 - 1024;
/** Sizes that arecord writes when it does not know the length: about the largest possible file. */
const GUESSED_SIZE = [0x7fff_0000, 0x8000_0000] as const;

interface WavSound {
	readonly rateHz: number;
	readonly channels: number;
	/** Total bytes of the samples in all channels; `null` = not known yet. */
	readonly bytes: number | null;
}

/** The header of a WAV of 16-bit samples. */
export function wavHead({ rateHz, channels, bytes }: WavSound): Uint8Array<ArrayBuffer> {
	const head = new Uint8Array(WAV_HEAD_BYTES);
	const view = new DataView(head.buffer);
	const text = (at: number, letters: string) => {
		for (let index = 0; index < letters.length; index += 1)
			view.setUint8(at + index, letters.charCodeAt(index));
	};
	const size = bytes ?? UNKNOWN_BYTES;
	text(0, 'RIFF');
	view.setUint32(4, Math.min(0xffff_ffff, size + WAV_HEAD_BYTES - 8), true);
	text(8, 'WAVEfmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, WAV_TAG.pcm, true);
	view.setUint16(22, channels, true);
	view.setUint32(24, rateHz, true);
	view.setUint32(28, rateHz * channels * 2, true);
	view.setUint16(32, channels * 2, true);
	view.setUint16(34, 16, true);
	text(36, 'data');
	view.setUint32(40, size, true);
	return head;
}

/** A complete file of 16-bit mono samples. */
export function wavOf(samples: Int16Array, rateHz: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(WAV_HEAD_BYTES + samples.length * 2);
	bytes.set(wavHead({ rateHz, channels: 1, bytes: samples.length * 2 }));
	bytes.set(s16ToBytes(samples), WAV_HEAD_BYTES);
	return bytes;
}

/** A complete file from samples in [-1, 1]; louder ones are clipped. */
export function encodeWav(samples: ArrayLike<number>, rateHz: number): Uint8Array<ArrayBuffer> {
	const sixteen = Int16Array.from(samples, (sample) =>
		Math.round(Math.min(1, Math.max(-1, sample)) * MAX_S16),
	);
	return wavOf(sixteen, rateHz);
}

/** The header of a WAV. */
export interface WavHead {
	/** One of `WAV_TAG`, or another number. */
	readonly tag: number;
	readonly channels: number;
	readonly rateHz: number;
	/** Bits of one sample. */
	readonly bits: number;
	/** Bytes of one sample of every channel. */
	readonly frameBytes: number;
	/** Offset of the samples, bytes. */
	readonly dataAt: number;
	/** Bytes of samples; null if the writer did not know, as in a pipe: then they continue to the end. */
	readonly bytes: number | null;
}

export function isWav(file: Uint8Array): boolean {
	return file.length >= 12 && letters(file, 0) === 'RIFF' && letters(file, 8) === 'WAVE';
}

/** The header of a file or its beginning: null while too few bytes are there. The error is a clause. */
export function readWavHead(file: Uint8Array): Result<WavHead | null, string> {
	if (file.length < 12) return ok(null);
	if (!isWav(file)) return err('it is not a WAV file');
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	let format: Omit<WavHead, 'dataAt' | 'bytes'> | null = null;
	for (let at = 12; at + 8 <= file.length; ) {
		const name = letters(file, at);
		const size = view.getUint32(at + 4, true);
		const start = at + 8;
		if (name === 'data') {
			if (!format) return err('it does not say how its sound is written');
			const isGuessed = size >= GUESSED_SIZE[0] && size <= GUESSED_SIZE[1];
			const isUnknown = size === 0 || size >= UNKNOWN_SIZE || isGuessed;
			return ok({ ...format, dataAt: start, bytes: isUnknown ? null : size });
		}
		if (name === 'fmt ') {
			if (start + size > file.length) return ok(null);
			if (size < 16) return err('its format chunk is too short');
			const tag = view.getUint16(start, true);
			format = {
				tag: tag === EXTENSIBLE && size >= 26 ? view.getUint16(start + 24, true) : tag,
				channels: view.getUint16(start + 2, true),
				rateHz: view.getUint32(start + 4, true),
				frameBytes: view.getUint16(start + 12, true),
				bits: view.getUint16(start + 14, true),
			};
		}
		at = start + size + (size % 2);
	}
	return ok(null);
}

/** The four letters that name a chunk. */
function letters(file: Uint8Array, at: number): string {
	return String.fromCharCode(...file.subarray(at, at + 4));
}
