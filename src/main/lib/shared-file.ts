import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, lstatSync, openSync, rmSync } from 'node:fs';
import * as disk from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/mini';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { codeOf, makeFolder, makeFolderNow } from './files.ts';

const VERSION = 1;

/** The contents of a file that several programs share. */
interface SaltedList<Entry> {
	readonly salt: string;
	readonly entries: readonly Entry[];
}

/** `newer`: written by a later version, to be left alone. `broken`: `content` holds what could be saved. */
type ListReading<Entry> =
	| { readonly type: 'fine'; readonly content: SaltedList<Entry> }
	| { readonly type: 'newer' }
	| { readonly type: 'broken'; readonly content: SaltedList<Entry> | null };

interface ListFormat<Entry> {
	/** Never throws; keeps every valid entry. */
	parse(text: string): ListReading<Entry>;
	format(content: SaltedList<Entry>): string;
}

const Outer = z.looseObject({ version: z.number(), salt: z.string().check(z.minLength(8)) });
const List = z.array(z.unknown());

/** JSON with a version and a salt, and the entries under `key`. */
export function listFormat<Entry>(key: string, entry: z.core.$ZodType<Entry>): ListFormat<Entry> {
	return {
		parse(text) {
			const outer = Outer.safeParse(parseJson(text));
			const list = List.safeParse(outer.data?.[key]);
			if (!outer.success || !list.success) return { type: 'broken', content: null };
			if (outer.data.version > VERSION) return { type: 'newer' };
			const read = list.data.map((one) => z.safeParse(entry, one));
			const entries = read.flatMap((one) => (one.success ? [one.data] : []));
			const content = { salt: outer.data.salt, entries };
			return entries.length === read.length ? { type: 'fine', content } : { type: 'broken', content };
		},
		format: ({ salt, entries }) =>
			`${JSON.stringify({ version: VERSION, salt, [key]: entries }, null, '\t')}\n`,
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}

/** SQLite's code for "locked by another process". */
const SQLITE_BUSY = 5;

/** A change takes milliseconds; a process that holds the lock this long is stuck. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 20;
/** On Windows a scanner may hold a file for a moment after it was written, so retry for half a second in all. */
const RENAME_RETRY_MS = 50;
const RENAME_TRIES = 11;
const HELD_CODES: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** The file operations of a shared file; a test can simulate a crash at any of them. */
export type SharedDisk = Pick<typeof disk, 'copyFile' | 'open' | 'readdir' | 'readFile' | 'rename' | 'rm'>;

/**
 * A list in a file that all running programs of this user share. Crash-safe: after `change` has
 * resolved, what it wrote survives a power cut. Its failures are `storage-failed`, named by the file.
 */
export interface SharedFile<Entry> {
	/** Names this process in the entries; held until it exits. */
	readonly owner: string;
	/** For hashes that only the programs sharing this file can make; the same for all of them. */
	salt(): Promise<Result<string, Problem>>;
	/** Reads the entries, even if the disk cannot be written. */
	read(): Promise<Result<readonly Entry[], Problem>>;
	/** Replaces the entries with the result of `edit`, which must be quick and pure: other processes wait. */
	change(edit: (entries: readonly Entry[]) => readonly Entry[]): Promise<Result<readonly Entry[], Problem>>;
	/** True if the process that wrote this owner runs, or if in doubt. Removes the traces of a dead one. */
	isInUse(owner: string): boolean;
	/** True if another running program has opened this file. */
	othersRun(): Promise<Result<boolean, Problem>>;
	/** Where an unreadable file was kept since this process began; `null` = the file was fine. */
	brokenFile(): string | null;
	/** Releases everything this process owns. Changes are still possible, under no owner. */
	close(): void;
}

interface SharedFileParts<Entry> {
	/** The user-data folder; created if missing. */
	readonly folder: string;
	/** `NAME.json`, with `NAME.lock` for changes and `NAME.owners/` for the running processes. */
	readonly name: string;
	readonly format: ListFormat<Entry>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: SharedDisk;
	/** Default: this system's. */
	readonly platform?: NodeJS.Platform;
}

export function createSharedFile<Entry>(parts: SharedFileParts<Entry>): SharedFile<Entry> {
	const { folder, name, format, clock, log, disk: its = disk, platform = process.platform } = parts;
	const file = join(folder, `${name}.json`);
	const owners = join(folder, `${name}.owners`);
	const owner = randomUUID();
	let ownerLock: OsLock | null = null;
	let closed = false;
	let brokenAs: string | null = null;
	let salt: string | null = null;
	let queue: Promise<unknown> = Promise.resolve();

	async function takeTurn(): Promise<OsLock | null> {
		const giveUpAt = clock.now() + LOCK_MS;
		for (;;) {
			const lock = takeLock(join(folder, `${name}.lock`));
			if (lock || clock.now() >= giveUpAt) return lock;
			await wait(LOCK_RETRY_MS);
		}
	}

	function wait(ms: number): Promise<void> {
		return new Promise((done) => void clock.after(ms, done));
	}

	async function rename(...way: Parameters<SharedDisk['rename']>): Promise<void> {
		for (let left = platform === 'win32' ? RENAME_TRIES : 1; ; left -= 1) {
			try {
				return await its.rename(...way);
			} catch (failure) {
				if (left === 1 || !HELD_CODES.has(codeOf(failure))) throw failure;
			}
			await wait(RENAME_RETRY_MS);
		}
	}

	/**
	 * Takes this process's lock before any entry can name it, and holds it until exit: the lock shows other
	 * processes that we are alive. Call only with the file's lock held, so that no process mistakes a file
	 * about to be locked for that of a dead program.
	 */
	async function signIn(): Promise<void> {
		ownerLock = takeLock(join(owners, owner));
		for (const other of await its.readdir(owners)) isInUse(other);
	}

	function isInUse(other: string): boolean {
		if (other === owner) return true;
		if (!/^[\w-]{1,64}$/.test(other)) return false;
		if (isLocked(join(owners, other))) return true;
		return !removeTraces(other);
	}

	/** False if that fails, as on Windows while a program has them open. */
	function removeTraces(of: string): boolean {
		try {
			removeLockFile(join(owners, of));
			return true;
		} catch {
			return false;
		}
	}

	/** Sets an unreadable file aside; its valid entries are carried over. */
	async function load(): Promise<SaltedList<Entry> | 'newer'> {
		const text = await its.readFile(file, 'utf8').catch(ignoreMissing);
		// The salt counts only once it is written: until then the next reader would create another.
		if (text === null) return fresh();
		const reading = format.parse(text);
		if (reading.type === 'newer') return 'newer';
		if (reading.type === 'fine') {
			salt = reading.content.salt;
			return reading.content;
		}
		const keptAs = `${file}.broken-${clock.wall()}`;
		const kept = reading.content ?? fresh();
		// Copy it, do not move it: the valid entries stay in the old file until they are in the new one.
		try {
			await its.copyFile(file, keptAs);
			await write(kept);
		} catch (failure) {
			await its.rm(keptAs, { force: true }).catch(() => {});
			throw failure;
		}
		brokenAs = keptAs;
		log.error(`${name}: unreadable, kept aside`, { keptAs, saved: kept.entries.length });
		return kept;
	}

	async function write(content: SaltedList<Entry>): Promise<void> {
		// Write through a link, do not replace it; `claimFolder` has checked its owner.
		const real = await disk.realpath(file).catch(() => file);
		await writeWhole({ ...its, rename }, dirname(real), real, format.format(content));
		salt = content.salt;
	}

	async function alone<Value>(
		work: (content: SaltedList<Entry>) => Promise<Value>,
	): Promise<Result<Value, Problem>> {
		let lock: OsLock | null = null;
		try {
			await makeFolder(folder, { mode: 0o700 });
			lock = await takeTurn();
			if (!lock) return failed('locked');
			if (!ownerLock && !closed) await signIn();
			const content = await load();
			return content === 'newer' ? failed('newer version') : ok(await work(content));
		} catch (thrown) {
			log.error(`${name} failed`, { cause: String(thrown) });
			return failed(codeOf(thrown, 'failed'));
		} finally {
			lock?.release();
		}
	}

	/** Reads without the lock; null = unreadable. On a full or read-only disk no process can change the file. */
	async function look(): Promise<SaltedList<Entry> | null> {
		try {
			const text = await its.readFile(file, 'utf8').catch(ignoreMissing);
			if (text === null) return fresh();
			const reading = format.parse(text);
			return reading.type === 'newer' ? null : (reading.content ?? fresh());
		} catch {
			return null;
		}
	}

	/** Reads without the lock if the disk does not even allow locking. */
	async function orLooked<Value>(
		done: Result<Value, Problem>,
		pick: (content: SaltedList<Entry>) => Value,
	): Promise<Result<Value, Problem>> {
		const seen = done.ok ? null : await look();
		return seen ? ok(pick(seen)) : done;
	}

	const failed = (why: string) => err<Problem>({ kind: 'storage-failed', what: `${file} (${why})` });

	function inTurn<Value>(
		work: (content: SaltedList<Entry>) => Promise<Value>,
	): Promise<Result<Value, Problem>> {
		const turn = queue.then(() => alone(work));
		queue = turn;
		return turn;
	}

	return {
		owner,
		async salt() {
			if (salt !== null) return ok(salt);
			const written = await inTurn(async (content) => {
				// Write the salt at once: another process must not create a different one.
				if (salt === null) await write(content);
				return content.salt;
			});
			return orLooked(written, (content) => content.salt);
		},
		read: async () => orLooked(await inTurn(async ({ entries }) => entries), ({ entries }) => entries),
		change: (edit) =>
			inTurn(async (content) => {
				const entries = edit(content.entries);
				await write({ salt: content.salt, entries });
				return entries;
			}),
		isInUse,
		// Check with the lock held, so that a process that is just starting does not look dead.
		othersRun: () =>
			inTurn(async () => (await its.readdir(owners)).some((one) => one !== owner && isInUse(one))),
		brokenFile: () => brokenAs,
		close() {
			closed = true;
			ownerLock?.release();
			ownerLock = null;
			removeTraces(owner);
		},
	};
}

function fresh<Entry>(): SaltedList<Entry> {
	return { salt: randomBytes(16).toString('hex'), entries: [] };
}

/** Keeps the old or new file complete, even after a power cut. Needs the lock: the temporary name is fixed. */
async function writeWhole(its: SharedDisk, folder: string, file: string, text: string): Promise<void> {
	const temporary = `${file}.tmp`;
	try {
		// Remove what a crash has left; `x` then opens nothing that exists, not even a planted link.
		await its.rm(temporary, { force: true });
		await withHandle(await its.open(temporary, 'wx', 0o600), async (handle) => {
			await handle.writeFile(text);
			await handle.sync();
		});
		await its.rename(temporary, file);
	} catch (failure) {
		// On a full disk a half-written file would take the space that the next try needs.
		await its.rm(temporary, { force: true }).catch(() => {});
		throw failure;
	}
	if (process.platform === 'win32') return;
	await withHandle(await its.open(folder, 'r'), (handle) => handle.sync());
}

async function withHandle(
	handle: disk.FileHandle,
	work: (handle: disk.FileHandle) => Promise<void>,
): Promise<void> {
	try {
		await work(handle);
	} finally {
		await handle.close();
	}
}

function ignoreMissing(thrown: unknown): null {
	if (codeOf(thrown) === 'ENOENT') return null;
	throw thrown;
}

/** Held until released or until the process exits, even by a crash. */
interface OsLock {
	release(): void;
}

/**
 * Takes a lock of the operating system on `file`, or gives `null` while another process (or another caller in
 * this process) has it. Node has no `flock`; an empty SQLite database in an exclusive transaction is one on
 * every platform, released by the kernel even after `kill -9`, so that there is no stale lock to detect.
 * Throws when the folder cannot be written, or a link is in its place.
 */
export function takeLock(file: string): OsLock | null {
	makeFolderNow(dirname(file), { mode: 0o700 });
	prepare(file);
	const database = new DatabaseSync(file, { timeout: 0 });
	try {
		// The database stays empty; without this setting a journal would lie beside each lock.
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
 * Creates the lock file, because SQLite would make it readable for all, and follow a link. We never open and
 * close an existing file: that would release every lock of this process on it (fcntl, POSIX).
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
		// Another program may have created it first.
		if (!existsSync(file)) throw thrown;
	}
}

/** True if a living process holds the lock. A missing file is not locked; an unreadable one counts as locked. */
function isLocked(file: string): boolean {
	if (!existsSync(file)) return false;
	try {
		const lock = takeLock(file);
		lock?.release();
		return lock === null;
	} catch {
		return true;
	}
}

function removeLockFile(file: string): void {
	rmSync(file, { force: true });
	rmSync(`${file}-journal`, { force: true });
}

function isBusy(thrown: unknown): boolean {
	return (
		typeof thrown === 'object' && thrown !== null && 'errcode' in thrown && thrown.errcode === SQLITE_BUSY
	);
}
