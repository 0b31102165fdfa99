import {
	accessSync,
	chmodSync,
	closeSync,
	constants,
	existsSync,
	lstatSync,
	openSync,
	renameSync,
	rmSync,
	statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolderNow } from '#main/lib/files.ts';
import { fileStamp } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import {
	createHistoryStore,
	FOLD_DOTLESS,
	FOLD_SIGMAS,
	HISTORY_VERSION,
	type HistoryStore,
	hasIndex,
	migrate,
	openIndex,
	versionOf,
} from './history-store.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

export function kindOfFailure(thrown: unknown): 'busy' | 'broken' | 'read-only' | 'other' {
	const code = typeof thrown === 'object' && thrown !== null && 'errcode' in thrown ? thrown.errcode : null;
	if (typeof code !== 'number') return 'other';
	// The extended codes have the primary one in their lowest byte.
	const primary = code & 0xff;
	if (primary === BUSY || primary === LOCKED) return 'busy';
	if (primary === READ_ONLY) return 'read-only';
	return primary === CORRUPT || primary === NOT_A_DATABASE ? 'broken' : 'other';
}

/** The file system's error code, or SQLite's message, since SQLite has one code for everything. */
function reasonOf(thrown: unknown): string {
	if (!(thrown instanceof Error)) return String(thrown);
	return 'code' in thrown && !('errcode' in thrown) ? String(thrown.code) : thrown.message;
}

const COLUMNS = {
	conversation:
		'id, name, state, mode, title, preview, started_at, ended_at, touched_at, length_ms, captions, deleted_at',
	caption: 'id, conversation, key, row, part, kind, language, text, folded, start_ms, end_ms, final, mark',
} as const;

/** How many unreadable places are skipped before a file is given up. */
const MOST_GAPS = 200;

export const HISTORY_FILE = 'history.sqlite';

/** How long to wait while another program writes, ms: it holds up this one. Later writes try again. */
const BUSY_MS = 200;
/** Larger files are not checked as a whole when opened, bytes; damage shows when it is reached. */
const CHECKED_AT_MOST = 64 * 1024 * 1024;

interface HistoryFile {
	readonly database: DatabaseSync;
	/** True if the texts are indexed. */
	readonly indexed: boolean;
	/** Name of a broken file that was just set aside; null = the file was intact. */
	readonly keptAs: string | null;
	/** Number of captions that could still be read from the broken file. */
	readonly saved: number;
}

interface OpenOptions {
	readonly folder: string;
	/** A text for file names, with which a broken file is set aside. */
	readonly stamp: () => string;
	/** Default true: use FTS5 if it is compiled in. */
	readonly fts?: boolean;
	/** Default false. True if the file is known to be broken, even if opening it finds nothing. */
	readonly isBroken?: boolean;
	/** Default true. False while another program may have it open: a broken file is then left in its place. */
	readonly setsAside?: boolean;
}

/** Name endings of the files of a database in WAL mode. */
const PARTS = ['', '-wal', '-shm'];

/** Identifies the file; empty = there is none. */
function idOfHistoryFile(folder: string): string {
	const found = statSync(join(folder, HISTORY_FILE), { bigint: true, throwIfNoEntry: false });
	return found ? `${found.dev}:${found.ino}` : '';
}

/** The file was written by a later version and must not be changed. */
class LaterVersion extends Error {}

/**
 * Opens or creates `history.sqlite`, readable by its owner only; if it may not be written, it can only be
 * read. A broken one is set aside, never dropped, and what can be read of it is copied to a new one. Throws
 * what SQLite or the file system throws.
 */
function openHistoryFile(options: OpenOptions): HistoryFile {
	const { folder, setsAside = true } = options;
	const path = join(folder, HISTORY_FILE);
	const copy = `${path}.new`;
	if (setsAside) settle(path, copy);
	try {
		if (!options.isBroken) return { ...open(path, options), keptAs: null, saved: 0 };
	} catch (thrown) {
		if (kindOfFailure(thrown) !== 'broken' || !setsAside) throw thrown;
	}
	// Copy first: if the program dies meanwhile, the next run finds the broken file and starts over.
	const saved = copyReadable(path, copy, options);
	const keptAs = setAside(folder, options.stamp());
	if (saved !== null) renameSync(copy, path);
	return { ...open(path, options), keptAs, saved: saved ?? 0 };
}

/** Finishes a dead program's copying: deletes an incomplete copy, puts a complete one in place. */
function settle(path: string, copy: string): void {
	if (!existsSync(copy)) return;
	if (existsSync(path)) remove(copy);
	else renameSync(copy, path);
}

/** Copies all readable captions to a new file. Returns their number; null if the file cannot be created (disk full). */
function copyReadable(path: string, copy: string, options: OpenOptions): number | null {
	try {
		const { database, indexed } = open(copy, options);
		try {
			return salvage(path, database, { indexed });
		} finally {
			// The file is complete only after closing, which writes the rest of the log into it.
			database.close();
		}
	} catch {
		remove(copy);
		return null;
	}
}

