import { spawn } from 'node:child_process';
import { constants, createReadStream } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { codeOf, whyUnreadable } from '#main/lib/files.ts';
import { MEDIA_ONLY, programPath } from '#main/lib/media-programs.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import { createMixDown } from '#shared/sound/mix-down.ts';
import { bytesToS16, floatToS16 } from '#shared/sound/pcm.ts';
import { createResampler } from '#shared/sound/resampler.ts';
import { isWav, readWavHead, WAV_TAG, type WavHead } from '#shared/sound/wav.ts';
import { type Terminal, untilAborted } from './terminal.ts';

/** Sound from a file or a pipe, as the sockets take it: 24 kHz mono. */
export interface AudioInput {
	/** ms; null when it is unknown until the end. */
	readonly durationMs: number | null;
	readonly samples: AsyncIterable<Int16Array>;
	/** Why the sound ended too early; null = it did not. Call it after the end. */
	readonly fault: () => string | null;
	/** Releases the file, the pipe or the program behind it. Calling it again is harmless. */
	readonly close: () => void;
}

export interface InputWanted {
	/** A path, or `-` for standard input. */
	readonly file: string;
	/** True for raw 24 kHz mono s16le. */
	readonly raw: boolean;
}

const RATE_HZ = SOCKET_AUDIO.sampleRateHz;

/** We read WAV; an installed ffmpeg reads the rest. Problems are `file-unreadable` and `cancelled`. */
export async function openAudio(
	{ file, raw }: InputWanted,
	{ input, signal = new AbortController().signal }: Partial<Pick<Terminal, 'input' | 'signal'>>,
): Promise<Result<AudioInput, Problem>> {
	const refuse = (reason: string) => err<Problem>({ kind: 'file-unreadable', file: nameOf(file), reason });
	if (file === '-' || raw) {
		const refusal = file === '-' ? null : await rawRefusal(file);
		if (refusal !== null) return refuse(refusal);
		const source = file === '-' ? input?.() : createReadStream(file);
		if (!source) return refuse('there is no standard input');
		const { bytes, fault, close } = guarded(source);
		if (raw) return ok({ durationMs: null, samples: rawSamples(bytes), fault, close });
		const wav = await readWavStream(untilAborted(bytes, signal));
		if (wav.ok) return ok(fromWav(wav.value, fault, close));
		close();
		return signal.aborted ? err({ kind: 'cancelled' }) : refuse(fault() ?? wav.error);
	}
	const kind = await kindOf(file);
	if (!kind.ok) return refuse(kind.error);
	if (kind.value === 'other') return fromFfmpeg(file, refuse);
	const { bytes, fault, close } = guarded(createReadStream(file));
	const wav = await readWavStream(bytes);
	if (wav.ok) return ok(fromWav(wav.value, fault, close));
	close();
	const failure = fault();
	if (failure !== null) return refuse(failure);
	// ffmpeg may know a WAV codec that we do not.
	const other = await fromFfmpeg(file, refuse);
	return other.ok ? other : refuse(wav.error);
}

/** The name of a sound source for use in a sentence. */
export function nameOf(file: string): string {
	return file === '-' ? 'standard input' : file;
}

/** Why raw sound cannot be read there; null = it can. Opens nothing: a named pipe would block. */
async function rawRefusal(file: string): Promise<string | null> {
	try {
		if ((await stat(file)).isDirectory()) return 'it is not a file';
		await access(file, constants.R_OK);
		return null;
	} catch (thrown) {
		return whyUnreadable(thrown);
	}
}

async function kindOf(file: string): Promise<Result<'wav' | 'other', string>> {
	try {
		// Check before opening it: a named pipe would wait for its writer.
		if (!(await stat(file)).isFile()) return err('it is not a file');
		const handle = await open(file, 'r');
		try {
			const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
			if (bytesRead === 0) return err('it is empty');
			return ok(isWav(buffer.subarray(0, bytesRead)) ? 'wav' : 'other');
		} finally {
			await handle.close();
		}
	} catch (thrown) {
		return err(whyUnreadable(thrown));
	}
}

interface Source extends Pick<AudioInput, 'fault' | 'close'> {
	readonly bytes: AsyncIterable<Uint8Array>;
}

