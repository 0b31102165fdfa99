import { redact, redactKnown } from '#shared/lib/log.ts';
import { errorsOf, type Problem, type ProblemOf, type ServiceErrorRecord } from '#shared/problem.ts';
import { field, isObject, parseJson, plainText } from './json.ts';
import { dotted, readable } from './service-error.ts';
import { REST_ERROR_CODE } from './vocabulary.ts';

/** A failure described by the REST interface, in any of its forms (protocol 3.6, spec 7). */
export interface ErrorEnvelope {
	/** Status of the first record, otherwise that of the HTTP answer. */
	readonly status: number;
	/** Detail of the first record: plain text without secrets, at most 300 characters; may be empty. */
	readonly detail: string;
	/** `error_code` as text, or null. */
	readonly code: string | null;
	/** Every non-empty record, in order, at most 32. */
	readonly errors: readonly ServiceErrorRecord[];
}

const MAX_ERRORS = 32;
const DETAILS = ['detail', 'message', 'msg', 'desc', 'description', 'error'];
const CODES = ['error_code', 'code'];

/** Reads `body`, JSON or raw text. Never throws. */
export function readErrorEnvelope(status: number, body: unknown): ErrorEnvelope {
	const json = jsonOf(body);
	const errors = recordsOf(json);
	const [first] = errors;
	return {
		status: first?.status ?? status,
		detail: first?.detail ?? first?.title ?? '',
		code: errors.find(({ code }) => code !== undefined)?.code ?? codeOf(json),
		errors,
	};
}

function jsonOf(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	const json = parseJson(body);
	return json.ok ? json.value : body;
}

/** The list in `errors`, a validator's `detail`, or the single `error`; otherwise the whole answer. */
function recordsOf(json: unknown): readonly ServiceErrorRecord[] {
	for (const name of ['errors', 'detail', 'error']) {
		const found = field(json, name);
		const list = Array.isArray(found) ? found : isObject(found) || name === 'errors' ? [found] : [];
		// The list may be as long as the answer; empty records do not count.
		const records = list.slice(0, MAX_ERRORS * 8).flatMap((one) => recordOf(one) ?? []);
		if (records.length > 0) return records.slice(0, MAX_ERRORS);
	}
	const only = recordOf(json);
	return only === null ? [] : [only];
}

/** Null: the record contains nothing readable. */
function recordOf(source: unknown): ServiceErrorRecord | null {
	const detail = readable(textOf(source, DETAILS) ?? '');
	const title = readable(textOf(source, ['title']) ?? '');
	const code = codeOf(source);
	const type = readable(textOf(source, ['type']) ?? '');
	const instance = readable(textOf(source, ['instance']) ?? '');
	const path = fieldOf(source) || fieldInText(detail);
	const status = statusOf(field(source, 'status'));
	if ([detail, title, code ?? '', path].every((text) => text === '')) return null;
	return {
		...(title !== '' && { title }),
		...(detail !== '' && { detail }),
		...(code !== null && { code }),
		...(status !== null && { status }),
		...(type !== '' && { type }),
		...(instance !== '' && { instance }),
		...(path !== '' && { field: path }),
	};
}

/** The first of these fields with text or a number; a plain string is a detail. */
function textOf(source: unknown, names: readonly string[]): string | null {
	if (typeof source === 'string') return names.includes('detail') && source.trim() !== '' ? source : null;
	for (const name of names) {
		const found = field(source, name);
		if (typeof found === 'string' && found.trim() !== '') return found;
		if (typeof found === 'number' && Number.isFinite(found)) return String(found);
	}
	return null;
}

function codeOf(source: unknown): string | null {
	for (const name of CODES) {
		const found = field(source, name);
		if (typeof found === 'number' && Number.isFinite(found)) return String(found);
		if (typeof found !== 'string') continue;
		const code = plainText(redact(found.slice(0, 1000)), 64);
		if (code !== '') return code;
	}
	return null;
}

function statusOf(value: unknown): number | null {
	const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
	return typeof status === 'number' && Number.isInteger(status) && status > 399 && status < 600
		? status
		: null;
}