function remove(path: string): void {
	for (const part of PARTS) rmSync(path + part, { force: true });
}

function open(path: string, { folder, fts = true }: OpenOptions): Pick<HistoryFile, 'database' | 'indexed'> {
	if (existsSync(path) && ![path, folder].every(isWritable)) return openToRead(path, { fts });
	makeFolderNow(folder, { mode: 0o700 });
	// Create the file before SQLite does, which gives the log beside it the same rights.
	refuseLink(path);
	closeSync(openSync(path, 'a', 0o600));
	chmodSync(path, 0o600);
	const database = new DatabaseSync(path, { timeout: BUSY_MS });
	try {
		if (versionOf(database) > HISTORY_VERSION) throw new LaterVersion(HISTORY_FILE);
		database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
		if (statSync(path).size <= CHECKED_AT_MOST) check(database);
		migrate(database);
		return { database, indexed: openIndex(database, { allowed: fts }) };
	} catch (thrown) {
		database.close();
		throw thrown;
	}
}

function isWritable(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

/** Opens a file that may not be written. All versions have the same tables. */
function openToRead(
	path: string,
	{ fts }: { readonly fts: boolean },
): Pick<HistoryFile, 'database' | 'indexed'> {
	refuseLink(path);
	const database = openUnwritten(path);
	try {
		if (versionOf(database) > HISTORY_VERSION) throw new LaterVersion(HISTORY_FILE);
		if (statSync(path).size <= CHECKED_AT_MOST) check(database);
		return { database, indexed: fts && hasIndex(database) };
	} catch (thrown) {
		database.close();
		throw thrown;
	}
}

function openUnwritten(path: string): DatabaseSync {
	const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
	try {
		versionOf(database);
		return database;
	} catch (thrown) {
		database.close();
		if (['busy', 'broken'].includes(kindOfFailure(thrown))) throw thrown;
	}
	// SQLite would create a new log, because the old one has been closed.
	const url = pathToFileURL(path);
	url.searchParams.set('immutable', '1');
	return new DatabaseSync(url, { readOnly: true });
}

/** SQLite would write through a link. Only we can write to the folder, so none can appear after this check. */
function refuseLink(path: string): void {
	for (const part of ['', '-wal', '-shm', '-journal']) {
		const found = lstatSync(path + part, { throwIfNoEntry: false });
		if (found && !found.isFile()) throw new Error(`${HISTORY_FILE}${part} is no plain file`);
	}
}

/** Throws if anything in the file is damaged. */
function check(database: DatabaseSync): void {
	const said = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
	if (said !== 'ok') throw Object.assign(new Error(String(said)), { errcode: 11 });
}

function setAside(folder: string, stamp: string): string {
	let keptAs = `${HISTORY_FILE}.broken-${stamp}`;
	for (let again = 2; existsSync(join(folder, keptAs)); again++)
		keptAs = `${HISTORY_FILE}.broken-${stamp}-${again}`;
	for (const part of PARTS) {
		const from = join(folder, HISTORY_FILE + part);
		if (existsSync(from)) renameSync(from, join(folder, keptAs + part));
	}
	return keptAs;
}

type Row = Record<string, SQLInputValue>;

/** Copies the readable data of a broken file. Returns the number of captions; damage never throws. */
function salvage(broken: string, into: DatabaseSync, { indexed }: { readonly indexed: boolean }): number {
	let from: DatabaseSync;
	try {
		from = new DatabaseSync(broken, { readOnly: true });
	} catch {
		return 0;
	}
	into.exec('BEGIN IMMEDIATE');
	try {
		const rescued = isKnownVersion(from) ? copyAll(from, into) : 0;
		if (indexed) into.exec("INSERT INTO caption_text (caption_text) VALUES ('rebuild')");
		into.exec('COMMIT');
		return rescued;
	} catch (thrown) {
		into.exec('ROLLBACK');
		throw thrown;
	} finally {
		from.close();
	}
}

/** True for a version that we know. All of them have the same columns. */
function isKnownVersion(from: DatabaseSync): boolean {
	try {
		const version = versionOf(from);
		return version > 0 && version <= HISTORY_VERSION;
	} catch {
		return false;
	}
}

function copyAll(from: DatabaseSync, into: DatabaseSync): number {
	copy(from, into, 'conversation');
	const captions = copy(from, into, 'caption');
	// Repairs captions without a conversation, and counts that include lost captions. Unknown age counts as new.
	into.exec(`
		INSERT OR IGNORE INTO conversation (id, name, state, mode, started_at, touched_at)
			SELECT DISTINCT conversation, 'saved-' || conversation, 'kept', '', unixepoch() * 1000, unixepoch() * 1000
			FROM caption;
		INSERT OR IGNORE INTO language
			SELECT DISTINCT conversation, kind, language FROM caption WHERE kind IN ('source', 'translation');
		UPDATE conversation SET
			captions = (SELECT count(*) FROM caption WHERE caption.conversation = conversation.id),
			length_ms = (SELECT coalesce(max(end_ms), 0) FROM caption WHERE caption.conversation = conversation.id);
		DELETE FROM conversation WHERE captions = 0;
		${FOLD_SIGMAS}
		${FOLD_DOTLESS}
	`);
	return captions;
}

/** Copies by ids, on both sides of a gap: a broken page ends one run of reading, and the next begins after it. */
function copy(from: DatabaseSync, into: DatabaseSync, table: 'conversation' | 'caption'): number {
	const names = COLUMNS[table].split(', ');
	const put = into.prepare(
		`INSERT OR IGNORE INTO ${table} (${COLUMNS[table]}) VALUES (${names.map(() => '?').join(', ')})`,
	);
	let count = 0;
	let last = 0;
	let step = 1;
	for (let gaps = 0; gaps < MOST_GAPS && Number.isSafeInteger(last); ) {
		try {
			const rows = from.prepare(
				`SELECT ${COLUMNS[table]} FROM ${table} NOT INDEXED WHERE id > ? ORDER BY id`,
			);
			for (const row of rows.iterate(last) as Iterable<Row>) {
				put.run(...names.map((name) => row[name] ?? null));
				count++;
				step = 1;
				last = Number(row['id']);
			}
			return count;
		} catch {
			// Take ever larger steps, so that a long gap is soon passed.
			last += step;
			step *= 2;
			gaps++;
		}
	}
	return count;
}

/** The file behind one database: opened when needed, reopened after damage; failures are returned as problems. */
export interface HistoryDatabase {
	read<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem>;
	/** Like `read`, but a failed write is remembered for `problem`. */
	write<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem>;
	/** Why the last write failed, or that a broken file was set aside in this run. */
	problem(): Problem | null;
	/** Number of the file: increases by one each time a file is set aside. */
	file(): number;
	close(): void;
}

export function createHistoryDatabase({
	folder,
	clock,
	log,
	fts = true,
	setsAside = true,
}: {
	readonly folder: string;
	readonly clock: Pick<Clock, 'wall'>;
	readonly log: Logger;
	readonly fts?: boolean;
	/** Default true. False if another program may have the file open: it would keep writing into the file set aside. */
	readonly setsAside?: boolean;
}): HistoryDatabase {
	let store: HistoryStore | null = null;
	/** Identifies the open file: the command line may have replaced it. */
	let fileId = '';
	let closed = false;
	let files = 1;
	let failure: Problem | null = null;
	let broken: Problem | null = null;

	function opened(isBroken: boolean): HistoryStore {
		if (store) return store;
		const file = openHistoryFile({
			folder,
			fts,
			isBroken,
			setsAside,
			stamp: () => fileStamp(clock.wall()),
		});
		if (file.keptAs !== null) {
			log.warn('history set aside', { keptAs: file.keptAs, saved: file.saved });
			files += 1;
			broken = { kind: 'history-unreadable', keptAs: file.keptAs };
		}
		store = createHistoryStore(file.database, file.indexed);
		fileId = idOfHistoryFile(folder);
		return store;
	}

	function problemOf(thrown: unknown): Problem {
		if (thrown instanceof LaterVersion) return { kind: 'history-unreadable', keptAs: HISTORY_FILE };
		const kind = kindOfFailure(thrown);
		if (kind === 'busy') return { kind: 'history-busy' };
		return { kind: 'storage-failed', what: `${join(folder, HISTORY_FILE)} (${reasonOf(thrown)})` };
	}

	function attempt<Value>(run: (store: HistoryStore) => Value, isBroken = false): Result<Value, unknown> {
		try {
			return ok(run(opened(isBroken)));
		} catch (thrown) {
			return err(thrown);
		}
	}

	function use<Value>(run: (store: HistoryStore) => Value): Result<Value, Problem> {
		if (closed) return err({ kind: 'cancelled' });
		let done = attempt(run);
		if (!done.ok && kindOfFailure(done.error) === 'broken') {
			// Opening did not notice this damage, and may not notice it again: set the file aside, unless that
			// is done, and repeat the call on the new one.
			const isBroken = store !== null && setsAside && fileId === idOfHistoryFile(folder);
			letGo();
			done = attempt(run, isBroken);
		}
		if (done.ok) return done;
		// The database was opened read-only: close it, so that the next call tries again to open it for writing.
		if (kindOfFailure(done.error) === 'read-only') letGo();
		const problem = problemOf(done.error);
		if (failure?.kind !== problem.kind) log.error('history failed', { why: String(done.error) });
		return err(problem);
	}

	function letGo(): void {
		const leaving = store;
		store = null;
		try {
			leaving?.close();
		} catch {
			// Ignore it: nothing more can be done with the file.
		}
	}

	return {
		read: use,
		write(run) {
			const done = use(run);
			failure = done.ok ? null : done.error;
			return done;
		},
		file: () => files,
		problem: () => failure ?? broken,
		close() {
			closed = true;
			try {
				store?.clean();
				store?.checkpoint();
			} catch {
				// Ignore it: the next start reads the log.
			}
			letGo();
		},
	};
}
