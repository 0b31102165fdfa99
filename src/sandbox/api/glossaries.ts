import { randomUUID } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { csvOf } from '#shared/lib/csv.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { field, parseJson } from '#shared/protocol/json.ts';
import { ACCEPTED_SOURCES, baseOf, sameLanguage } from '#shared/protocol/languages.ts';
import { type Answer, rawBody, refusal } from './answers.ts';
import { boundaryOf } from './uploads.ts';

type GlossaryOperation =
	| 'create-glossary'
	| 'glossaries'
	| 'glossary'
	| 'change-glossary'
	| 'delete-glossary'
	| 'upload-glossary'
	| 'glossary-file';

/** One authorised request to the glossary endpoints (protocol 8). */
export interface GlossaryRequest {
	readonly operation: GlossaryOperation;
	/** Decoded; empty if the path has none. */
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
	readonly contentType: string;
	readonly instance: string;
	readonly faults: FaultSet;
}

const MOST_BYTES = 1_000_000;
/** The service's front end sends this answer itself: the request never reaches the API. */
export const tooLarge: Answer = {
	status: 413,
	body: rawBody('<html><h1>413 Request Entity Too Large</h1></html>', 'text/html'),
};
const PAGE_SIZE = { usual: 20, most: 50 } as const;

/** The operation of a method and path; the id is still encoded. Null: not ours. */
export function glossaryRoute(
	method: string,
	path: string,
): { operation: GlossaryOperation; id: string } | null {
	const key = `${method} ${path}`;
	if (key === 'POST /saas/glossary') return { operation: 'create-glossary', id: '' };
	if (key === 'GET /saas/glossaries') return { operation: 'glossaries', id: '' };
	const upload = /^\/saas\/glossary\/([^/]+)\/upload$/.exec(path)?.[1];
	if (upload !== undefined) {
		if (method === 'GET') return { operation: 'glossary-file', id: upload };
		return method === 'POST' ? { operation: 'upload-glossary', id: upload } : null;
	}
	const id = /^\/saas\/glossary\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return null;
	if (method === 'GET') return { operation: 'glossary', id };
	if (method === 'POST') return { operation: 'change-glossary', id };
	return method === 'DELETE' ? { operation: 'delete-glossary', id } : null;
}

export function createGlossaryApi(store: GlossaryStore): { answer(request: GlossaryRequest): Answer } {
	function create({ body, instance }: GlossaryRequest): Answer {
		const read = orderIn(body);
		if (typeof read === 'string') return refusal(422, read, instance);
		return told(store.create(read), 201);
	}

	function list({ query, instance }: GlossaryRequest): Answer {
		const token = query.get('token');
		if (token !== null && query.has('page_size'))
			return refusal(400, 'query: page_size is not allowed together with token', instance);
		const [size = PAGE_SIZE.usual, start = 0] =
			token === null ? [Number(query.get('page_size') ?? PAGE_SIZE.usual)] : token.split('-').map(Number);
		if (!Number.isInteger(size) || size < 1 || size > PAGE_SIZE.most || !Number.isInteger(start))
			return refusal(422, `query.page_size: should be 1 to ${PAGE_SIZE.most}`, instance);
		const all = store.list();
		const items = all.slice(start, start + size).map(written);
		const next = start + size < all.length ? `${size}-${start + size}` : null;
		return { status: 200, body: { ok: true, data: { items, count: all.length, next } } };
	}

	function change(request: GlossaryRequest): Answer {
		const data = dataIn(request.body);
		const [name, enabled] = [field(data, 'name'), field(data, 'is_enabled')];
		if (typeof enabled !== 'boolean' && typeof name !== 'string')
			return refusal(422, 'data.is_enabled: should be a valid boolean', request.instance);
		if (request.faults.has('glossary-unchanged')) return { status: 200, body: { ok: true } };
		const changed = store.change(request.id, {
			...(typeof enabled === 'boolean' && { enabled }),
			...(typeof name === 'string' && { name }),
		});
		return changed ? told(changed) : missing(request);
	}

	function upload({ id, body, contentType, instance }: GlossaryRequest): Answer {
		// The service's front end refuses such a body itself, with HTML in place of JSON.
		if (body === null || Buffer.byteLength(body) > MOST_BYTES)
			return {
				status: 413,
				body: rawBody('<html><h1>413 Request Entity Too Large</h1></html>', 'text/html'),
			};
		const glossary = store.get(id);
		if (!glossary) return refusal(404, 'There is no glossary with this id', instance);
		if (glossary.rows) return refusal(409, 'This glossary has its file already', instance);
		const file = readFile(contentType, body);
		if ('says' in file) return refusal(file.status, file.says, instance);
		const rows = readRows(file.text, glossary.kind === 'asr_hot' ? 1 : 2);
		if (typeof rows === 'string') return refusal(422, `glossary: ${rows}`, instance);
		const filled = store.change(id, { rows });
		return filled ? told(filled) : refusal(404, 'There is no glossary with this id', instance);
	}

	/** The file's contents are not documented (protocol 8); here they are the table as sent. */
	function file(request: GlossaryRequest): Answer {
		const rows = store.get(request.id)?.rows;
		if (!rows || request.faults.has('no-glossary-table')) return missing(request);
		return { status: 200, body: rawBody(csvOf(rows), 'text/csv') };
	}

	function missing({ instance }: GlossaryRequest): Answer {
		return refusal(404, 'There is no glossary with this id', instance);
	}

	return {
		answer(request) {
			const { operation, id, instance, faults } = request;
			if (faults.has('no-glossaries')) return refusal(404, 'There is nothing here', instance);
			switch (operation) {
				case 'create-glossary':
					return create(request);
				case 'glossaries':
					return list(request);
				case 'glossary': {
					const found = store.get(id);
					return found ? told(found) : missing(request);
				}
				case 'change-glossary':
					return change(request);
				case 'upload-glossary':
					return upload(request);
				case 'glossary-file':
					return file(request);
				case 'delete-glossary':
					return store.delete(id) ? { status: 204 } : missing(request);
			}
		},
	};
}

