import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#main/lib/make-folder.ts';

/** Made by this run for what it writes. */
const made = new Set<string>();

/** As `makeFolder`, for a folder that `removeEmptyFolder` may take away again. */
export async function makeOutputFolder(path: string): Promise<void> {
	for (const folder of await makeFolder(path)) made.add(folder);
}

/** Takes away `path` and those above it, as far as this run made them and nothing is in them. Never rejects. */
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
