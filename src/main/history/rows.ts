import type { SQLOutputValue } from 'node:sqlite';
import type { HistoryCaption, HistoryRow } from '#shared/host/history.ts';

/** A conversation as the file has it. */
export interface StoredRow extends Omit<HistoryRow, 'state'> {
	readonly state: 'live' | 'undecided' | 'kept';
	readonly deleted: boolean;
	/** Language of the text that `preview` is the beginning of: a conversation may be in several. */
	readonly previewLanguage: string;
	/** Number of texts, counting each translation and each part by itself. */
	readonly captions: number;
}

/** Which of many rows are wanted. */
export interface Page {
	readonly skip: number;
	readonly limit: number;
}

/** Condition of a conversation that lists show: `?` is the time before which kept ones are hidden. */
export const NOT_HIDDEN = "(c.state <> 'kept' OR coalesce(c.ended_at, c.touched_at) > ?)";

type Columns = Record<string, SQLOutputValue>;

export function storedRowOf(row: Columns): StoredRow {
	const state = text(row['state']);
	return {
		id: text(row['name']),
		title: text(row['title']),
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
