import { field, isObject, plainText, textField } from './json.ts';
import { isPathId } from './values.ts';

/** A glossary's purpose (protocol 8): to translate, correct recognised text, or list words to listen for. */
export const GLOSSARY_KINDS = ['translation', 'asr', 'asr_hot'] as const;
export type GlossaryKind = (typeof GLOSSARY_KINDS)[number];

/** Valid names (protocol 8). */
export const GLOSSARY_NAME = /^[\w\-. ]{3,64}$/;

/** Largest table accepted, bytes; for a larger one the front end answers with HTML (protocol 8). */
export const GLOSSARY_MOST_BYTES = 1_000_000;

/** Most entries read from one page, which usually has fifty. */
const MOST_LISTED = 1000;

/** A glossary described by the service; missing fields are empty or null. */
export interface GlossaryRecord {
	/** Opaque: encode it before using it in a path. */
	readonly id: string;
	readonly name: string;
	/** One of `GLOSSARY_KINDS`, or a kind not known yet. */
	readonly kind: string;
	readonly source: string;
	readonly target: string;
	readonly enabled: boolean | null;
	/** Number of rows. */
	readonly entries: number | null;
	/** In the service's own format. */
	readonly createdAt: string;
}

export interface GlossaryPage {
	/** In the service's order, each id once; entries without an id are omitted. */
	readonly glossaries: readonly GlossaryRecord[];
	/** Token of the next page; empty on the last page. */
	readonly next: string;
}

/** Reads one page in any plausible form; null if it is not a list. */
export function readGlossaryPage(json: unknown): GlossaryPage | null {
	const list = listIn(json);
	if (!list) return null;
	const byId = new Map<string, GlossaryRecord>();
	for (const entry of list.slice(0, MOST_LISTED)) {
		const glossary = glossaryIn(entry);
		if (glossary && !byId.has(glossary.id)) byId.set(glossary.id, glossary);
	}
	const data = field(json, 'data');
	const next = textField(data, 'next') ?? textField(json, 'next') ?? '';
	return { glossaries: [...byId.values()], next };
}

/** Reads one glossary from the answer to a create or a request; null without an id. */
export function readGlossary(json: unknown): GlossaryRecord | null {
	if (field(json, 'ok') === false) return null;
	const data = field(json, 'data') ?? json;
	return glossaryIn(field(data, 'glossary') ?? data);
}

function listIn(json: unknown): readonly unknown[] | null {
	if (Array.isArray(json)) return json;
	if (!isObject(json) || json['ok'] === false) return null;
	const data = field(json, 'data');
	if (Array.isArray(data)) return data;
	for (const holder of [data, json]) {
		for (const name of ['items', 'glossaries']) {
			const list = field(holder, name);
			if (Array.isArray(list)) return list;
			if (list === null) return [];
		}
	}
	return data === null ? [] : null;
}

function glossaryIn(entry: unknown): GlossaryRecord | null {
	const sent = field(entry, 'glossary_id') ?? field(entry, 'id');
	const id = typeof sent === 'number' ? String(sent) : sent;
	if (typeof id !== 'string' || !isPathId(id)) return null;
	const words = (...names: readonly string[]) => {
		const found = names.map((name) => textField(entry, name)).find((text) => text !== undefined);
		return plainText(found ?? '', 200);
	};
	const enabled = field(entry, 'is_enabled') ?? field(entry, 'enabled');
	const counts = ['entries_count', 'rows_count', 'entries', 'size'].map((name) => field(entry, name));
	const entries = counts.find((count) => typeof count === 'number' && Number.isInteger(count) && count >= 0);
	return {
		id,
		name: words('name'),
		kind: words('glossary_type', 'type'),
		source: words('source_lang', 'source_language').toLowerCase(),
		target: words('target_lang', 'target_language').toLowerCase(),
		enabled: typeof enabled === 'boolean' ? enabled : null,
		entries: typeof entries === 'number' ? entries : null,
		createdAt: words('created_at'),
	};
}
