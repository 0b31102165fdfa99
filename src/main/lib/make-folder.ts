import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';

/** Rights of the folders that are made; default: what the system gives. */
export interface FolderRights {
	readonly mode?: number;
}

/**
 * Makes a folder and its missing parents, and returns those made, the outermost first; an existing one is left as it is.
 * Throws the file system's error. Node's own `recursive` never returns where the system reports ENOENT for a folder
 * below an existing one, as in `/proc`.
 */
export async function makeFolder(path: string, rights: FolderRights = {}): Promise<readonly string[]> {
	try {
		await mkdir(path, rights);
		return [path];
	} catch (thrown) {
		if (await isFolder(path)) return [];
		if (!lacksParent(thrown, path)) throw thrown;
		const above = await makeFolder(dirname(path), rights);
		return (await once(() => mkdir(path, rights), path)) ? [...above, path] : above;
	}
}

/** As `makeFolder`, synchronously. */
export function makeFolderNow(path: string, rights: FolderRights = {}): void {
	try {
		mkdirSync(path, rights);
	} catch (thrown) {
		if (isFolderNow(path)) return;
		if (!lacksParent(thrown, path)) throw thrown;
		makeFolderNow(dirname(path), rights);
		try {
			mkdirSync(path, rights);
		} catch (again) {
			if (!isFolderNow(path)) throw again;
		}
	}
}

/** False when another program made it in between. */
async function once(make: () => Promise<unknown>, path: string): Promise<boolean> {
	try {
		await make();
		return true;
	} catch (thrown) {
		if (!(await isFolder(path))) throw thrown;
		return false;
	}
}

function lacksParent(thrown: unknown, path: string): boolean {
	return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' && dirname(path) !== path;
}

async function isFolder(path: string): Promise<boolean> {
	const found = await stat(path).catch(() => null);
	return found?.isDirectory() === true;
}

function isFolderNow(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The person's own folder; empty where there is none, as for a user that only a container knows. */
export function homeFolder(): string {
	try {
		const home = homedir();
		return isAbsolute(home) ? home : '';
	} catch {
		return '';
	}
}
