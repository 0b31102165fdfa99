import { randomUUID } from 'node:crypto';
import {
	chmodSync,
	close,
	closeSync,
	fsync,
	fsyncSync,
	lstatSync,
	mkdirSync,
	open as openLater,
	openSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
	writeFileSync,
} from 'node:fs';
import {
	chmod,
	constants,
	copyFile,
	type FileHandle,
	lstat,
	mkdir,
	open,
	readdir,
	realpath,
	rename,
	rm,
	stat,
	statfs,
	writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** Permissions of new folders; default: the system's. */
interface FolderRights {
	readonly mode?: number;
}

/**
 * Creates a folder and its missing parents, and returns those it created, the outermost first; an existing
 * one is left as it is. Throws the file system's error. Node's own `recursive` never returns where the system
 * reports ENOENT for a folder below an existing one, as in `/proc`.
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

/** Like `makeFolder`, synchronously. */
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

/** False if another program created it in between. */
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
	return codeOf(thrown) === 'ENOENT' && dirname(path) !== path;
}

async function isFolder(path: string): Promise<boolean> {
	const found = await stat(path).catch(() => null);
	return found?.isDirectory() === true;
}

function isFolderNow(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Free bytes on the disk of the folder, which may not exist yet. Throws the file system's error. */
export async function freeBytesAt(folder: string): Promise<number> {
	try {
		const { bavail, bsize } = await statfs(folder);
		return bavail * bsize;
	} catch (thrown) {
		const above = dirname(folder);
		if (codeOf(thrown) !== 'ENOENT' || above === folder) throw thrown;
		return freeBytesAt(above);
	}
}

/** The user's home folder; empty if there is none, as for a user id without an account in a container. */
export function homeFolder(): string {
	try {
		const home = homedir();
		return isAbsolute(home) ? home : '';
	} catch {
		return '';
	}
}

/** True if this name leads to something that is neither a file nor a folder. */
export async function isPipeOrDevice(name: string): Promise<boolean> {
	const found = await stat(name).catch(() => null);
	return found !== null && isNoFile(found);
}

const isNoFile = (found: Stats) => !found.isFile() && !found.isDirectory();

/** The temporary name of an incomplete file; the final name may have the greatest possible length. */
export function partOf(path: string): string {
	return join(dirname(path), `.dragoman-${randomUUID()}.part`);
}

const PART = /^\.dragoman-[0-9a-f-]{36}\.part$/;
/** A part that has not grown for this long was left by a program that was killed. */
const LEFT_AFTER_MS = 86_400_000;

/** Creates the part of a file, readable by its owner alone, after removing parts of killed programs. */
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
	/** Permissions of the existing file; absent = there is none. */
	readonly mode?: number;
}

/**
 * The path that a name leads to, behind links; null = a pipe, a device or a link to a file that does not
 * exist yet, which must be written through. Throws for a folder, and for a file that may not be changed:
 * renaming would report the former too late and ignore the latter.
 */
export async function placeOf(name: string): Promise<Place | null> {
	const found = await stat(name).catch(() => null);
	if (!found) return (await lstat(name).catch(() => null)) ? null : { path: name };
	// Do not try a pipe: opening and closing would end it.
	if (isNoFile(found)) return null;
	await (await open(name, constants.O_WRONLY)).close();
	return { path: await realpath(name), mode: found.mode & 0o777 };
}

/** True if the folder takes no new file, or the file cannot be replaced, only written in place. */
function isHeld(place: Place, failure: unknown): boolean {
	return place.mode !== undefined && ['EACCES', 'EPERM', 'EBUSY'].includes(codeOf(failure));
}

/** Moves the complete file into place, with the old one's permissions. Throws and leaves `part` if it cannot. */
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

/** Throws the error that would prevent a file from being written there; leaves everything as it is. */
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

/** Writes a whole file. The old one stays until the new one is complete: a full disk destroys nothing. */
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

/**
 * Replaces a file in one step: after a crash at any moment it holds the old text or the new, never half of one.
 * Readable by its owner only. Follows a link to its file; a file that cannot be replaced, such as one mounted into a
 * container, is written in place. Throws the file system's errors.
 *
 * `flush`: `after` = does not wait for the disk, which may take 70 ms: if the computer crashes in the meantime, the
 * file may be empty; a crash of the program alone does no harm.
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

/** Resolves the links in a path, even if they lead to a file that does not exist yet. */
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
	openLater(path, 'r+', (refused, file) => {
		if (!refused) fsync(file, () => close(file));
	});
}

