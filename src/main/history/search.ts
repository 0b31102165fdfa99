import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { HistoryCaption } from '#shared/host/history.ts';
import { captionOf, NOT_HIDDEN, type Page, type StoredRow } from './rows.ts';

/** A conversation in which something was found. */
export interface Found {
	readonly row: StoredRow;
	readonly hits: number;
	readonly first: HistoryCaption | null;
}

type Place = Pick<Found, 'hits' | 'first'> & { readonly name: string };

/** The index knows pieces of three letters; shorter words are looked for without it. */
const INDEXED_LETTERS = 3;

/** Lines with a text that holds all words (folded), by conversation, newest first. */
export function createSearch(
	database: DatabaseSync,
	indexed: boolean,
): (words: readonly string[], page: Page, since: number) => readonly Place[] {
	return (words, { limit, skip }, since) => {
		if (words.length === 0) return [];
		const long = indexed ? words.filter((word) => [...word].length >= INDEXED_LETTERS) : [];
		const conditions = [
			...(long.length > 0 ? ['id IN (SELECT rowid FROM caption_text WHERE caption_text MATCH ?)'] : []),
			// Checks what the index found as well: it may take different letters for the same.
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
