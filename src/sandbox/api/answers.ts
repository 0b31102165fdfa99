import { randomInt } from 'node:crypto';
import type { FaultName, FaultSet } from '#sandbox/faults.ts';
import { httpDate } from '#sandbox/system-clock.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/** The answer of a REST operation, before faults and headers. */
export interface Answer {
	readonly status: number;
	/** Becomes JSON; `undefined` means no body. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Titles and numbers by status (protocol 3.6; only 100050 is known, the others are our own). */
const problems: Readonly<Record<number, readonly [title: string, code: number]>> = {
	400: ['Bad request', 100_020],
	401: ['Unauthorized', REST_ERROR_CODE.unauthorized],
	402: ['Payment required', 100_051],
	403: ['Forbidden resource', 100_011],
	404: ['Not found', REST_ERROR_CODE.notFound],
	405: ['Method not allowed', 100_041],
	409: ['Conflict', 100_042],
	413: ['Payload too large', 100_023],
	415: ['Unsupported media type', 100_025],
	422: ['Unprocessable entity', REST_ERROR_CODE.invalid],
	429: ['Too many requests', REST_ERROR_CODE.tooManyRequests],
	500: ['Internal server error', 100_000],
	502: ['Bad gateway', 100_002],
	503: ['Service unavailable', 100_003],
	504: ['Gateway timeout', 100_004],
};

/** The error envelope of spec 7. `instance` is the request's path. */
export function refusal(
	status: number,
	detail: string,
	instance: string,
	options: { errorCode?: number; headers?: Record<string, string> } = {},
): Answer {
	const [title, code] = problems[status] ?? ['Request failed', 100_001];
	const type = `https://sandbox.invalid/errors#${title.toLowerCase().replaceAll(/[^a-z]/g, '')}`;
	const error = { type, status, title, detail, instance, error_code: options.errorCode ?? code };
	return { status, body: { ok: false, errors: [error] }, headers: options.headers ?? {} };
}

/** The properties of a request that faults depend on. */
export interface AnyRequest {
	readonly operation: string;
	/** Path without query. */
	readonly instance: string;
	readonly faults: FaultSet;
}

const refusals: readonly (readonly [FaultName, number, string])[] = [
	['401', 401, 'The key is not known'],
	['402', 402, 'Payment is required'],
	['403', 403, 'This key may not use streaming sessions'],
	['404', 404, 'There is no such thing'],
	['409', 409, 'Another session is in the way'],
	['422', 422, 'body.data: refused on purpose'],
	['500', 500, 'Something went wrong'],
	['503', 503, 'Try again later'],
];

/** The answer that a fault substitutes, or null. `wallMs` is the service's clock, `port` its port. */
export function insteadOf(request: AnyRequest, here: { wallMs: number; port: number }): Answer | null {
	const { faults, operation, instance } = request;
	const hit = (name: FaultName) => faults.take(name, operation);
	for (const [name, status, detail] of refusals) if (hit(name)) return refusal(status, detail, instance);
	if (hit('422-many')) return manyRefusals(instance);
	if (hit('403-credit'))
		return refusal(403, 'Insufficient balance', instance, { errorCode: REST_ERROR_CODE.noBalance });
	if (hit('403-limit')) {
		const detail = 'The number of parallel sessions of this plan is used up';
		return refusal(403, detail, instance, { errorCode: REST_ERROR_CODE.sessionLimit });
	}
	const wait = (status: number, seconds: string) =>
		refusal(status, 'Slow down, please', instance, { headers: { 'Retry-After': seconds } });
	if (hit('429')) return refusal(429, 'Slow down, please', instance);
	if (hit('429-after')) return wait(429, '2');
	if (hit('429-date')) return wait(429, httpDate(here.wallMs + 3000));
	if (hit('429-day')) return wait(429, '86400');
	if (hit('429-garbage')) return wait(429, 'soon');
	if (hit('503-after')) return wait(503, '1');
	if (hit('502')) return page(502);
	if (hit('504')) return page(504);
	if (hit('error-text')) return { status: 400, body: { error: 'refused in the old words' } };
	if (hit('redirect')) return moved(302, `http://localhost:${here.port}/elsewhere${instance}`);
	if (hit('redirect-loop')) return moved(307, instance);
	return null;
}

/** The answer of a validator that checks everything: one record per error, the last one without a field. */
function manyRefusals(instance: string): Answer {
	const says = [
		['data.name', 'is taken by another voice', REST_ERROR_CODE.invalid],
		['data.samples[0].lang_code', 'is not taught yet', 100_026],
		['data.description', 'is not understood', 100_027],
		['', 'The account makes too many voices', 100_028],
	] as const;
	const errors = says.map(([at, text, error_code], index) => ({
		type: `https://sandbox.invalid/errors#${at === '' ? 'account' : 'field'}`,
		status: 422,
		title: at === '' ? 'Account refused' : 'Field refused',
		detail: at === '' ? text : `body.${at}: ${text}`,
		instance: `${instance}#${index + 1}`,
		error_code,
	}));
	return { status: 422, body: { ok: false, errors } };
}

function page(status: number): Answer {
	return { status, body: rawBody('<html><body>gateway</body></html>', 'text/html') };
}

function moved(status: number, to: string): Answer {
	return { status, headers: { Location: to } };
}

/** A body that is not our own JSON. */
interface RawBody {
	readonly raw: string;
	readonly type: string;
}

export function rawBody(raw: string, type = 'application/json'): RawBody {
	return { raw, type };
}

export function isRawBody(body: unknown): body is RawBody {
	return typeof body === 'object' && body !== null && 'raw' in body && 'type' in body;
}

/** Applies the faults that change a correct answer. */
export function spoil(answer: Answer, request: AnyRequest): Answer {
	const { faults, operation, instance } = request;
	const hit = (name: FaultName) => faults.take(name, operation);
	if (hit('500-after')) return refusal(500, 'Something went wrong afterwards', instance);
	if (answer.status >= 400) return answer;
	if (hit('malformed-json')) return { ...answer, body: rawBody('{"ok":true,"data":{') };
	if (hit('html')) return { ...answer, body: rawBody('<!doctype html><p>Please log in</p>', 'text/html') };
	if (hit('empty-body')) return { ...answer, body: rawBody('') };
	if (hit('bom')) return { ...answer, body: rawBody(`\uFEFF${JSON.stringify(answer.body)}`) };
	if (hit('deep-body')) return { ...answer, body: rawBody('['.repeat(100_000) + ']'.repeat(100_000)) };
	if (hit('wrong-types')) return { ...answer, body: wrongTypes(operation) };
	if (hit('not-ok')) return { ...answer, body: { ...record(answer.body), ok: false } };
	if (operation === 'create') return spoilCreated(answer, faults);
	if (operation === 'list') return { ...answer, body: spoilList(record(answer.body), faults) };
	if (answer.status === 204 && faults.has('status-200-create')) return { status: 200, body: { ok: true } };
	if (faults.has('extra-fields')) return { ...answer, body: widened(answer.body) };
	return answer;
}

function spoilCreated(answer: Answer, faults: FaultSet): Answer {
	const data = { ...record(record(answer.body).data) };
	if (faults.has('publisher-array')) data.publisher = [data.publisher];
	if (faults.has('extra-fields')) {
		Object.assign(data, {
			intent: 'something_new',
			subscriber: [],
			organization: null,
			region: { name: 'moon' },
		});
	}
	const status = faults.has('status-200-create') ? 200 : answer.status;
	return { ...answer, status, body: { ...record(answer.body), data } };
}

function spoilList(body: Record<string, unknown>, faults: FaultSet): unknown {
	const data = Array.isArray(body.data) ? body.data : [];
	if (faults.has('sessions-null')) return { sessions: null };
	if (faults.has('bare-array')) return data;
	if (faults.has('list-sessions')) return { ok: true, data: { sessions: data } };
	if (faults.has('no-token')) return { data };
	if (faults.has('null-token')) return { data, next_page_token: null };
	if (faults.has('repeat-token')) return { data, next_page_token: 'YWZ0ZXI6MA' };
	if (faults.has('endless-list')) {
		const made = Buffer.from(`after:${1_000_000 + randomInt(1_000_000_000)}`).toString('base64url');
		return { data, next_page_token: made };
	}
	if (faults.has('duplicate-ids')) return { ...body, data: [...data, ...data.toReversed()] };
	return faults.has('extra-fields') ? { ...body, ok: true, total: data.length } : body;
}

function wrongTypes(operation: string): unknown {
	if (operation === 'create')
		return { ok: 'yes', data: { publisher: 7, webrtc_url: null, intent: [], id: {} } };
	if (operation === 'list')
		return { data: [{ id: 5, created_at: null, expires_at: {} }, null, 'x'], next_page_token: 9 };
	return { data: { id: null, expires_at: 12 } };
}

function widened(body: unknown): unknown {
	if (body === undefined) return undefined;
	return { ...record(body), ok: true, data: { ...record(record(body).data), owner: 'somebody', tags: [] } };
}

function record(value: unknown): Record<string, unknown> {
	return typeof value === 'object' && value !== null ? { ...value } : {};
}
