import { redact } from '#shared/lib/log.ts';
import type { ServiceErrorRecord } from '#shared/problem.ts';
import { field, isObject, plainText, textField } from './json.ts';
import { MAX_DETAIL_LENGTH } from './limits.ts';
import type { ServiceErrorMessage } from './server-message.ts';
import { ERROR_CODE } from './vocabulary.ts';

/** Fields that may contain the text of an error, best first (protocol 4.6). */
const TEXT_NAMES = ['desc', 'msg', 'description', 'message', 'detail'];
/** Outer wrappers that a validator puts before the task's own path. */
const WRAPPERS = new Set(['body', 'data', 'message', 'set_task', 'SetTaskMessage', 'Task']);

/** Reads `data` of an `error` message, in every known form (protocol 4.6). Never throws. */
export function readServiceError(data: unknown): ServiceErrorMessage {
	const source = isObject(data) ? data : { desc: data };
	const said = TEXT_NAMES.map((name) => field(source, name)).find(hasContent);
	const { text, path } = explain(said);
	const param = field(source, 'param');
	return {
		type: 'error',
		code: codeOf(field(source, 'code') ?? field(source, 'error_code')),
		text: readable(text),
		field: path || (typeof param === 'string' ? plainText(param, 200) : ''),
	};
}

/** The same error, as a `Problem` stores it. */
export function saidInMessage({ code, text, field: path }: ServiceErrorMessage): {
	readonly code: string;
	readonly errors: ServiceErrorRecord[];
} {
	return {
		code,
		errors: [{ code, ...(text !== '' && { detail: text }), ...(path !== '' && { field: path }) }],
	};
}

function hasContent(value: unknown): boolean {
	return (typeof value === 'string' && value.trim() !== '') || isObject(value) || Array.isArray(value);
}

function codeOf(value: unknown): string {
	if (typeof value === 'number') return String(value);
	const code = typeof value === 'string' ? plainText(value, 64) : '';
	return code === '' ? ERROR_CODE.unknown : code;
}

/** Plain text without secrets, at most 300 characters. */
export function readable(text: string): string {
	return plainText(redact(text.slice(0, 20_000)), MAX_DETAIL_LENGTH);
}

interface Explanation {
	readonly text: string;
	/** Dotted path of the refused field; may be empty. */
	readonly path: string;
}

function explain(said: unknown): Explanation {
	if (typeof said === 'string') return fromText(said.slice(0, 20_000));
	// The error has the form {loc, msg}, or is a list of these.
	const entries: readonly unknown[] = Array.isArray(said) ? said : [said];
	const entry = entries.find((candidate) => Array.isArray(field(candidate, 'loc'))) ?? entries[0];
	if (typeof entry === 'string') return fromText(entry.slice(0, 20_000));
	const text = TEXT_NAMES.map((name) => textField(entry, name)).find(hasContent) ?? '';
	return { text, path: dotted(field(entry, 'loc')) };
}

/** `loc` as JSON: `["pipeline", "translations", 0, "target_language"]`. */
export function dotted(loc: unknown): string {
	if (typeof loc === 'string') return plainText(loc, 200);
	if (!Array.isArray(loc)) return '';
	return joinPath(loc.slice(0, 16).filter((part) => typeof part === 'string' || typeof part === 'number'));
}

function joinPath(parts: readonly (string | number)[]): string {
	const names = parts.map(String);
	while (names.length > 1 && WRAPPERS.has(names[0] ?? '')) names.shift();
	return plainText(names.join('.'), 200);
}

/** `… 'loc': ('pipeline', 'translations', 0, 'target_language'), 'msg': "Input should be …"` */
const LOC = /["']?loc["']?\s*[:=]\s*[([]([^)\]]{1,500})[)\]]/;
const MSG = /["']?msg["']?\s*[:=]\s*(?:"((?:[^"\\]|\\.){1,2000})"|'((?:[^'\\]|\\.){1,2000})')/;
/** A validator's listing: the path on its own line, the fault indented below. */
const LISTING = /validation errors? for [^\n]{1,100}\n\s*([\w.-]{1,200})\n\s+([^\n]{1,2000})/;

function fromText(text: string): Explanation {
	const loc = LOC.exec(text)?.[1];
	if (loc !== undefined) {
		const parts = loc.split(',').map((part) => part.trim().replace(/^["']|["']$/g, ''));
		const [, double, single] = MSG.exec(text) ?? [];
		return { text: double ?? single ?? text, path: joinPath(parts.filter((part) => part !== '')) };
	}
	const [, path, reason] = LISTING.exec(text) ?? [];
	if (path !== undefined && reason !== undefined) return { text: reason, path: joinPath(path.split('.')) };
	return { text, path: '' };
}
