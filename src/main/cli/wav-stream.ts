import { err, ok, type Result } from '#shared/lib/result.ts';

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
	/** Bytes of one sample of one channel. */
	readonly bytes: number;
	readonly kind: 'pcm' | 'float';
	/** Length of the sound, ms; null when the file does not say. */
	readonly durationMs: number | null;
}

export interface WavStream {
	readonly format: WavFormat;
	/** Mono samples in [-1, 1], channels averaged, as they are read. */
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
	const isKnown = code === PCM ? [8, 16, 24, 32].includes(bits) : code === FLOAT && [32, 64].includes(bits);
	if (!isKnown)
		return err(`its sound is in a format this program does not read by itself (${code}, ${bits} bit)`);
	if (channels === 0 || channels > 64) return err(`it has ${channels} channels`);
	if (rateHz < 4000 || rateHz > 192_000) return err(`its sampling rate is ${rateHz} Hz`);
	return ok({ rateHz, channels, bytes: bits / 8, kind: code === PCM ? 'pcm' : 'float', durationMs: null });
}

async function* samplesOf(
	pieces: AsyncIterator<Uint8Array>,
	first: Buffer,
	format: WavFormat,
	size: number | null,
): AsyncGenerator<Float32Array> {
	const frameBytes = format.bytes * format.channels;
	let left = size ?? Number.POSITIVE_INFINITY;
	let rest = first;
	try {
		for (;;) {
			const usable = Math.min(rest.length, left);
			const whole = usable - (usable % frameBytes);
			if (whole > 0) yield mixDown(rest.subarray(0, whole), format);
			left -= whole;
			if (left < frameBytes) return;
			rest = rest.subarray(whole);
			const next = await pieces.next();
			if (next.done) return;
			rest = rest.length === 0 ? Buffer.from(next.value) : Buffer.concat([rest, next.value]);
		}
	} finally {
		await pieces.return?.();
	}
}

function mixDown(bytes: Buffer, format: WavFormat): Float32Array {
	const { channels } = format;
	const read = reader(format);
	const out = new Float32Array(bytes.length / (format.bytes * channels));
	for (let index = 0; index < out.length; index += 1) {
		let sum = 0;
		for (let channel = 0; channel < channels; channel += 1)
			sum += read(bytes, (index * channels + channel) * format.bytes);
		const sample = sum / channels;
		out[index] = Number.isFinite(sample) ? sample : 0;
	}
	return out;
}

function reader({ kind, bytes }: WavFormat): (from: Buffer, at: number) => number {
	if (kind === 'float')
		return bytes === 4 ? (from, at) => from.readFloatLE(at) : (from, at) => from.readDoubleLE(at);
	switch (bytes) {
		case 1:
			return (from, at) => (from.readUInt8(at) - 128) / 128;
		case 2:
			return (from, at) => from.readInt16LE(at) / 32_768;
		case 3:
			return (from, at) => from.readIntLE(at, 3) / 8_388_608;
		default:
			return (from, at) => from.readInt32LE(at) / 2_147_483_648;
	}
}
