import { spawn } from 'node:child_process';
import { err, ok, type Result } from '#shared/lib/result.ts';

/** Encodes PCM s16le mono as an MP3 file; null if ffmpeg is not installed or cannot encode MP3. */
export function encodeMp3(pcm: Buffer, rateHz: number): Promise<Buffer | null> {
	return runChild(
		'ffmpeg',
		[...source(rateHz), '-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3', 'pipe:1'],
		pcm,
	);
}

/** Encodes PCM s16le mono as 20 ms Opus packets, like the room's clips; null without ffmpeg. */
export async function encodeOpus(pcm: Buffer, rateHz: number): Promise<readonly Uint8Array[] | null> {
	const opus = ['-c:a', 'libopus', '-b:a', '24k', '-frame_duration', '20', '-f', 'ogg', 'pipe:1'];
	const file = await runChild('ffmpeg', [...source(rateHz), ...opus], pcm);
	const packets = file && readOggOpus(file);
	return packets?.ok && packets.value.length > 0 ? packets.value : null;
}

/** Whether ffmpeg is installed and can encode MP3. */
export async function canEncodeMp3(): Promise<boolean> {
	return (await encodeMp3(Buffer.alloc(4800), 24_000)) !== null;
}

function source(rateHz: number): readonly string[] {
	return [
		'-hide_banner',
		'-loglevel',
		'error',
		'-f',
		's16le',
		'-ar',
		String(rateHz),
		'-ac',
		'1',
		'-i',
		'pipe:0',
	];
}

/** Longest time to encode a sentence, ms. */
const TIME_LIMIT_MS = 10_000;
/** Most bytes for a sentence: ten minutes at 24 kHz. */
const OUTPUT_LIMIT = 30_000_000;

/**
 * Runs a program with `input` on its standard input and returns its output; null if the program is not
 * installed, fails, takes too long or writes too much. Never uses a shell: `args` are constants of ours, and
 * texts are only passed as input.
 */
export function runChild(program: string, args: readonly string[], input: Buffer): Promise<Buffer | null> {
	const { promise, resolve } = Promise.withResolvers<Buffer | null>();
	const child = spawn(program, [...args], {
		stdio: ['pipe', 'pipe', 'ignore'],
		timeout: TIME_LIMIT_MS,
		killSignal: 'SIGKILL',
		windowsHide: true,
	});
	const chunks: Buffer[] = [];
	let size = 0;
	child.on('error', () => resolve(null));
	child.on('close', (code) => resolve(code === 0 && size <= OUTPUT_LIMIT ? Buffer.concat(chunks) : null));
	child.stdout.on('data', (chunk: Buffer) => {
		size += chunk.length;
		if (size > OUTPUT_LIMIT) child.kill('SIGKILL');
		else chunks.push(chunk);
	});
	// `close` and `error` report a program that exits early or does not exist.
	child.stdin.on('error', () => {});
	child.stdin.end(input);
	return promise;
}

/** Bytes of an Ogg page before its lacing table (RFC 3533 section 6). */
const HEADER_BYTES = 27;
/** A lacing value below this ends a packet. */
const LACING_FULL = 255;

/**
 * The audio packets of an Ogg Opus stream (RFC 7845), in order, without its two header packets. The error is a
 * sentence. Checksums are not verified, because only our own files are read.
 */
export function readOggOpus(file: Uint8Array): Result<readonly Uint8Array[], string> {
	const packets: Uint8Array[] = [];
	let open: Uint8Array[] = [];
	let at = 0;
	while (at < file.length) {
		const segments = file[at + 26] ?? 0;
		const body = at + HEADER_BYTES + segments;
		if (ascii(file, at, 4) !== 'OggS' || body > file.length) return err(`no Ogg page at byte ${at}`);
		let from = body;
		for (const length of file.subarray(at + HEADER_BYTES, body)) {
			if (from + length > file.length) return err(`the Ogg page at byte ${at} is cut`);
			open.push(file.subarray(from, from + length));
			from += length;
			if (length === LACING_FULL) continue;
			packets.push(joined(open));
			open = [];
		}
		at = from;
	}
	const head = packets[0];
	if (!head || ascii(head, 0, 8) !== 'OpusHead') return err('not an Opus stream');
	return ok(packets.slice(2));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
	const only = parts[0];
	if (only && parts.length === 1) return only;
	return new Uint8Array(Buffer.concat(parts));
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
	return String.fromCharCode(...bytes.subarray(from, from + length));
}

/** RTP clock of Opus, whatever the sampling rate (RFC 7587 4.1). */
export const OPUS_CLOCK_HZ = 48_000;

/** 20 ms of silence from an Opus encoder: CELT, full band, mono. */
export const SILENCE: Uint8Array = Uint8Array.of(0xf8, 0xff, 0xfe);

const SILK_MS = [10, 20, 40, 60] as const;
const CELT_MS = [2.5, 5, 10, 20] as const;

/** Milliseconds of sound in one Opus packet, from its first byte (RFC 6716 3.1); 0 if it is empty. */
export function opusDurationMs(packet: Uint8Array): number {
	const toc = packet[0];
	if (toc === undefined) return 0;
	return frameMs(toc >> 3) * frameCount(toc & 3, packet[1]);
}

function frameMs(config: number): number {
	if (config < 12) return SILK_MS[config & 3] ?? 0;
	if (config < 16) return config & 1 ? 20 : 10;
	return CELT_MS[config & 3] ?? 0;
}

function frameCount(code: number, second: number | undefined): number {
	if (code === 0) return 1;
	if (code < 3) return 2;
	return (second ?? 0) & 0x3f;
}
