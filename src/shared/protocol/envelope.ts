import type { Problem } from '#shared/problem.ts';
import { field, isObject, parseJson, plainText } from './json.ts';
import { dotted, readable } from './service-error.ts';
import { REST_ERROR_CODE } from './vocabulary.ts';

/** One refused field of a request. */
export interface FieldError {
	/** Path as the service names it, such as `data.name`; empty when it does not say. */
	readonly field: string;
	readonly text: string;
}

/** A failure as the REST interface describes it, whatever the form (protocol 3.6, spec 7). */
export interface ErrorEnvelope {
	/** As the envelope says, else that of the answer. */
	readonly status: number;
	/** Plain text without secrets, at most 300 characters; empty when there was none. */
	readonly detail: string;
	/** `error_code` as text, or null. */
	readonly code: string | null;
	readonly fields: readonly FieldError[];
}

const MAX_ERRORS = 32;
const TEXTS = ['detail', 'title', 'message', 'msg', 'desc', 'description', 'error'];

/** Reads `body`, JSON or text as it came. Never throws. */
export function readErrorEnvelope(status: number, body: unknown): ErrorEnvelope {
	const json = jsonOf(body);
	const records = recordsOf(json);
	const first = records[0];
	return {
		status: statusOf(field(first, 'status')) ?? status,
		detail: readable(textOf(first) ?? textOf(json) ?? ''),
		code: codeOf(first) ?? codeOf(json),
		fields: records.flatMap(fieldErrorOf),
	};
}

function jsonOf(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	const json = parseJson(body);
	return json.ok ? json.value : body;
}

/** The error records: `errors`, or a validator's `detail` list, or the one `error`. */
function recordsOf(json: unknown): readonly unknown[] {
	for (const name of ['errors', 'detail', 'error']) {
		const found = field(json, name);
		if (Array.isArray(found)) return found.slice(0, MAX_ERRORS);
		if (isObject(found)) return [found];
	}
	return [];
}

function textOf(source: unknown): string | null {
	if (typeof source === 'string') return source.trim() === '' ? null : source;
	for (const name of TEXTS) {
		const found = field(source, name);
		if (typeof found === 'string' && found.trim() !== '') return found;
	}
	return null;
}

function codeOf(source: unknown): string | null {
	for (const name of ['error_code', 'code']) {
		const found = field(source, name);
		if (typeof found === 'number' && Number.isFinite(found)) return String(found);
		if (typeof found === 'string' && found !== '') return plainText(found, 64);
	}
	return null;
}

function statusOf(value: unknown): number | null {
	return typeof value === 'number' && Number.isInteger(value) && value > 399 && value < 600 ? value : null;
}

function fieldErrorOf(record: unknown): readonly FieldError[] {
	const where =
		field(record, 'loc') ??
		field(record, 'field') ??
		field(record, 'param') ??
		field(field(record, 'source'), 'pointer');
	const path = dotted(where).replace(/^\//, '').replaceAll('/', '.');
	return path === '' ? [] : [{ field: path, text: readable(textOf(record) ?? '') }];
}

/** What was asked, for words and because a refused create means something of its own. */
export type Asked =
	| 'create-session'
	| 'list-sessions'
	| 'read-session'
	| 'extend-session'
	| 'delete-session'
	| 'check-key'
	| 'clone-voice'
	| 'read-voice'
	| 'delete-voice'
	| 'open-socket';

const NO_CREDIT = /\b(balance|credits?|funds|payment|billing|top.?up)\b/i;
const QUOTA = /\bquota\b/i;
const SESSIONS = /\b(sessions?|parallel|concurrent|simultaneous)\b/i;
const LIMIT =
	/\b(quota|parallel|concurrent|simultaneous|limits?|maximum|too many|active sessions?|open sessions?)\b/i;

/**
 * The problem behind an answer that is not a success (faults 1 to 7). `retryAfterMs` is what the
 * answer's Retry-After said, 0 when it said nothing.
 */
export function problemOfAnswer(status: number, body: unknown, what: Asked, retryAfterMs = 0): Problem {
	const { detail, code, fields } = readErrorEnvelope(status, body);
	const support = code === null ? {} : { code };
	if (status === 401) return { kind: 'api-key-rejected', status };
	if (status === 402 || isNoCredit(status, detail, code, what)) return { kind: 'no-credit', detail };
	if (isSessionLimit(status, detail, code, what)) return { kind: 'session-limit', detail };
	if (what === 'clone-voice' && DESCRIPTION_REFUSED.has(status)) {
		return {
			kind: 'voice-refused',
			status,
			field: fields[0]?.field ?? fieldInText(detail),
			detail,
			...support,
		};
	}
	if (status === 403) return { kind: 'forbidden', detail, ...(isAboutVoices(what) ? support : {}) };
	if (status === 404) return { kind: 'not-found', what };
	if (status === 429) return { kind: 'rate-limited', retryAfterMs };
	if (status < 400) return { kind: 'unexpected-answer', what: `${what}: ${status}` };
	return { kind: 'service-failed', status, detail, ...support };
}

/** The envelope has no place for a field (spec 7): sentences begin with its path. */
function fieldInText(detail: string): string {
	return /^\s*((?:body|data|samples)\b[\w.[\]]*)\s*:/.exec(detail)?.[1] ?? '';
}

/** What a service says to a description it does not like; not to who asks, nor when. */
const DESCRIPTION_REFUSED: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

function isAboutVoices(what: Asked): boolean {
	return what === 'clone-voice' || what === 'read-voice' || what === 'delete-voice';
}

/** The code alone is enough for any request; words only count where a session was refused (faults 3). */
function isNoCredit(status: number, detail: string, code: string | null, what: Asked): boolean {
	if (![403, 409, 429].includes(status)) return false;
	if (code === String(REST_ERROR_CODE.noBalance)) return true;
	if (what !== 'create-session') return false;
	// A quota of sessions is the limit; any other is what was paid for.
	return NO_CREDIT.test(detail) || (QUOTA.test(detail) && !SESSIONS.test(detail));
}

/** A conflict on create is always the limit; 403 and 429 only when they say so (faults 6, 28). */
function isSessionLimit(status: number, detail: string, code: string | null, what: Asked): boolean {
	if (what !== 'create-session') return false;
	if (status === 409) return true;
	if (status !== 403 && status !== 429) return false;
	if (code === String(REST_ERROR_CODE.sessionLimit)) return true;
	return LIMIT.test(detail) && (status === 403 || SESSIONS.test(detail));
}
