import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder } from '#main/lib/make-folder.ts';

/**
 * Why nothing of ours may be kept in a folder. `foreign`: it, or something in it, belongs to another user, who could
 * read or replace what we write. `shared`: it serves more than us (as `/tmp` or a home does) and cannot be closed.
 * `nowhere`: the system has no place for it. `unwritable`: it can only be read.
 */
export type FolderRefusal = 'foreign' | 'shared' | 'nowhere' | 'unwritable';

/** Rights of everybody but the owner. */
const OTHERS = 0o077;
/** As of `/tmp`: everybody may put something there. */
const STICKY = 0o1000;

/**
 * Looks at a folder of ours before anything is read or written there, and closes it to all others. One that is
 * missing is fine: it will be made that way. Links and files that another user has put there are found here, so that no
 * later write goes through one. Windows keeps the rights of a user's folders itself. Never throws.
 */
export function claimFolder(path: string): FolderRefusal | null {
	if (path === '') return 'nowhere';
	const us = process.getuid?.();
	if (us === undefined) return null;
	try {
		const isOurs = ({ uid }: Stats) => uid === us;
		// Whatever root has put there, root could do anyway.
		const isHarmless = ({ uid }: Stats) => uid === us || uid === 0;
		const found = statSync(path);
		if (!isHarmless(lstatSync(path)) || !isOurs(found)) return 'foreign';
		if ((found.mode & STICKY) !== 0 || isForMore(path)) return 'shared';
		const wasOpen = (found.mode & OTHERS) !== 0;
		if (wasOpen) chmodSync(path, 0o700);
		// Checked only now that nobody else can add anything; of one that was closed, only where we keep things.
		if (holdsOnly(path, isHarmless, wasOpen ? Number.POSITIVE_INFINITY : 1)) return null;
		// As open as it was: the next start must find the same and refuse again.
		if (wasOpen) chmodSync(path, found.mode & 0o7777);
		return 'foreign';
	} catch {
		// Not there yet, gone meanwhile, or on a disk without rights: reported where the folder is used.
		return null;
	}
}

/** Is everything in this folder, and in the folders so many levels below it, harmless? */
function holdsOnly(folder: string, isHarmless: (found: Stats) => boolean, depth: number): boolean {
	return readdirSync(folder).every((name) => {
		const path = join(folder, name);
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (!found) return true;
		if (!isHarmless(found)) return false;
		return depth === 0 || !found.isDirectory() || holdsOnly(path, isHarmless, depth - 1);
	});
}

function isForMore(path: string): boolean {
	const real = realpathSync(path);
	const home = homeFolder();
	return dirname(real) === real || (home !== '' && real === realpathSync(home));
}

/** The refusal in words, for a terminal. */
export function refusalWords(refusal: FolderRefusal, path: string): string {
	if (refusal === 'nowhere')
		return 'There is no home folder to keep data in. Name a data folder with --user-data-dir or DRAGOMAN_USER_DATA.';
	const why = {
		foreign: 'belongs to another user, or holds something that does',
		shared: 'holds other things too, so it cannot be closed to other users',
		unwritable: 'cannot be written',
	}[refusal];
	return `The data folder ${path} ${why}. Choose one of your own with --user-data-dir or DRAGOMAN_USER_DATA.`;
}
