import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step: after a crash at any moment it holds the old text or the new, never
 * half of one. Readable by its owner only. Throws what the file system says.
 */
export function writeAtomically(path: string, data: string | Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
