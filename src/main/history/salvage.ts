import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { FOLD_DOTLESS, FOLD_SIGMAS, HISTORY_VERSION, versionOf } from './schema.ts';

type Row = Record<string, SQLInputValue>;

const COLUMNS = {
	conversation:
		'id, name, state, mode, title, preview, started_at, ended_at, touched_at, length_ms, captions, deleted_at',
	caption: 'id, conversation, key, row, part, kind, language, text, folded, start_ms, end_ms, final, mark',
} as const;

/** Unreadable places that are stepped over; a file with more of them is given up. */
const MOST_GAPS = 200;

/** Copies what can be read of a broken file. Returns the number of captions; never throws for its damage. */
export function salvage(
	broken: string,
	into: DatabaseSync,
	{ indexed }: { readonly indexed: boolean },
): number {
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

/** All of them have the same columns. */
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
			// Ever larger steps, so that a long gap is soon passed.
			last += step;
			step *= 2;
			gaps++;
		}
	}
	return count;
}
