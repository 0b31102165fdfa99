import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/** What a REST operation answers, before faults and headers. */
export interface Answer {
	readonly status: number;
	/** Becomes JSON; `undefined` is no body at all. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Titles and numbers by status (protocol 3.6; only 100050 is known, the rest is ours). */
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

/** The envelope of spec 7. `instance` is the request's path. */
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