/** A source that fails simply ends: the audio so far counts, and `fault` gives the reason. */
function guarded(source: AsyncIterable<Uint8Array>): Source {
	let fault: string | null = null;
	// The stream may fail before we read it, and an error without a listener would end the program.
	if (source instanceof Readable) source.on('error', () => {});
	async function* bytes(): AsyncGenerator<Uint8Array> {
		try {
			yield* source;
		} catch (thrown) {
			const code = codeOf(thrown);
			fault = `it could not be read to its end${code && `: ${code}`}`;
		}
	}
	return { bytes: bytes(), fault: () => fault, close: () => destroy(source) };
}

type Wav = Extract<Awaited<ReturnType<typeof readWavStream>>, { ok: true }>['value'];

/** Destroys a stream: a stream that is not read to its end would keep the program alive. */
function destroy(source: object): void {
	if ('destroy' in source && typeof source.destroy === 'function') source.destroy();
}

function fromWav(
	{ format, samples }: Wav,
	fault: AudioInput['fault'],
	close: AudioInput['close'],
): AudioInput {
	async function* at24kHz(): AsyncGenerator<Int16Array> {
		const resampler = createResampler(format.rateHz, RATE_HZ);
		for await (const piece of samples) yield toS16(resampler.push(piece));
		yield toS16(resampler.flush());
	}
	return { durationMs: format.durationMs, samples: at24kHz(), fault, close };
}

function toS16(samples: Float32Array): Int16Array {
	const out = new Int16Array(samples.length);
	floatToS16(samples, out);
	return out;
}

async function* rawSamples(source: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
	let rest = Buffer.alloc(0);
	for await (const piece of source) {
		const bytes = Buffer.concat([rest, piece]);
		const even = bytes.length - (bytes.length % 2);
		rest = bytes.subarray(even);
		yield bytesToS16(bytes.subarray(0, even)) ?? new Int16Array(0);
	}
}

/** ffmpeg's messages for a video without sound; they differ by version. */
const NO_SOUND = /does not contain any stream|matches no streams/i;

/** Runs ffmpeg as a separate program, so that its licence and its codecs are not part of ours. */
async function fromFfmpeg(
	file: string,
	refuse: (reason: string) => Result<never, Problem>,
): Promise<Result<AudioInput, Problem>> {
	const input = ['-nostdin', '-v', 'error', ...MEDIA_ONLY, '-i', `file:${file}`];
	// Decode all channels, which we mix ourselves. Fill gaps and a late start with silence, so that times stay right.
	const timed = ['-af', 'aresample=async=1:first_pts=0'];
	const output = ['-vn', ...timed, '-ar', String(RATE_HZ), '-c:a', 'pcm_s16le', '-f', 'wav', '-'];
	const program = programPath('ffmpeg');
	if (program === null) return refuse('only WAV is read without ffmpeg, and ffmpeg is not installed');
	const child = spawn(program, [...input, ...output], { stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		said = `${said}${text}`.slice(-500);
	});
	const ended = new Promise<number | 'missing'>((done) => {
		child.once('error', () => done('missing'));
		child.once('close', (code) => done(code ?? 1));
	});
	/** ffmpeg blocked on a full pipe does not end on a signal, so the pipe is closed first. */
	function close(): void {
		child.stdout.destroy();
		child.kill();
	}
	const { bytes, fault } = guarded(child.stdout);
	const wav = await readWavStream(bytes);
	const sound = wav.ok ? wav.value.samples[Symbol.asyncIterator]() : null;
	const first = await sound?.next();
	if (!wav.ok || !sound || !first || first.done) {
		const code = await ended;
		if (code === 'missing') return refuse('only WAV is read without ffmpeg, and ffmpeg is not installed');
		const why =
			said
				.trim()
				.split('\n')
				.at(-1)
				?.replace(/^.*?: /, '')
				.slice(0, 200) ?? '';
		const isSilent = code === 0 || why === '' || NO_SOUND.test(said);
		return refuse(isSilent ? 'it has no sound in it' : `ffmpeg says: ${why}`);
	}
	let broken: string | null = null;
	async function* samples(): AsyncGenerator<Float32Array> {
		try {
			yield first?.value as Float32Array;
			if (sound) for (let next = await sound.next(); !next.done; next = await sound.next()) yield next.value;
			if ((await ended) !== 0) broken = 'ffmpeg could not read it to its end';
		} finally {
			close();
		}
	}
	const format = { ...wav.value.format, durationMs: null };
	return ok(fromWav({ format, samples: samples() }, () => broken ?? fault(), close));
}