function told(glossary: StoredGlossary, status = 200): Answer {
	return { status, body: { ok: true, data: written(glossary) } };
}

function written({ id, name, kind, source, target, enabled, createdAt, rows }: StoredGlossary) {
	return {
		glossary_id: id,
		name,
		glossary_type: kind,
		source_lang: source,
		target_lang: target,
		is_enabled: enabled,
		entries_count: rows?.length ?? 0,
		created_at: isoSeconds(createdAt),
	};
}

function dataIn(body: string): unknown {
	const json = parseJson(body);
	return json.ok ? field(json.value, 'data') : undefined;
}

/** The requested glossary that the body describes, or an error message. */
function orderIn(body: string): GlossaryOrder | string {
	const data = dataIn(body);
	const [name, kind] = [field(data, 'name'), field(data, 'glossary_type')];
	const [source, target] = [field(data, 'source_lang'), field(data, 'target_lang')];
	if (typeof name !== 'string' || !/^[\w\-. ]{3,64}$/.test(name)) return 'data.name: is not a name';
	if (kind !== 'translation' && kind !== 'asr' && kind !== 'asr_hot')
		return "data.glossary_type: should be 'translation', 'asr' or 'asr_hot'";
	if (typeof source !== 'string' || !ACCEPTED_SOURCES.has(baseOf(source)))
		return 'data.source_lang: is no language';
	if (typeof target !== 'string' || !ACCEPTED_SOURCES.has(baseOf(target)))
		return 'data.target_lang: is no language';
	if (kind === 'translation' && sameLanguage(source, target))
		return 'data.target_lang: should be another language';
	if (kind === 'asr' && !sameLanguage(source, target)) return 'data.target_lang: should be the same language';
	return { name, kind, source, target, enabled: field(data, 'is_enabled') !== false };
}

interface Refused {
	readonly status: number;
	readonly says: string;
}

/** Reads the only part of the form: named `glossary`, of type `text/csv` exactly (protocol 8). */
function readFile(contentType: string, body: string): { readonly text: string } | Refused {
	const boundary = boundaryOf(contentType);
	if (boundary === null) return { status: 415, says: 'header.content-type: is not multipart/form-data' };
	const [, part = '', ...more] = `\r\n${body}`.split(`\r\n--${boundary}`);
	const at = part.indexOf('\r\n\r\n');
	if (at < 0 || more.length === 0) return { status: 400, says: 'body: the form has no end' };
	const head = part.slice(0, at);
	if (!/\bname="glossary"/i.test(head)) return { status: 422, says: 'body.glossary: field required' };
	const type = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? '';
	if (type !== 'text/csv') return { status: 415, says: 'body.glossary: its type should be text/csv' };
	return { text: part.slice(at + 4) };
}