function fieldOf(record: unknown): string {
	const where =
		field(record, 'loc') ??
		field(record, 'field') ??
		field(record, 'param') ??
		field(field(record, 'source'), 'pointer');
	return redact(dotted(where)).replace(/^\//, '').replaceAll('/', '.');
}

/** The kind of request: chooses the words of a problem, and a refused create has its own meaning. */
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
	| 'list-glossaries'
	| 'read-glossary-table'
	| 'read-glossary'
	| 'create-glossary'
	| 'upload-glossary'
	| 'change-glossary'
	| 'delete-glossary'
	| 'read-balance'
	| 'open-socket';

const NO_CREDIT = /\b(balance|credits?|funds|payment|billing|top.?up)\b/i;
/** These words never refer to the number of sessions in a plan; billing and payment may. */
const SPENT = /\b(balance|credits?|funds)\b/i;
const AT_ONCE = /\b(parallel|concurrent|simultaneous|too many)\b/i;
const QUOTA = /\bquota\b/i;
const SESSIONS = /\b(sessions?|parallel|concurrent|simultaneous)\b/i;
const LIMIT =
	/\b(quota|parallel|concurrent|simultaneous|limits?|maximum|too many|active sessions?|open sessions?)\b/i;

/** The problem of an unsuccessful answer (faults 1 to 7). `retryAfterMs`: from Retry-After, 0 if absent. */
export function problemOfAnswer(status: number, body: unknown, what: Asked, retryAfterMs = 0): Problem {
	const envelope = readErrorEnvelope(status, body);
	const { detail, errors } = envelope;
	const said = saidIn(envelope);
	if (status === 401) return { kind: 'api-key-rejected', status, ...said };
	if (status === 402 || isNoCredit(status, envelope, what)) return { kind: 'no-credit', detail, ...said };
	if (isSessionLimit(status, envelope, what)) return { kind: 'session-limit', detail, ...said };
	if (what === 'clone-voice' && DESCRIPTION_REFUSED.has(status)) {
		const field = errors.find((record) => record.field !== undefined)?.field ?? '';
		return { kind: 'voice-refused', status, field, detail, ...said };
	}
	if (status === 403) return { kind: 'forbidden', detail, ...said };
	if (status === 404) return { kind: 'not-found', what, ...said };
	if (status === 429) return { kind: 'rate-limited', retryAfterMs, ...said };
	if (status < 400) return { kind: 'unexpected-answer', what: `${what}: ${status}` };
	return { kind: 'service-failed', status, detail, ...said };
}

/**
 * Statuses for which the service's own front end, or a service without this path, answers in HTML (protocol 8).
 */
const OWN_PAGES: ReadonlySet<number> = new Set([404, 405, 408, 410, 413, 429]);

/** The problem behind a web page: a network's login or a filter. Null if the service may have sent it. */
export function problemOfPage(status: number, body: string): Problem | null {
	if (status === 407) return { kind: 'proxy-login' };
	if (status === 511) return { kind: 'not-the-service', status };
	if (OWN_PAGES.has(status) || status >= 500 || !body.trimStart().startsWith('<')) return null;
	return { kind: 'not-the-service', status };
}

/** The problem of a successful but unusable answer; includes its records if it is `ok: false` (spec 7). */
export function problemOfOdd(what: string, body: unknown): Problem {
	const said = field(body, 'ok') === false ? saidIn(readErrorEnvelope(0, body)) : {};
	return { kind: 'unexpected-answer', what, ...said };
}

type Said = Pick<ProblemOf<'forbidden'>, 'code' | 'errors'>;

/** The fields of an envelope that a problem includes; empty if the service gave no reason. */
function saidIn({ code, errors }: ErrorEnvelope): Said {
	return { ...(code !== null && { code }), ...(errors.length > 0 && { errors: [...errors] }) };
}

/** The same fields of a problem, for another problem that replaces it. */
export function saidBy(problem: Problem): Said {
	const { code, errors }: Said = 'errors' in problem || 'code' in problem ? problem : {};
	return { ...(code !== undefined && { code }), ...(errors && { errors }) };
}

/** A record's `instance` for a log or a report, without ids of sessions or voices. */
export function withoutIds(instance: string): string {
	return instance.replace(/(\/(?:sessions?|m)\/)[^/?#]+/g, '$1[id]');
}

/** The service's records for a log, without their sentences, which may quote the request. */
export function errorFacts(problem: Problem): Record<string, unknown> {
	const facts = errorsOf(problem).map(({ detail: _, instance, ...record }) => ({
		...record,
		...(instance !== undefined && { instance: withoutIds(instance) }),
	}));
	return facts.length === 0 ? {} : { errors: facts };
}

/** The envelope has no field for a path (spec 7): sentences begin with the path instead. */
function fieldInText(detail: string): string {
	return /^\s*((?:body|data|samples)\b[\w.[\]]*)\s*:/.exec(detail)?.[1] ?? '';
}

/** Statuses that concern the description itself, not the caller or the time of the request. */
const DESCRIPTION_REFUSED: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

/** May be refused for the session limit: a socket opened with a key creates its own session (protocol 3.7). */
const OPENS_SESSION: ReadonlySet<Asked> = new Set(['create-session', 'open-socket']);

/** The code alone suffices for any request; words only count if a session was refused (faults 3). */
function isNoCredit(status: number, { errors }: ErrorEnvelope, what: Asked): boolean {
	if (![403, 409, 429].includes(status)) return false;
	if (hasCode(errors, REST_ERROR_CODE.noBalance)) return true;
	if (!OPENS_SESSION.has(what) || hasCode(errors, REST_ERROR_CODE.sessionLimit)) return false;
	const words = wordsIn(errors);
	if (AT_ONCE.test(words) && !SPENT.test(words)) return false;
	// A quota of sessions means the session limit; any other quota means credit.
	return NO_CREDIT.test(words) || (QUOTA.test(words) && !SESSIONS.test(words));
}

/**
 * A conflict on create always means the session limit; 403 and 429 only if their text says so (faults 6, 28).
 */
function isSessionLimit(status: number, { errors }: ErrorEnvelope, what: Asked): boolean {
	if (!OPENS_SESSION.has(what)) return false;
	// On a socket it means a second connection of the same identity (protocol 2.3).
	if (status === 409) return what === 'create-session';
	if (status !== 403 && status !== 429) return false;
	if (hasCode(errors, REST_ERROR_CODE.sessionLimit)) return true;
	const words = wordsIn(errors);
	return LIMIT.test(words) && (status === 403 || SESSIONS.test(words));
}

function hasCode(errors: readonly ServiceErrorRecord[], code: number): boolean {
	return errors.some((record) => record.code === String(code));
}

function wordsIn(errors: readonly ServiceErrorRecord[]): string {
	return errors.map(({ title, detail }) => detail ?? title ?? '').join('\n');
}

/** Redacts an answer before it is read: it may repeat our request. JSON is parsed first. Never throws. */
export function withoutSecrets(body: string, secrets: readonly string[]): string {
	const json = parseJson(body);
	return json.ok ? JSON.stringify(redactKnown(json.value, secrets)) : redactKnown(body, secrets);
}
