import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { folded } from '#shared/history/search-text.ts';
import { CONTINUED, type HistoryCaption, type HistoryRow, RECORDED } from '#shared/host/history.ts';

/** Before version 2, a sigma at the end of a word was not folded to the same letter as other sigmas. */
export const FOLD_SIGMAS = `
	UPDATE caption SET folded = replace(folded, 'ς', 'σ') WHERE instr(folded, 'ς') > 0;
`;

/** Before version 3, a dotless small i was not folded to the same letter as its capital. */
export const FOLD_DOTLESS = `
	UPDATE caption SET folded = replace(folded, 'ı', 'i') WHERE instr(folded, 'ı') > 0;
`;

/** `migrations[n]` turns version n into n + 1 (`user_version`). Never edit a released one: add another. */
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

/** Brings the file to our version, each step in one transaction. Never call it for a later version. */
export function migrate(database: DatabaseSync): void {
	for (let version = versionOf(database); version < HISTORY_VERSION; version++) {
		database.exec(`BEGIN IMMEDIATE; ${migrations[version]} PRAGMA user_version = ${version + 1}; COMMIT;`);
	}
	// An index alone needs no new version: SQLite keeps it up to date even for programs that do not know it.
	database.exec("CREATE INDEX IF NOT EXISTS caption_by_row ON caption (conversation, row) WHERE text <> ''");
}

/** Set after a program without FTS5 wrote captions: the index must then be rebuilt. */
const INDEX_OLD = "INSERT OR REPLACE INTO fact VALUES ('index', 'old')";

/** Opens a trigram index over all texts. False if this SQLite has none: a search then scans all captions. */
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

/** True if there is an index and it is up to date. */
export function hasIndex(database: DatabaseSync): boolean {
	if (!hasTable(database, 'caption_text') || !hasFts5(database)) return false;
	return !database.prepare("SELECT 1 FROM fact WHERE name = 'index' AND value = 'old'").get();
}

/**
 * The index only marks erased texts as deleted; they are gone only once the whole index is rewritten. That
 * takes about a second for 100,000 captions, so with many captions it waits for a good moment. (FTS5's own
 * `secure-delete` takes nearly a millisecond for each caption.)
 */