/** Reads rows of `columns` cells, or returns their fault (RFC 4180; empty lines are skipped). */
function readRows(text: string, columns: number): readonly (readonly string[])[] | string {
	const rows: string[][] = [];
	let row: string[] = [];
	// A cell, quoted or not, and its terminator.
	const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
	while (cell.lastIndex < text.length) {
		const found = cell.exec(text);
		if (!found) return `line ${rows.length + 1}: a quotation mark is out of place`;
		row.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? '').trim());
		if (found[3] === ',') continue;
		if (row.some((one) => one !== '')) rows.push(row);
		row = [];
	}
	if (row.length > 0) rows.push(row);
	if (rows.length === 0) return 'there is no row in it';
	const wrong = rows.findIndex((one) => one.length !== columns || one.includes(''));
	return wrong < 0 ? rows : `line ${wrong + 1}: should have ${columns} columns`;
}

interface GlossaryOrder {
	readonly name: string;
	readonly kind: 'translation' | 'asr' | 'asr_hot';
	readonly source: string;
	readonly target: string;
	readonly enabled: boolean;
}

interface StoredGlossary extends GlossaryOrder {
	readonly id: string;
	readonly createdAt: number;
	/** Null until its table has been uploaded. */
	readonly rows: readonly (readonly string[])[] | null;
}

/** Applies glossaries to the texts of a conversation. */
export interface AppliedGlossaries {
	/** Corrects recognised text in a language. */
	heard(text: string, language: string, task: Task): string;
	/** The translation of `original`, with the terms of the glossaries. */
	translated(text: string, original: string, languages: { from: string; to: string }, task: Task): string;
}

interface GlossaryStore extends AppliedGlossaries {
	create(order: GlossaryOrder): StoredGlossary;
	get(id: string): StoredGlossary | null;
	/** Oldest first. */
	list(): readonly StoredGlossary[];
	change(
		id: string,
		change: Partial<Pick<StoredGlossary, 'name' | 'enabled' | 'rows'>>,
	): StoredGlossary | null;
	delete(id: string): boolean;
}

export function createGlossaryStore(clock: Clock): GlossaryStore {
	const all = new Map<string, StoredGlossary>();

	/** Rows of the glossaries that are enabled, match the languages and are allowed by the task. */
	function rowsOf(kind: StoredGlossary['kind'], from: string, to: string, rules: unknown, names: Names) {
		if (field(rules, names.allow) === false) return [];
		const allowed = field(rules, names.ids);
		return [...all.values()]
			.filter((one) => one.kind === kind && one.enabled)
			.filter((one) => baseOf(one.source) === baseOf(from) && baseOf(one.target) === baseOf(to))
			.filter(({ id }) => !Array.isArray(allowed) || allowed.includes(id))
			.flatMap(({ rows }) => rows ?? []);
	}

	return {
		create(order) {
			const made = { ...order, id: randomUUID(), createdAt: clock.wall(), rows: null };
			all.set(made.id, made);
			return made;
		},
		get: (id) => all.get(id) ?? null,
		list: () => [...all.values()],
		change(id, change) {
			const before = all.get(id);
			if (!before) return null;
			const after = { ...before, ...change };
			all.set(id, after);
			return after;
		},
		delete: (id) => all.delete(id),
		heard(text, language, task) {
			const rules = field(task.pipeline.transcription, 'verification');
			const rows = rowsOf('asr', language, language, rules, VERIFICATION);
			return rows.reduce((said, [wrong = '', right = '']) => replaced(said, wrong, right), text);
		},
		translated(text, original, { from, to }, task) {
			const target = task.pipeline.translations.find(({ target_language: one }) => one === to);
			const rows = rowsOf('translation', from, to, target, TRANSLATION);
			return rows.reduce((said, [term = '', wanted = '']) => {
				if (!isIn(original, term) || isIn(said, wanted)) return said;
				// It is unknown which word translates the term, so append the wanted word visibly.
				return isIn(said, term) ? replaced(said, term, wanted) : `${said} (${wanted})`;
			}, text);
		},
	};
}

interface Names {
	readonly allow: string;
	readonly ids: string;
}

const VERIFICATION: Names = {
	allow: 'allow_verification_glossaries',
	ids: 'allowed_verification_glossary_ids',
};
const TRANSLATION: Names = {
	allow: 'allow_translation_glossaries',
	ids: 'allowed_translation_glossary_ids',
};

function wordOf(term: string): RegExp {
	const literal = term.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'giu');
}

function isIn(text: string, term: string): boolean {
	return term !== '' && wordOf(term).test(text);
}

function replaced(text: string, term: string, by: string): string {
	return term === '' ? text : text.replaceAll(wordOf(term), () => by);
}
