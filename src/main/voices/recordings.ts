import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '#main/lib/files.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { CLONE_LIMIT } from '#shared/protocol/clone-request.ts';
import type { MediaLength } from './media-length.ts';
import { readSample, type SampleFile } from './sample-file.ts';

/**
 * The window's recordings on their way to the service: files that only their user can read. One that cannot be erased,
 * as where a scanner holds it, is logged: the next start tidies it away.
 */
export interface Recordings {
	/** One at a time: what was open before is erased. */
	begin(name: string): Promise<Result<string, Problem>>;
	/** `at`: bytes there already; another number is refused, and so is more than the service takes. */
	append(recording: string, at: number, bytes: Uint8Array): Promise<Result<void, Problem>>;
	end(recording: string): Promise<Result<SampleFile, Problem>>;
	/** Erases one that is not finished; null = whichever is open. */
	discard(recording: string | null): Promise<void>;
	/** Erases a finished one; any other path is left alone. */
	remove(path: string): Promise<void>;
	/** Erases all but those in `needed`: files left by an ended program. */
	tidy(needed: ReadonlySet<string>): Promise<void>;
}

interface Open {
	readonly id: string;
	readonly name: string;
	readonly path: string;
	readonly file: FileHandle;
	size: number;
}

const failed = err<Problem>({ kind: 'storage-failed', what: 'recording' });

export function createRecordings(
	folder: string,
	lengthOf: MediaLength,
	log: Pick<Logger, 'warn'>,
): Recordings {
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
		async begin(name) {
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
		async append(recording, at, bytes) {
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
		async end(recording) {
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
		async discard(recording) {
			if (recording === null || current?.id === recording) await drop();
		},
		async remove(path) {
			if (dirname(path) === folder) await erase(path);
		},
		async tidy(needed) {
			const names = await readdir(folder).catch(() => []);
			for (const name of names) {
				const path = join(folder, name);
				if (!needed.has(path) && path !== current?.path) await erase(path);
			}
		},
	};
}
