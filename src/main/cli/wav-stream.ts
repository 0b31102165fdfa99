import { err, ok, type Result } from '#shared/lib/result.ts';
import { createMixDown } from '#shared/sound/mix-down.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** Everything before the samples is shorter than this, bytes. */
const LONGEST_HEAD = 4 * 1024 * 1024;
/** Sizes from here on mean that the writer did not know. */
const UNKNOWN_SIZE = 0xffff_fff0 - 1024;
/** What arecord writes when it does not know: the most of a file, or nearly. */
const GUESSED_SIZE = [0x7fff_0000, 0x8000_0000] as const;

export interface WavFormat {
	readonly rateHz: number;
	readonly channels: number;
	/** Bytes of one sample of one channel, and how many bits of them are used. */
	readonly bytes: number;
	readonly bits: number;
	readonly kind: 'pcm' | 'float';
	/** Length of the sound, ms; null when the file does not say. */
	readonly durationMs: number | null;
}

export interface WavStream {
	readonly format: WavFormat;
	/** Mono samples in [-1, 1], as they are read. */
	readonly samples: AsyncIterable<Float32Array>;
}

/**
 * Reads a WAV as it comes: PCM of 8, 16, 24 or 32 bits or float of 32 or 64, any number of channels,
 * 4 to 192 kHz. The error is a clause that says why not. A file that is cut short ends where it is cut.
 */
export async function readWavStream(source: AsyncIterable<Uint8Array>): Promise<Result<WavStream, string>> {
	const pieces = source[Symbol.asyncIterator]();
	let head = Buffer.alloc(0);
	for (;;) {
		const found = findData(head);
		if (!found.ok) return found;
		if (found.value) {
			const { format, start, size } = found.value;
			return ok({ format, samples: samplesOf(pieces, head.subarray(start), format, size) });
		}
		const next = await pieces.next();
		if (next.done) return err(head.length === 0 ? 'it is empty' : 'it has no sound in it');
		head = Buffer.concat([head, next.value]);
	}
}

interface Found {
	readonly format: WavFormat;
	/** Where the samples begin. */
	readonly start: number;
	/** How many bytes of them there are; null = to the end. */
	readonly size: number | null;
}

/** `null` = not enough was read yet. */
function findData(head: Buffer): Result<Found | null, string> {
	if (head.length < 12) return ok(null);
	if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
		return err('it is not a WAV file');
	let format: WavFormat | null = null;
	for (let at = 12; at + 8 <= head.length; ) {
		const name = head.toString('latin1', at, at + 4);
		const size = head.readUInt32LE(at + 4);
		const start = at + 8;
		if (name === 'data') return dataFound(format, start, size);
		if (name === 'fmt ') {
			if (start + size > head.length) break;
			const read = readFormat(head.subarray(start, start + size));
			if (!read.ok) return read;
			format = read.value;
		}
		at = start + size + (size % 2);
	}
	return head.length > LONGEST_HEAD ? err('it has no sound in it') : ok(null);
}

function dataFound(format: WavFormat | null, start: number, size: number): Result<Found, string> {
	if (!format) return err('it does not say how its sound is written');
	const isGuessed = size >= GUESSED_SIZE[0] && size <= GUESSED_SIZE[1];
	if (size === 0 || size >= UNKNOWN_SIZE || isGuessed) return ok({ format, start, size: null });
	const frames = Math.floor(size / (format.bytes * format.channels));
	return ok({ format: { ...format, durationMs: (frames / format.rateHz) * 1000 }, start, size });
}

function readFormat(chunk: Buffer): Result<WavFormat, string> {
	if (chunk.length < 16) return err('its format chunk is too short');
	const tag = chunk.readUInt16LE(0);
	const code = tag === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag;
	const channels = chunk.readUInt16LE(2);
	const rateHz = chunk.readUInt32LE(4);
	const bits = chunk.readUInt16LE(14);
	// 24 bits may lie in 32, which only the size of a frame tells.
	const isRoomy = bits === 24 && chunk.readUInt16LE(12) === 4 * channels;
	const bytes = isRoomy ? 4 : Math.ceil(bits / 8);
	const isKnown =
		code === PCM ? bits >= 8 && bits <= 32 && bytes <= 4 : code === FLOAT && [32, 64].includes(bits);
	if (!isKnown)
		return err(`its sound is in a format this program does not read by itself (${code}, ${bits} bit)`);
	if (channels === 0 || channels > 64) return err(`it has ${channels} channels`);
	if (rateHz < 4000 || rateHz > 192_000) return err(`its sampling rate is ${rateHz} Hz`);
	const kind = code === PCM ? 'pcm' : 'float';
	return ok({ rateHz, channels, bytes: kind === 'pcm' ? bytes : bits / 8, bits, kind, durationMs: null });
}

async function* samplesOf(
	pieces: AsyncIterator<Uint8Array>,
	first: Buffer,
	format: WavFormat,
	size: number | null,
): AsyncGenerator<Float32Array> {
	const { channels, bytes, rateHz } = format;
	const frameBytes = bytes * channels;
	/** 20 ms: mixing compares the channels over a block. */
	const blockBytes = frameBytes * Math.round(rateHz / 50);
	const mixDown = createMixDown();
	let read: Read | null = null;

	function mixed(block: Buffer): Float32Array {
		// Silence does not tell how the samples lie in their room.
		if (read === null && block.some((byte) => byte !== 0)) read = reader(format, block);
		const one = read ?? (() => 0);
		const split = Array.from({ length: channels }, (_, channel) =>
			Float32Array.from({ length: block.length / frameBytes }, (__, index) =>
				one(block, (index * channels + channel) * bytes),
			),
		);
		return mixDown.mix(split);
	}

	let left = size ?? Number.POSITIVE_INFINITY;
	let rest = first;
	try {
		for (;;) {
			for (; Math.min(rest.length, left) >= blockBytes; left -= blockBytes) {
				yield mixed(rest.subarray(0, blockBytes));
				rest = rest.subarray(blockBytes);
			}
			const next = left < blockBytes && rest.length >= left ? null : await pieces.next();
			if (next === null || next.done) break;
			rest = rest.length === 0 ? Buffer.from(next.value) : Buffer.concat([rest, next.value]);
		}
		const usable = Math.min(rest.length, left);
		const whole = usable - (usable % frameBytes);
		if (whole > 0) yield mixed(rest.subarray(0, whole));
	} finally {
		await pieces.return?.();
	}
}

type Read = (from: Buffer, at: number) => number;

/** `sample`: some of the sound that is not silent. */
function reader({ kind, bytes, bits }: WavFormat, sample: Buffer): Read {
	if (kind === 'float')
		return bytes === 4 ? (from, at) => from.readFloatLE(at) : (from, at) => from.readDoubleLE(at);
	if (bytes === 1) return (from, at) => (from.readUInt8(at) - 128) / 128;
	const full = isLow(sample, bytes, bits) ? 2 ** (bits - 1) : 2 ** (bytes * 8 - 1);
	return (from, at) => from.readIntLE(at, bytes) / full;
}

/**
 * Are samples with room to spare in its lower end, as ALSA writes them? Else they are in its upper end, as the format
 * demands, and its last bits are zero.
 */
function isLow(sample: Buffer, bytes: number, bits: number): boolean {
	const spare = bytes * 8 - bits;
	if (spare <= 0) return false;
	for (let at = 0; at + bytes <= sample.length; at += bytes) {
		const value = sample.readIntLE(at, bytes);
		if (value % 2 ** spare !== 0) return true;
	}
	return false;
}