function cleanIndex(database: DatabaseSync): void {
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

export interface StoredRow extends Omit<HistoryRow, 'state'> {
	readonly state: 'live' | 'undecided' | 'kept';
	readonly deleted: boolean;
	/** Language of the text from which `preview` is taken: a conversation may be in several. */
	readonly previewLanguage: string;
	/** Number of texts, counting each translation and each part separately. */
	readonly captions: number;
}

interface Page {
	readonly skip: number;
	readonly limit: number;
}

/** SQL condition for conversations that lists show: `?` is the time before which kept ones are hidden. */
const NOT_HIDDEN = "(c.state <> 'kept' OR coalesce(c.ended_at, c.touched_at) > ?)";

type Columns = Record<string, SQLOutputValue>;

export function storedRowOf(row: Columns): StoredRow {
	const state = text(row['state']);
	return {
		id: text(row['name']),
		title: text(row['title']),
		mode: text(row['mode']),
		preview: text(row['preview']),
		startedAt: Number(row['started_at']),
		endedAt: row['ended_at'] === null ? null : Number(row['ended_at']),
		lengthMs: Number(row['length_ms']),
		captions: Number(row['captions']),
		lines: Number(row['lines']),
		sources: codes(row['sources']),
		targets: codes(row['targets']),
		state: state === 'live' || state === 'undecided' ? state : 'kept',
		deleted: row['deleted_at'] !== null,
		previewLanguage: text(row['preview_language']),
	};
}

export function captionOf(row: Columns): HistoryCaption {
	return {
		key: text(row['key']),
		row: text(row['row']),
		part: text(row['part']),
		kind: text(row['kind']),
		language: text(row['language']),
		text: text(row['text']),
		startMs: Number(row['start_ms']),
		endMs: Number(row['end_ms']),
		final: row['final'] === 1,
		mark: text(row['mark']),
	};
}

function codes(list: SQLOutputValue | undefined): string[] {
	return text(list)
		.split(',')
		.filter((code) => code !== '');
}

function text(value: SQLOutputValue | undefined): string {
	return typeof value === 'string' ? value : '';
}

/** The index holds trigrams; search for shorter words without it. */
const INDEXED_LETTERS = 3;

export interface StoredRecording {
	/** Unique in the conversation. */
	readonly key: string;
	readonly path: string;
	/** Its beginning, ms from Start. */
	readonly startMs: number;
}

type Which =
	| { readonly state: 'live' | 'undecided' | 'kept'; readonly endedBefore?: number }
	| { readonly deletedBefore: number }
	| 'all';

const PREVIEW_LETTERS = 160;
/** With more captions than this the index is cleaned later, because cleaning would hold up everything else. */
const CLEANED_AT_ONCE = 10_000;

/** Start of the name of a fact; the name of a conversation that continues another follows it. */
const CONTINUES = 'continues ';

export type HistoryStore = ReturnType<typeof createHistoryStore>;

/** Conversations in the file. Each call is one transaction, throws SQLite's errors, needs no clock. */
export function createHistoryStore(database: DatabaseSync, indexed: boolean) {
	const sql = (text: string) => database.prepare(text);
	const idOf = sql('SELECT id FROM conversation WHERE name = ?');
	const known = sql('SELECT id, folded, final FROM caption WHERE conversation = ? AND key = ?');
	const insert = sql(`
		INSERT INTO caption (conversation, key, row, part, kind, language, text, folded, start_ms, end_ms, final, mark)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
	const replace = sql(`
		UPDATE caption SET language = ?, text = ?, folded = ?, start_ms = ?, end_ms = ?, final = ?, mark = ?
		WHERE id = ?`);
	const addLanguage = sql('INSERT OR IGNORE INTO language VALUES (?, ?, ?)');
	const grow = sql(`
		UPDATE conversation SET captions = captions + ?, length_ms = max(length_ms, ?), touched_at = ?,
			preview = CASE WHEN preview = '' THEN ? ELSE preview END
		WHERE id = ?`);
	const index = indexed ? sql('INSERT INTO caption_text (rowid, folded) VALUES (?, ?)') : null;
	const unindex = indexed
		? sql("INSERT INTO caption_text (caption_text, rowid, folded) VALUES ('delete', ?, ?)")
		: null;
	const rowsBy = (where: string) =>
		sql(`SELECT *,
			(SELECT group_concat(code) FROM language WHERE conversation = c.id AND kind = 'source') AS sources,
			(SELECT group_concat(code) FROM language WHERE conversation = c.id AND kind = 'translation') AS targets,
			(SELECT count(DISTINCT row) FROM caption WHERE conversation = c.id AND text <> '') AS lines,
			(SELECT language FROM caption WHERE conversation = c.id AND text <> '' ORDER BY start_ms, id LIMIT 1)
				AS preview_language
			FROM conversation AS c WHERE ${where}`);
	const byName = rowsBy('name = ?');
	const byStart = rowsBy(
		'substr(name, 1, length(?1)) = ?1 AND deleted_at IS NULL ORDER BY started_at DESC LIMIT 3',
	);
	const newest = rowsBy(
		`deleted_at IS NULL AND captions > 0 AND ${NOT_HIDDEN} ORDER BY started_at DESC, id DESC LIMIT ? OFFSET ?`,
	);
	const inTime = sql('SELECT * FROM caption WHERE conversation = ? ORDER BY start_ms, id');
	const read = sql(`SELECT * FROM caption WHERE conversation = ? AND kind <> '${RECORDED}'
		ORDER BY start_ms, id LIMIT ? OFFSET ?`);
	const recordings = sql(`SELECT * FROM caption WHERE conversation = ? AND kind = '${RECORDED}'
		ORDER BY start_ms, id`);
	const recorded = sql(`SELECT id FROM caption WHERE kind = '${RECORDED}' AND mark = ?`);
	const dropRecordings = sql(`DELETE FROM caption WHERE kind = '${RECORDED}' AND mark = ?`);
	const search = createSearch(database, indexed);

	function transaction<Value>(run: () => Value): Value {
		database.exec('BEGIN IMMEDIATE');
		try {
			const value = run();
			database.exec('COMMIT');
			return value;
		} catch (thrown) {
			if (database.isTransaction) database.exec('ROLLBACK');
			throw thrown;
		}
	}

	function numberOf(name: string): number | null {
		const id = idOf.get(name)?.['id'];
		return typeof id === 'number' ? id : null;
	}

	function fact(name: string): string | null {
		const value = sql('SELECT value FROM fact WHERE name = ?').get(name)?.['value'];
		return typeof value === 'string' ? value : null;
	}

	function setFact(name: string, value: string): void {
		sql('INSERT OR REPLACE INTO fact VALUES (?, ?)').run(name, value);
	}

	/** Returns true for a new caption. */
	function put(conversation: number, given: HistoryCaption): boolean {
		const { key, row, part, kind, language, text, startMs, endMs, final, mark } = given;
		const plain = folded(text);
		const before = known.get(conversation, key);
		if (before === undefined) {
			const { lastInsertRowid } = insert.run(
				...[conversation, key, row, part, kind, language, text, plain, startMs, endMs, Number(final), mark],
			);
			index?.run(lastInsertRowid, plain);
			return true;
		}
		const { id = null } = before;
		if (before['final'] === 1 && !final) return false;
		if (before['folded'] !== plain) {
			unindex?.run(id, before['folded'] ?? '');
			index?.run(id, plain);
		}
		replace.run(language, text, plain, startMs, endMs, Number(final), mark, id);
		return false;
	}

	function eraseOne(id: number): void {
		if (indexed) {
			sql("INSERT OR REPLACE INTO fact VALUES ('index', 'struck')").run();
			sql(`INSERT INTO caption_text (caption_text, rowid, folded)
				SELECT 'delete', id, folded FROM caption WHERE conversation = ?`).run(id);
		}
		sql(`DELETE FROM fact WHERE name = (SELECT '${CONTINUES}' || name FROM conversation WHERE id = ?)`).run(
			id,
		);
		for (const table of ['caption', 'language']) sql(`DELETE FROM ${table} WHERE conversation = ?`).run(id);
		sql('DELETE FROM conversation WHERE id = ?').run(id);
	}

	return {
		begin(name: string, mode: string, atMs: number): void {
			sql(`INSERT OR IGNORE INTO conversation (name, state, mode, started_at, touched_at)
				VALUES (?, 'live', ?, ?, ?)`).run(name, mode, atMs, atMs);
		},
		/** False: there is no such conversation. */
		append: (name: string, captions: readonly HistoryCaption[], atMs: number): boolean =>
			transaction(() => {
				const conversation = numberOf(name);
				if (conversation === null) return false;
				let added = 0;
				let lengthMs = 0;
				let preview = '';
				for (const caption of captions) {
					// A mark for lost speech has no text and makes no conversation.
					if (put(conversation, caption) && caption.text !== '') added++;
					if (caption.kind === 'source' || caption.kind === 'translation')
						addLanguage.run(conversation, caption.kind, caption.language);
					lengthMs = Math.max(lengthMs, caption.endMs);
					if (preview === '') preview = [...caption.text].slice(0, PREVIEW_LETTERS).join('');
				}
				grow.run(added, lengthMs, atMs, preview, conversation);
				return true;
			}),
		/** Null if there is no such conversation. */
		find(name: string): StoredRow | null {
			const row = byName.get(name);
			return row ? storedRowOf(row) : null;
		},
		/** Conversations whose id begins with `start`. */
		findByStart: (start: string): readonly StoredRow[] => byStart.all(start).map(storedRowOf),
		/** Conversations, newest first; kept ones only if they ended after `since`. */
		list: ({ limit, skip }: Page, since: number = Number.MIN_SAFE_INTEGER): readonly StoredRow[] =>
			newest.all(since, limit, skip).map(storedRowOf),
		search: (
			words: readonly string[],
			page: Page,
			since: number = Number.MIN_SAFE_INTEGER,
		): readonly Found[] =>
			search(words, page, since).flatMap(({ name, hits, first }) => {
				const row = byName.get(name);
				return row ? [{ row: storedRowOf(row), hits, first }] : [];
			}),
		/** Sorted by time. */
		read: (name: string, { limit, skip }: Page): readonly HistoryCaption[] =>
			read.all(numberOf(name), limit, skip).map(captionOf),
		/** Sorted by time. */
		recordings: (name: string): readonly StoredRecording[] =>
			recordings
				.all(numberOf(name))
				.map(captionOf)
				.map(({ key, mark, startMs }) => ({ key, path: mark, startMs })),
		/** Adds a recording. A file has one conversation: this replaces other entries with the same path. */
		addRecording: (name: string, { key, path, startMs }: StoredRecording): void =>
			transaction(() => {
				const conversation = numberOf(name);
				dropRecordings.run(path);
				if (conversation === null) return;
				const place = { part: '', language: '', text: '', startMs, endMs: startMs, final: true };
				put(conversation, { key, row: key, kind: RECORDED, mark: path, ...place });
			}),
		/** True if a conversation has a recording at this path. */
		isRecording: (path: string): boolean => recorded.get(path) !== undefined,
		/** Removes all entries of this path: the file now holds something else. */
		dropRecordings: (path: string): void => void dropRecordings.run(path),
		rename: (name: string, title: string): void =>
			void sql('UPDATE conversation SET title = ? WHERE name = ?').run(title, name),
		end: (name: string, state: 'undecided' | 'kept', atMs: number): void =>
			void sql(`UPDATE conversation SET state = ?, ended_at = coalesce(ended_at, ?) WHERE name = ?`).run(
				...[state, atMs, name],
			),
		/** Appends one conversation to another and erases it. False: the other is missing or deleted. */
		join(name: string, into: string): boolean {
			const [from, to] = [byName.get(name), byName.get(into)];
			const [fromId, toId] = [numberOf(name), numberOf(into)];
			if (!from || !to || fromId === null || toId === null || to['deleted_at'] !== null) return false;
			const part = storedRowOf(from);
			transaction(() => {
				// It was appended before and has continued since: its times stay as they are.
				const before = sql('SELECT start_ms FROM caption WHERE conversation = ? AND key = ?').get(toId, name);
				const offsetMs = Number(before?.['start_ms'] ?? to['length_ms']);
				const place = { part: '', language: '', text: '', startMs: offsetMs, endMs: offsetMs };
				put(toId, {
					key: name,
					row: name,
					kind: CONTINUED,
					final: true,
					mark: `${part.startedAt}`,
					...place,
				});
				let added = 0;
				for (const caption of inTime.all(fromId).map(captionOf)) {
					const { kind, language, text, startMs, endMs } = caption;
					const [key, row] = [`${name}|${caption.key}`, `${name}|${caption.row}`];
					const times = { startMs: offsetMs + startMs, endMs: offsetMs + endMs };
					if (put(toId, { ...caption, key, row, ...times }) && text !== '') added++;
					if (kind === 'source' || kind === 'translation') addLanguage.run(toId, kind, language);
				}
				grow.run(added, offsetMs + part.lengthMs, part.endedAt, part.preview, toId);
				sql('UPDATE conversation SET ended_at = ? WHERE id = ?').run(part.endedAt, toId);
				eraseOne(fromId);
			});
			return true;
		},
		/** Erases what `join` appended, for good. */
		part(name: string, from: string): void {
			const id = numberOf(from);
			if (id === null) return;
			transaction(() => {
				const which = "conversation = ?1 AND (key = ?2 OR substr(key, 1, length(?2) + 1) = ?2 || '|')";
				if (indexed) {
					sql("INSERT OR REPLACE INTO fact VALUES ('index', 'struck')").run();
					sql(`INSERT INTO caption_text (caption_text, rowid, folded)
						SELECT 'delete', id, folded FROM caption WHERE ${which}`).run(id, name);
				}
				sql(`DELETE FROM caption WHERE ${which}`).run(id, name);
				sql('DELETE FROM language WHERE conversation = ?').run(id);
				sql(`INSERT OR IGNORE INTO language SELECT conversation, kind, language FROM caption
					WHERE conversation = ? AND kind IN ('source', 'translation')`).run(id);
				sql(`UPDATE conversation SET
					captions = (SELECT count(*) FROM caption WHERE conversation = ?1 AND text <> ''),
					length_ms = (SELECT coalesce(max(end_ms), 0) FROM caption WHERE conversation = ?1)
					WHERE id = ?1`).run(id);
			});
		},
		/** Reopens a conversation that had ended. False: there is no such conversation. */
		reopen: (name: string): boolean =>
			sql(`UPDATE conversation SET state = 'live', ended_at = NULL
				WHERE name = ? AND deleted_at IS NULL`).run(name).changes > 0,
		/** Marks a conversation as deleted; null brings it back. */
		setDeleted: (name: string, atMs: number | null): void =>
			void sql('UPDATE conversation SET deleted_at = ? WHERE name = ?').run(atMs, name),
		/** Erases for good: the texts are overwritten in the file. */
		erase(names: readonly string[]): void {
			transaction(() => {
				for (const name of names) {
					const id = numberOf(name);
					if (id !== null) eraseOne(id);
				}
			});
			const { left = 0 } = sql('SELECT sum(captions) AS left FROM conversation').get() ?? {};
			if (indexed && Number(left) <= CLEANED_AT_ONCE) cleanIndex(database);
		},
		/** Removes erased texts from the index, if they are still in it. */
		clean(): void {
			if (indexed) cleanIndex(database);
		},
		/** Reads a fact about the file as a whole; null = none of this name. */
		fact,
		setFact,
		/** A kept conversation that this one continues; null = none. */
		continues: (name: string): string | null => fact(`${CONTINUES}${name}`),
		setContinues: (name: string, into: string): void => setFact(`${CONTINUES}${name}`, into),
		/** Names of conversations, the newest first. */
		namesWhere(which: Which): readonly string[] {
			const found = () => {
				if (which === 'all') return sql('SELECT name FROM conversation').all();
				if ('deletedBefore' in which)
					return sql('SELECT name FROM conversation WHERE deleted_at <= ?').all(which.deletedBefore);
				return sql(`SELECT name FROM conversation WHERE state = ? AND coalesce(ended_at, touched_at) <= ?
					AND deleted_at IS NULL ORDER BY started_at DESC, id DESC`).all(
					which.state,
					which.endedBefore ?? Number.MAX_SAFE_INTEGER,
				);
			};
			return found().map(({ name }) => String(name));
		},
		/** Flushes to the disk and empties the log, so that erased texts are not in the log either. */
		checkpoint: (): void => void sql('PRAGMA wal_checkpoint(TRUNCATE)').get(),
		close: (): void => database.close(),
	};
}

/** A conversation with search results. */
interface Found {
	readonly row: StoredRow;
	readonly hits: number;
	readonly first: HistoryCaption | null;
}

type Place = Pick<Found, 'hits' | 'first'> & { readonly name: string };

/** Lines with a text that contains all words (folded), by conversation, newest first. */
function createSearch(
	database: DatabaseSync,
	indexed: boolean,
): (words: readonly string[], page: Page, since: number) => readonly Place[] {
	return (words, { limit, skip }, since) => {
		if (words.length === 0) return [];
		const long = indexed ? words.filter((word) => [...word].length >= INDEXED_LETTERS) : [];
		const conditions = [
			...(long.length > 0 ? ['id IN (SELECT rowid FROM caption_text WHERE caption_text MATCH ?)'] : []),
			// Check the results of the index, too: it may treat different letters as the same.
			...words.map(() => 'instr(folded, ?) > 0'),
		];
		const match = long.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
		const found = database
			.prepare(`
				WITH hit AS MATERIALIZED (SELECT id, conversation, row, start_ms FROM caption WHERE ${conditions.join(' AND ')})
				SELECT c.name, count(DISTINCT hit.row) AS hits,
					(SELECT id FROM hit WHERE conversation = c.id ORDER BY start_ms, id LIMIT 1) AS first
				FROM hit JOIN conversation AS c ON c.id = hit.conversation
				WHERE c.deleted_at IS NULL AND ${NOT_HIDDEN}
				GROUP BY c.id ORDER BY c.started_at DESC, c.id DESC LIMIT ? OFFSET ?`)
			.all(...(match === '' ? [] : [match]), ...words, since, limit, skip);
		const caption = database.prepare('SELECT * FROM caption WHERE id = ?');
		return found.map((row) => ({
			name: String(row['name']),
			hits: Number(row['hits']),
			first: firstOf(caption.get(row['first'] ?? null)),
		}));
	};
}

function firstOf(row: Record<string, SQLOutputValue> | undefined): HistoryCaption | null {
	return row ? captionOf(row) : null;
}
