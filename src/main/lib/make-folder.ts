import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Rights of the folders that are made; without it what the system gives. */
export interface FolderRights {
	readonly mode?: number;
}

/**
 * Makes a folder and those above it that are missing, and says which, the outermost first; one that is there is left
 * as it is. Throws the error of the file system. Node's own `recursive` never returns where the system says ENOENT of a folder
 * below one that exists, as in `/proc`.
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

/** As `makeFolder`, at once. */
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

/** Another program may have made it in between: then false. */
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
