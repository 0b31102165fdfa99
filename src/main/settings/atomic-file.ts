import { randomUUID } from 'node:crypto';
import {
	close,
	closeSync,
	fsync,
	fsyncSync,
	open,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolderNow } from '#main/lib/make-folder.ts';

/**
 * Replaces a file in one step: after a crash at any moment it holds the old text or the new, never
 * half of one. Readable by its owner only. Throws what the file system says.
 *
 * `flush`: `after` = does not wait for the disk, which may take 70 ms: if the computer crashes in the meantime, the file
 * may be empty; a crash of the program alone does no harm.
 */
export function writeAtomically(
	path: string,
	data: string | Uint8Array,
	flush: 'first' | 'after' = 'first',
): void {
	makeFolderNow(dirname(path), { mode: 0o700 });
	const part = `${path}.${randomUUID()}.part`;
	try {
		const file = openSync(part, 'wx', 0o600);
		try {
			writeFileSync(file, data);
			if (flush === 'first') fsyncSync(file);
		} finally {
			closeSync(file);
		}
		renameSync(part, path);
		if (flush === 'after') flushLater(path);
	} catch (failure) {
		rmSync(part, { force: true });
		throw failure;
	}
}

function flushLater(path: string): void {
	open(path, 'r+', (refused, file) => {
		if (!refused) fsync(file, () => close(file));
	});
}

/**
 * Removes what programs that died in `writeAtomically` left beside a file. Only what is older than `beforeWallMs`,
 * Unix ms: another program may still be writing a younger one. Never throws.
 */
export function clearParts(path: string, beforeWallMs: number): void {
	try {
		const begins = `${basename(path)}.`;
		const parts = readdirSync(dirname(path)).filter(
			(name) => name.startsWith(begins) && name.endsWith('.part'),
		);
		for (const name of parts) {
			const part = join(dirname(path), name);
			if (statSync(part).mtimeMs < beforeWallMs) rmSync(part, { force: true });
		}
	} catch {
		// No such folder, or not ours to read: then there is nothing to clear either.
	}
}
