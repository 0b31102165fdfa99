import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#main/lib/files.ts';

/** Folders that this run made for what it writes. */
const made = new Set<string>();

/** As `makeFolder`, for a folder that `removeEmptyFolder` may remove again. */
export async function makeOutputFolder(path: string): Promise<void> {
	for (const folder of await makeFolder(path)) made.add(folder);
}

/** Removes `path` and its parents, as far as this run made them and they are empty. Never rejects. */
export async function removeEmptyFolder(path: string): Promise<void> {
	for (let folder = path; made.has(folder); folder = dirname(folder)) {
		try {
			await rmdir(folder);
		} catch {
			return;
		}
		made.delete(folder);
	}
}