/** Removes temporary files that `writeAtomically` left before `beforeWallMs`, Unix ms. Never throws. */
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
		// There is no such folder, or we may not read it: then there is nothing to clear.
	}
}

/**
 * Why a folder cannot be used for our data. `foreign`: the folder, or something in it, belongs to another
 * user, who could read or replace what we write. `shared`: others use it, too (as with `/tmp` or a home), so
 * it cannot be closed to them. `nowhere`: the system has no place for it. `unwritable`: it can only be read.
 */
export type FolderRefusal = 'foreign' | 'shared' | 'nowhere' | 'unwritable';

/** Rights of everybody but the owner. */
const OTHERS = 0o077;
/** The sticky bit, as on `/tmp`: everybody may put something there. */
const STICKY = 0o1000;

/**
 * Checks our folder before anything is read or written there, and closes it to all others. A missing one is
 * fine: it will be created that way. This finds links and files that another user has put there, so that no
 * later write goes through one. Windows keeps the rights of a user's folders itself. Never throws.
 */
export function claimFolder(path: string): FolderRefusal | null {
	if (path === '') return 'nowhere';
	const us = process.getuid?.();
	if (us === undefined) return null;
	try {
		const isOurs = ({ uid }: Stats) => uid === us;
		// Files of root are harmless: root could do anything anyway.
		const isHarmless = ({ uid }: Stats) => uid === us || uid === 0;
		const found = statSync(path);
		if (!isHarmless(lstatSync(path)) || !isOurs(found)) return 'foreign';
		if ((found.mode & STICKY) !== 0 || isForMore(path)) return 'shared';
		const wasOpen = (found.mode & OTHERS) !== 0;
		if (wasOpen) chmodSync(path, 0o700);
		// Check only now that no other user can add files;
		// in a folder that was closed before, check only the places where we store data.
		if (holdsOnly(path, isHarmless, wasOpen ? Number.POSITIVE_INFINITY : 1)) return null;
		// Open it again as before: the next start must find the same and refuse again.
		if (wasOpen) chmodSync(path, found.mode & 0o7777);
		return 'foreign';
	} catch {
		// The folder is missing, has gone meanwhile, or is on a disk without rights:
		// its first use will report that.
		return null;
	}
}

/** Whether everything in this folder, and this many levels below it, is harmless. */
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

interface Machine {
	readonly platform: NodeJS.Platform;
	/** Empty if there is none. */
	readonly home: string;
	readonly env: NodeJS.ProcessEnv;
}

/** The system's place for our folder; empty if it has none. */
function defaultFolder({ platform, home, env }: Machine): string {
	if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'Dragoman');
	if (platform !== 'win32' && platform !== 'darwin' && env.XDG_CONFIG_HOME?.startsWith('/'))
		// The XDG specification: a relative path is invalid and must be ignored.
		return join(env.XDG_CONFIG_HOME, 'dragoman');
	if (home === '') return '';
	if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Dragoman');
	return platform === 'win32'
		? join(home, 'AppData', 'Roaming', 'Dragoman')
		: join(home, '.config', 'dragoman');
}

/** The option or variable with its path; empty = the system's default place. */
export function userDataSource(env: NodeJS.ProcessEnv, option?: string): string {
	if (option) return '--user-data-dir';
	return env.DRAGOMAN_USER_DATA ? 'DRAGOMAN_USER_DATA' : '';
}

/** The folder of settings, ledger and logs: the option, `DRAGOMAN_USER_DATA`, or the system's place. */
export function userDataFolder(machine: Machine, option?: string): string {
	const named = option || machine.env.DRAGOMAN_USER_DATA;
	return named ? resolve(named) : defaultFolder(machine);
}

/** The code of a Node error, such as `ENOENT`. Only a single word: a longer text may quote a secret. */
export function codeOf(thrown: unknown, otherwise = ''): string {
	const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : '';
	return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : otherwise;
}

/** Why a file could not be opened, as the end of a sentence. */
export function whyUnreadable(thrown: unknown): string {
	const code = thrown instanceof Error ? codeOf(thrown) : '';
	if (code === 'ENOENT') return 'it does not exist';
	return code === 'EACCES' ? 'there is no permission to read it' : 'it cannot be opened';
}
