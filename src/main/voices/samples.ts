import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, whyUnreadable } from '#main/lib/files.ts';
import { MEDIA_ONLY, programPath } from '#main/lib/media-programs.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { CLONE_LIMIT } from '#shared/protocol/cloned-voice.ts';
import { plainText } from '#shared/protocol/json.ts';
import { MEDIA_HEAD_BYTES, sniffMedia } from '#shared/voices/media-type.ts';

/** How long the sound of a file is, ms; null when unknown. */
export type MediaLength = (path: string, file: FileHandle, mimeType: string) => Promise<number | null>;

/** ffprobe reads a few kilobytes; if it takes longer, the file is on a dead network drive. */
const PROBE_MS = 5000;
/** Most chunks before the sound; a real recording has fewer. */
const MOST_CHUNKS = 64;

/**
 * We read WAV ourselves; ffprobe, if installed, reads everything else, so that we ship no codecs.
 */
export function createMediaLength(clock: Clock): MediaLength {
	return async (path, file, mimeType) => {
		const own = mimeType === 'audio/wav' ? await wavLength(file) : null;
		return own ?? (await probedLength(path, clock));
	};
}

/** The length of a WAV file; reads the chunk headers only. Null if it is not PCM or has no length. */
export async function wavLength(file: FileHandle): Promise<number | null> {
	const { size } = await file.stat();
	const head = Buffer.alloc(24);
	let bytesPerS = 0;
	let at = 12;
	for (let chunks = 0; chunks < MOST_CHUNKS; chunks += 1) {
		const { bytesRead } = await file.read(head, 0, head.length, at);
		if (bytesRead < 8) return null;
		const name = head.toString('latin1', 0, 4);
		const length = head.readUInt32LE(4);
		if (name === 'data') {
			// A writer that did not know the size wrote 0 or all ones; use the actual file length.
			const there = size - at - 8;
			const sound = length === 0 ? there : Math.min(length, there);
			return bytesPerS > 0 && sound > 0 ? Math.round((sound / bytesPerS) * 1000) : null;
		}
		// Its third field is the bytes per second, whatever the codec.
		if (name === 'fmt ' && bytesRead >= 20) bytesPerS = head.readUInt32LE(16);
		at += 8 + length + (length % 2);
	}
	return null;
}

function probedLength(path: string, clock: Clock): Promise<number | null> {
	const program = programPath('ffprobe');
	if (program === null) return Promise.resolve(null);
	const asked = ['-v', 'error', ...MEDIA_ONLY, '-show_entries', 'format=duration'];
	const child = spawn(program, [...asked, '-of', 'csv=p=0', `file:${path}`], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	let said = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		said = `${said}${text}`.slice(0, 200);
	});
	return new Promise((done) => {
		const cancel = clock.after(PROBE_MS, () => child.kill());
		const end = (seconds: number) => {
			cancel();
			done(Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : null);
		};
		child.once('error', () => end(0));
		child.once('close', () => end(Number(said.trim())));
	});
}

/** A file to make a voice from, as it was when it was chosen. */
export interface SampleFile {
	readonly path: string;
	/** The user's name for the file. */
	readonly name: string;
	readonly bytes: number;
	readonly modifiedMs: number;
	/** Judged by its content; empty = a type that the service does not take. */
	readonly mimeType: string;
	readonly durationMs: number | null;
	readonly recorded: boolean;
}

interface SampleAsked {
	readonly path: string;
	/** The name to show, if it is not the file's own. */
	readonly name?: string;
	readonly recorded: boolean;
	readonly lengthOf: MediaLength;
}

