import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
	chmod,
	constants,
	copyFile,
	type FileHandle,
	lstat,
	open,
	readdir,
	realpath,
	rename,
	rm,
	stat,
	writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Is there something under this name that is neither a file nor a folder? */
export async function isPipeOrDevice(name: string): Promise<boolean> {
	const found = await stat(name).catch(() => null);
	return found !== null && isNoFile(found);
}

const isNoFile = (found: Stats) => !found.isFile() && !found.isDirectory();

/** Where a file is written until it is whole and takes its place. Its own name may be as long as a name can be. */
export function partOf(path: string): string {
	return join(dirname(path), `.dragoman-${randomUUID()}.part`);
}

const PART = /^\.dragoman-[0-9a-f-]{36}\.part$/;
/** Nothing is added to a part for longer than that only if its program was killed. */
const LEFT_AFTER_MS = 86_400_000;

/** Makes the part of a file, readable by its owner alone, and removes those that killed programs have left beside it. */
export async function openPart(part: string): Promise<FileHandle> {
	const handle = await open(part, 'wx', 0o600);
	const { mtimeMs: now } = await handle.stat();
	const folder = dirname(part);
	for (const name of await readdir(folder).catch(() => [])) {
		if (!PART.test(name)) continue;
		const left = join(folder, name);
		const found = await lstat(left).catch(() => null);
		if (found && now - found.mtimeMs > LEFT_AFTER_MS) await rm(left, { force: true }).catch(() => {});
	}
	return handle;
}

export interface Place {
	readonly path: string;
	/** Rights of the file that is there; absent = none is. */
	readonly mode?: number;
}

/**
 * The place that a name means, behind links; null = a pipe, a device or a link to what is not there yet, which are
 * written through. Throws when a folder is there, or a file that may not be changed: renaming would tell of the one too
 * late, and not of the other.
 */
export async function placeOf(name: string): Promise<Place | null> {
	const found = await stat(name).catch(() => null);
	if (!found) return (await lstat(name).catch(() => null)) ? null : { path: name };
	// Opened and closed again, a pipe would have come to its end.
	if (isNoFile(found)) return null;
	await (await open(name, constants.O_WRONLY)).close();
	return { path: await realpath(name), mode: found.mode & 0o777 };
}

/**
 * The folder takes no new file, or the file is held in its place, as one mounted into a container. One that is there
 * can still be written as it stands.
 */
function isHeld(place: Place, failure: unknown): boolean {
	return place.mode !== undefined && ['EACCES', 'EPERM', 'EBUSY'].includes(codeOf(failure));
}

/** Puts what is whole into its place, with the rights of the file that is there. Throws, and leaves `part`, if it cannot. */
export async function takePlace(part: string, place: Place): Promise<void> {
	try {
		await chmod(part, place.mode ?? 0o666 & ~process.umask());
		await rename(part, place.path);
	} catch (thrown) {
		// A link may lead to another disk.
		if (!isHeld(place, thrown) && codeOf(thrown) !== 'EXDEV') throw thrown;
		await copyFile(part, place.path);
		await rm(part, { force: true });
	}
}

/** Throws what would keep a file from being written there; leaves everything as it is. */
export async function tryPlace(name: string): Promise<void> {
	const place = await placeOf(name);
	if (!place) return;
	const part = partOf(place.path);
	try {
		await (await openPart(part)).close();
		await rm(part);
	} catch (thrown) {
		if (!isHeld(place, thrown)) throw thrown;
	}
}

/** Until the new file is whole, the one that was there before stays: a full disk destroys nothing. */
export async function writeWhole(name: string, content: string | Uint8Array): Promise<void> {
	const place = await placeOf(name);
	if (!place) return writeFile(name, content);
	const { path } = place;
	const part = partOf(path);
	try {
		const handle = await openPart(part);
		try {
			await handle.writeFile(content);
			await handle.sync();
		} finally {
			await handle.close();
		}
		await takePlace(part, place);
	} catch (thrown) {
		await rm(part, { force: true }).catch(() => {});
		if (!isHeld(place, thrown)) throw thrown;
		await writeFile(path, content);
	}
}

export function codeOf(thrown: unknown): string {
	const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
	return typeof code === 'string' ? code : 'not written';
}
