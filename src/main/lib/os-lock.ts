import { chmodSync, closeSync, existsSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolderNow } from '#main/lib/make-folder.ts';

/** Held until released or until the process is gone, however it went. */
export interface OsLock {
	release(): void;
}

/** SQLite's "locked by somebody else". */
const SQLITE_BUSY = 5;

/**
 * Takes a lock of the operating system on `file`, or gives `null` while another process (or another
 * holder here) has it. Node has no `flock`; an empty SQLite database in an exclusive transaction is one
 * on every platform, released by the kernel even after `kill -9`, so that there is no stale lock to detect.
 * Throws when the folder cannot be written, or a link lies in its place.
 */
export function takeLock(file: string): OsLock | null {
	makeFolderNow(dirname(file), { mode: 0o700 });
	prepare(file);
	const database = new DatabaseSync(file, { timeout: 0 });
	try {
		// Nothing is ever kept in it: without this a journal would lie beside each lock.
		database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
	} catch (thrown) {
		database.close();
		if (isBusy(thrown)) return null;
		throw thrown;
	}
	let held = true;
	return {
		release() {
			if (!held) return;
			held = false;
			database.close();
		},
	};
}

/**
 * SQLite would make it readable for all, and follow a link. We never open and close a file that is already there:
 * that would release every lock of this process on it (fcntl, POSIX).
 */
function prepare(file: string): void {
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (found && !found.isFile()) throw new Error(`${file} is no plain file`);
	if (!found) makeEmpty(file);
	else if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function makeEmpty(file: string): void {
	try {
		closeSync(openSync(file, 'wx', 0o600));
	} catch (thrown) {
		// Another program was quicker.
		if (!existsSync(file)) throw thrown;
	}
}

/** Is the lock held by a living process? A missing file is not; an unreadable one counts as held. */
export function isLocked(file: string): boolean {
	if (!existsSync(file)) return false;
	try {
		const lock = takeLock(file);
		lock?.release();
		return lock === null;
	} catch {
		return true;
	}
}

export function removeLockFile(file: string): void {
	rmSync(file, { force: true });
	rmSync(`${file}-journal`, { force: true });
}

function isBusy(thrown: unknown): boolean {
	return (
		typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && thrown.errcode === SQLITE_BUSY
	);
}
