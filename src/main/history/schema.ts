import type { DatabaseSync } from 'node:sqlite';

/** Until version 2 a sigma at the end of a word was folded to another letter than the others. */
export const FOLD_SIGMAS = `
	UPDATE caption SET folded = replace(folded, 'ς', 'σ') WHERE instr(folded, 'ς') > 0;
`;

/** Until version 3 a small i without a dot was folded to another letter than a capital one. */
export const FOLD_DOTLESS = `
	UPDATE caption SET folded = replace(folded, 'ı', 'i') WHERE instr(folded, 'ı') > 0;
`;

/**
 * `migrations[n]` turns a file of version n into one of version n + 1 (`user_version`); an empty file has
 * version 0. A released migration is never edited, only followed by another.
 */
const migrations: readonly string[] = [
	`
	CREATE TABLE conversation (
		id INTEGER PRIMARY KEY,
		name TEXT NOT NULL UNIQUE,
		-- live: being written, or cut off; undecided: ended, waits for the user's choice; kept
		state TEXT NOT NULL,
		mode TEXT NOT NULL,
		title TEXT NOT NULL DEFAULT '',
		preview TEXT NOT NULL DEFAULT '',
		started_at INTEGER NOT NULL,
		ended_at INTEGER,
		touched_at INTEGER NOT NULL,
		length_ms INTEGER NOT NULL DEFAULT 0,
		captions INTEGER NOT NULL DEFAULT 0,
		deleted_at INTEGER
	) STRICT;
	CREATE INDEX conversation_by_start ON conversation (started_at, id);
	CREATE TABLE language (
		conversation INTEGER NOT NULL,
		kind TEXT NOT NULL,
		code TEXT NOT NULL,
		PRIMARY KEY (conversation, kind, code)
	) STRICT, WITHOUT ROWID;
	CREATE TABLE caption (
		id INTEGER PRIMARY KEY,
		conversation INTEGER NOT NULL,
		key TEXT NOT NULL,
		row TEXT NOT NULL,
		part TEXT NOT NULL,
		kind TEXT NOT NULL,
		language TEXT NOT NULL,
		text TEXT NOT NULL,
		folded TEXT NOT NULL,
		start_ms INTEGER NOT NULL,
		end_ms INTEGER NOT NULL,
		final INTEGER NOT NULL,
		mark TEXT NOT NULL,
		UNIQUE (conversation, key)
	) STRICT;
	CREATE INDEX caption_in_time ON caption (conversation, start_ms, id);
	CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
	`,
	`
	INSERT OR REPLACE INTO fact
		SELECT 'index', 'old' WHERE EXISTS (SELECT 1 FROM caption WHERE instr(folded, 'ς') > 0);
	${FOLD_SIGMAS}
	`,
	`
	INSERT OR REPLACE INTO fact
		SELECT 'index', 'old' WHERE EXISTS (SELECT 1 FROM caption WHERE instr(folded, 'ı') > 0);
	${FOLD_DOTLESS}
	`,
];

export const HISTORY_VERSION: number = migrations.length;

export function versionOf(database: DatabaseSync): number {
	return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Brings the file to our version, each step in one transaction. A file of a later version must not come here. */
export function migrate(database: DatabaseSync): void {
	for (let version = versionOf(database); version < HISTORY_VERSION; version++) {
		database.exec(`BEGIN IMMEDIATE; ${migrations[version]} PRAGMA user_version = ${version + 1}; COMMIT;`);
	}
	// An index alone needs no new version: SQLite keeps it up to date even for programs that do not know it.
	database.exec("CREATE INDEX IF NOT EXISTS caption_by_row ON caption (conversation, row) WHERE text <> ''");
}

/** Set while captions were written by a program without FTS5: the index must be made again. */
const INDEX_OLD = "INSERT OR REPLACE INTO fact VALUES ('index', 'old')";

/**
 * An index over all texts, of three letters each, so that any part of a word is found in any script. False:
 * this SQLite has none, and every caption is looked at instead.
 */
export function openIndex(database: DatabaseSync, { allowed }: { readonly allowed: boolean }): boolean {
	const exists = hasTable(database, 'caption_text');
	if (!(allowed && hasFts5(database))) {
		if (exists) database.exec(INDEX_OLD);
		return false;
	}
	if (!exists) {
		database.exec(`
			BEGIN IMMEDIATE;
			CREATE VIRTUAL TABLE IF NOT EXISTS caption_text USING fts5(
				folded, content = 'caption', content_rowid = 'id', tokenize = 'trigram case_sensitive 1'
			);
			${INDEX_OLD};
			COMMIT;
		`);
	}
	if (database.prepare("SELECT 1 FROM fact WHERE name = 'index' AND value = 'old'").get()) {
		database.exec(`
			BEGIN IMMEDIATE;
			INSERT INTO caption_text (caption_text) VALUES ('rebuild');
			DELETE FROM fact WHERE name = 'index';
			COMMIT;
		`);
	}
	cleanIndex(database);
	return true;
}

/** There is an index, and it is up to date. */
export function hasIndex(database: DatabaseSync): boolean {
	if (!hasTable(database, 'caption_text') || !hasFts5(database)) return false;
	return !database.prepare("SELECT 1 FROM fact WHERE name = 'index' AND value = 'old'").get();
}

/**
 * Erased texts are only marked as deleted in the index; they really go when all of it is rewritten.
 * That takes about a second for 100,000 captions, so with many of them it waits for a good moment.
 * (FTS5's own `secure-delete` takes nearly a millisecond for each caption.)
 */
export function cleanIndex(database: DatabaseSync): void {
	if (!database.prepare("SELECT 1 FROM fact WHERE name = 'index' AND value = 'struck'").get()) return;
	const isEmpty = !database.prepare('SELECT 1 FROM caption LIMIT 1').get();
	database.exec(`
		BEGIN IMMEDIATE;
		INSERT INTO caption_text (caption_text) VALUES ('${isEmpty ? 'delete-all' : 'optimize'}');
		DELETE FROM fact WHERE name = 'index';
		COMMIT;
	`);
}

function hasTable(database: DatabaseSync, name: string): boolean {
	return (
		database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
	);
}

function hasFts5(database: DatabaseSync): boolean {
	return database.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used").get()?.used === 1;
}
