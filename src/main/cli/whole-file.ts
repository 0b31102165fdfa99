import { randomUUID } from 'node:crypto';
import { constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/** Where a file is written until it is whole and takes its place. */
export function partOf(path: string): string {
	return `${path}.${randomUUID()}.part`;
}

interface Place {
	readonly path: string;
	/** Rights of the file that is there; absent = none is. */
	readonly mode?: number;
}

/**
 * The place that a name means, behind links; null = a pipe or a device, whose place nothing can take. Throws when a
 * folder is there, or a file that may not be changed: renaming would tell of the one too late, and not of the other.
 */
export async function placeOf(name: string): Promise<Place | null> {
	const found = await stat(name).catch(() => null);
	if (!found) return { path: name };
	// Opened and closed again, a pipe would have come to its end.
	if (!found.isFile() && !found.isDirectory()) return null;
	await (await open(name, constants.O_WRONLY)).close();
	return { path: await realpath(name), mode: found.mode & 0o777 };
}

/** Throws what would keep a file from being written there; leaves everything as it is. */
export async function tryPlace(name: string): Promise<void> {
	const place = await placeOf(name);
	if (!place) return;
	const part = partOf(place.path);
	await (await open(part, 'wx')).close();
	await rm(part);
}

/** Until the new file is whole, the one that was there before stays: a full disk destroys nothing. */
export async function writeWhole(name: string, content: string | Uint8Array): Promise<void> {
	const place = await placeOf(name);
	if (!place) return writeFile(name, content);
	const { path, ...rights } = place;
	const part = partOf(path);
	try {
		await writeFile(part, content, { flag: 'wx', flush: true, ...rights });
		await rename(part, path);
	} catch (thrown) {
		await rm(part, { force: true }).catch(() => {});
		throw thrown;
	}
}