/** Everything before the samples is shorter than this, bytes. */
const LONGEST_HEAD = 4 * 1024 * 1024;

interface WavFormat {
	readonly rateHz: number;
	readonly channels: number;
	/** Bytes of one sample of one channel, and how many bits of them are used. */
	readonly bytes: number;
	readonly bits: number;
	readonly kind: 'pcm' | 'float';
	/** Length of the sound, ms; null when the file does not say. */
	readonly durationMs: number | null;
}

interface WavStream {
	readonly format: WavFormat;
	/** Mono samples in [-1, 1], as they are read. */
	readonly samples: AsyncIterable<Float32Array>;
}

/**
 * Reads a WAV as it comes: PCM of 8, 16, 24 or 32 bits or float of 32 or 64, any number of channels, 4 to 192
 * kHz. The error is a clause that gives the reason. A file that is cut short ends where it is cut.
 */
export async function readWavStream(source: AsyncIterable<Uint8Array>): Promise<Result<WavStream, string>> {
	const pieces = source[Symbol.asyncIterator]();
	let head = Buffer.alloc(0);
	for (;;) {
		const read = readWavHead(head);
		if (!read.ok) return read;
		if (read.value) {
			const format = formatOf(read.value);
			if (!format.ok) return format;
			const { dataAt, bytes } = read.value;
			return ok({
				format: format.value,
				samples: samplesOf(pieces, head.subarray(dataAt), format.value, bytes),
			});
		}
		if (head.length > LONGEST_HEAD) return err('it has no sound in it');
		const next = await pieces.next();
		if (next.done) return err(head.length === 0 ? 'it is empty' : 'it has no sound in it');
		head = Buffer.concat([head, next.value]);
	}
}

/** Sample format; `frameBytes` shows whether samples are padded. */
function formatOf({
	tag,
	channels,
	rateHz,
	bits,
	frameBytes,
	bytes: size,
}: WavHead): Result<WavFormat, string> {
	// 24-bit samples may be padded to 32 bits; only the frame size shows it.
	const isRoomy = bits === 24 && frameBytes === 4 * channels;
	const bytes = isRoomy ? 4 : Math.ceil(bits / 8);
	const isKnown =
		tag === WAV_TAG.pcm
			? bits >= 8 && bits <= 32 && bytes <= 4
			: tag === WAV_TAG.float && [32, 64].includes(bits);
	if (!isKnown)
		return err(`its sound is in a format this program does not read by itself (${tag}, ${bits} bit)`);
	if (channels === 0 || channels > 64) return err(`it has ${channels} channels`);
	if (rateHz < 4000 || rateHz > 192_000) return err(`its sampling rate is ${rateHz} Hz`);
	const kind = tag === WAV_TAG.pcm ? 'pcm' : 'float';
	const durationMs = size === null ? null : (Math.floor(size / (bytes * channels)) / rateHz) * 1000;
	return ok({ rateHz, channels, bytes, bits, kind, durationMs });
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
		// Silence does not show how samples are padded.
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

/** `sample`: a piece of the sound that is not silent. */
function reader({ kind, bytes, bits }: WavFormat, sample: Buffer): Read {
	if (kind === 'float')
		return bytes === 4 ? (from, at) => from.readFloatLE(at) : (from, at) => from.readDoubleLE(at);
	if (bytes === 1) return (from, at) => (from.readUInt8(at) - 128) / 128;
	const full = isLow(sample, bytes, bits) ? 2 ** (bits - 1) : 2 ** (bytes * 8 - 1);
	return (from, at) => from.readIntLE(at, bytes) / full;
}

/** True if padded samples use the low bits, as ALSA writes them; the format demands the high bits. */
function isLow(sample: Buffer, bytes: number, bits: number): boolean {
	const spare = bytes * 8 - bits;
	if (spare <= 0) return false;
	for (let at = 0; at + bytes <= sample.length; at += bytes) {
		const value = sample.readIntLE(at, bytes);
		if (value % 2 ** spare !== 0) return true;
	}
	return false;
}