/** Examines a file without reading it as a whole. */
export async function readSample(asked: SampleAsked): Promise<Result<SampleFile, Problem>> {
	const { path, recorded } = asked;
	const name = plainText(asked.name ?? basename(path), 255);
	const refuse = (reason: string) => err<Problem>({ kind: 'file-unreadable', file: name, reason });
	try {
		// Check before opening it: a named pipe would wait for its writer.
		if (!(await stat(path)).isFile()) return refuse('it is not a file');
		const handle = await open(path, 'r');
		try {
			const about = await handle.stat();
			const head = Buffer.alloc(MEDIA_HEAD_BYTES);
			const { bytesRead } = await handle.read(head, 0, head.length, 0);
			const mimeType = sniffMedia(head.subarray(0, bytesRead), name) ?? '';
			const durationMs = mimeType === '' ? null : await asked.lengthOf(path, handle, mimeType);
			return ok({ path, name, bytes: about.size, modifiedMs: about.mtimeMs, mimeType, durationMs, recorded });
		} finally {
			await handle.close();
		}
	} catch (thrown) {
		return refuse(whyUnreadable(thrown));
	}
}

interface Open {
	readonly id: string;
	readonly name: string;
	readonly path: string;
	readonly file: FileHandle;
	size: number;
}

const failed = err<Problem>({ kind: 'storage-failed', what: 'recording' });

export type SampleRecordings = ReturnType<typeof createSampleRecordings>;

/** The window's recordings to be sent, readable by the user only. The next start erases leftovers. */
export function createSampleRecordings(folder: string, lengthOf: MediaLength, log: Pick<Logger, 'warn'>) {
	let current: Open | null = null;

	async function erase(path: string): Promise<void> {
		await rm(path, { force: true }).catch(() => log.warn('a recording could not be erased'));
	}

	async function drop(): Promise<void> {
		const dropped = current;
		current = null;
		if (!dropped) return;
		await dropped.file.close().catch(() => {});
		await erase(dropped.path);
	}

	return {
		/** Starts a recording, one at a time: the previous one, if still open, is erased. */
		async begin(name: string): Promise<Result<string, Problem>> {
			try {
				await drop();
				await makeFolder(folder, { mode: 0o700 });
				const id = randomUUID();
				const path = join(folder, `${id}.wav`);
				current = { id, name, path, file: await open(path, 'wx', 0o600), size: 0 };
				return ok(id);
			} catch {
				return failed;
			}
		},
		/** `at`: number of bytes already there; another number is refused, and so is more than the service takes. */
		async append(recording: string, at: number, bytes: Uint8Array): Promise<Result<void, Problem>> {
			const to = current;
			if (to?.id !== recording) return err({ kind: 'not-found', what: 'recording' });
			if (at !== to.size) return err({ kind: 'bug', where: 'recording: piece out of order' });
			if (at + bytes.length > CLONE_LIMIT.fileBytes) {
				await drop();
				return err({ kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'too-large' }] });
			}
			to.size += bytes.length;
			try {
				await to.file.writeFile(bytes);
				return ok();
			} catch {
				await drop();
				return failed;
			}
		},
		async end(recording: string): Promise<Result<SampleFile, Problem>> {
			const ended = current;
			if (ended?.id !== recording) return err({ kind: 'not-found', what: 'recording' });
			current = null;
			try {
				await ended.file.sync();
				await ended.file.close();
			} catch {
				await erase(ended.path);
				return failed;
			}
			return readSample({
				path: ended.path,
				name: `${ended.name.replace(/\.wav$/i, '')}.wav`,
				recorded: true,
				lengthOf,
			});
		},
		/** Erases an unfinished recording; null = whichever is open. */
		async discard(recording: string | null): Promise<void> {
			if (recording === null || current?.id === recording) await drop();
		},
		/** Erases a finished recording; any other path is left alone. */
		async remove(path: string): Promise<void> {
			if (dirname(path) === folder) await erase(path);
		},
		/** Erases all but those in `needed`: files left by an ended program. */
		async tidy(needed: ReadonlySet<string>): Promise<void> {
			const names = await readdir(folder).catch(() => []);
			for (const name of names) {
				const path = join(folder, name);
				if (!needed.has(path) && path !== current?.path) await erase(path);
			}
		},
	};
}
