import { randomUUID } from 'node:crypto';
import {
	closeSync,
	fsyncSync,
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
 */
export function writeAtomically(path: string, data: string | Uint8Array): void {
	makeFolderNow(dirname(path), { mode: 0o700 });
	const part = `${path}.${randomUUID()}.part`;
	try {
		const file = openSync(part, 'wx', 0o600);
		try {
			writeFileSync(file, data);
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		renameSync(part, path);
	} catch (failure) {
		rmSync(part, { force: true });
		throw failure;
	}
}

/**
 * Removes what programs that died in `writeAtomically` left beside a file. Only what is older than `beforeWallMs`,
 * Unix ms: a younger one may be another program's that is at it. Never throws.
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
