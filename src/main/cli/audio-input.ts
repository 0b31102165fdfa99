import { spawn } from 'node:child_process';
import { constants, createReadStream } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { MEDIA_ONLY, programPath } from '#main/lib/media-programs.ts';
import { codeOf, whyUnreadable } from '#main/lib/node-error.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import { createResampler } from '#shared/sound/resampler.ts';
import { bytesToS16, floatToS16 } from '#shared/sound/s16le.ts';
import { type Terminal, untilAborted } from './terminal.ts';
import { readWavStream } from './wav-stream.ts';

/** Sound from a file or a pipe, as the sockets take it: 24 kHz mono. */
export interface AudioInput {
	/** ms; null when it is unknown until the end. */
	readonly durationMs: number | null;
	readonly samples: AsyncIterable<Int16Array>;
	/** Why the sound ended too early, when it did; asked after its end. */
	readonly fault: () => string | null;
	/** Releases the file, the pipe or the program behind it. Harmless twice. */
	readonly close: () => void;
}

export interface InputWanted {
	/** A path, or `-` for standard input. */
	readonly file: string;
	/** It is raw 24 kHz mono s16le. */
	readonly raw: boolean;
}

const RATE_HZ = SOCKET_AUDIO.sampleRateHz;

/** WAV is read by ourselves, everything else by an installed ffmpeg. Problems are `file-unreadable` and `cancelled`. */
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

/** What a sound is called in sentences. */
export function nameOf(file: string): string {
	return file === '-' ? 'standard input' : file;
}

/** Why raw sound cannot come from there; null = it can. Opens nothing: a named pipe would wait for its writer. */
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
		// Before it is opened: a named pipe would wait for its writer.
		if (!(await stat(file)).isFile()) return err('it is not a file');
		const handle = await open(file, 'r');
		try {
			const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
			if (bytesRead === 0) return err('it is empty');
			const isWav = buffer.toString('latin1', 0, 4) === 'RIFF' && buffer.toString('latin1', 8, 12) === 'WAVE';
			return ok(isWav ? 'wav' : 'other');
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

/** A source that fails only ends: what came until then counts, and `fault` says why no more did. */
function guarded(source: AsyncIterable<Uint8Array>): Source {
	let fault: string | null = null;
	// It may fail before it is read; if nobody listened, that would end the program.
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

/** A stream that nobody reads to its end would keep the program alive. */
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

/** What ffmpeg says of a film without sound, by version. */
const NO_SOUND = /does not contain any stream|matches no streams/i;

/** ffmpeg as a program of its own: its licence and its codecs stay outside. */
async function fromFfmpeg(
	file: string,
	refuse: (reason: string) => Result<never, Problem>,
): Promise<Result<AudioInput, Problem>> {
	const input = ['-nostdin', '-v', 'error', ...MEDIA_ONLY, '-i', `file:${file}`];
	// Of all channels, which we mix ourselves. Sound that begins late, or has holes, keeps its times with silence.
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
