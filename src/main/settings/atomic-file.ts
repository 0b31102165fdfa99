import { randomUUID } from 'node:crypto';
import {
	close,
	closeSync,
	fsync,
	fsyncSync,
	lstatSync,
	open,
	openSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolderNow } from '#main/lib/make-folder.ts';
import { codeOf } from '#main/lib/whole-file.ts';

/**
 * Replaces a file in one step: after a crash at any moment it holds the old text or the new, never
 * half of one. Readable by its owner only. Behind a link the file that it means is replaced, and one that cannot be, as
 * one mounted into a container, is written as it stands. Throws what the file system says.
 *
 * `flush`: `after` = does not wait for the disk, which may take 70 ms: if the computer crashes in the meantime, the file
 * may be empty; a crash of the program alone does no harm.
 */
export function writeAtomically(
	named: string,
	data: string | Uint8Array,
	flush: 'first' | 'after' = 'first',
): void {
	const path = behindLinks(named);
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
		const isHeld = ['EACCES', 'EPERM', 'EBUSY'].includes(codeOf(failure));
		if (!isHeld || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw failure;
		writeFileSync(path, data, { flush: true });
	}
}

/** What a name means, also where a link leads to what is not there yet. */
function behindLinks(name: string, depth = 0): string {
	try {
		return realpathSync(name);
	} catch (failure) {
		if (codeOf(failure) !== 'ENOENT' || depth > 30) throw failure;
		if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return name;
		return behindLinks(resolve(dirname(name), readlinkSync(name)), depth + 1);
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
export function clearParts(named: string, beforeWallMs: number): void {
	try {
		const path = behindLinks(named);
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
