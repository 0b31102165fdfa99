import { type BackoffPlan, backoffDelay, type Cancel, type Clock, pause } from '#shared/lib/clock.ts';
import { parseHttpDate, parseRetryAfter } from '#shared/lib/http-dates.ts';
import { type Logger, redact, redactKnown } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Problem, problemOfNetwork } from '#shared/problem.ts';
import { type Asked, errorFacts, problemOfAnswer, problemOfPage } from '#shared/protocol/envelope.ts';
import { field, type JsonFault, parseJson } from '#shared/protocol/json.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { type ConnectFailure, readConnectFailure } from './connect-failure.ts';

/** Retries of a call. */
const PLAN: BackoffPlan = { baseMs: 300, capMs: 20_000, tries: 4 };
const THROTTLED_PLAN: BackoffPlan = { ...PLAN, baseMs: 1000 };
/** Longest wait requested by a service that we accept without asking the user (faults 8). */
const LONGEST_PAUSE_MS = 60_000;
const FIRST_ANSWER_MS = 10_000;
const WHOLE_ANSWER_MS = 15_000;

/** The address to call, and the account. The key leaves this folder only in the Authorization header. */
export interface Credentials {
	readonly base: string;
	readonly key: string;
}

export interface HttpRequest {
	readonly method: 'GET' | 'POST' | 'DELETE';
	/** The path below the base, already encoded, with its query. */
	readonly path: string;
	/** Sent as JSON. */
	readonly body?: unknown;
	/** Sent as it is, in place of `body`. */
	readonly form?: { readonly contentType: string; readonly bytes: Uint8Array<ArrayBuffer> };
	/** Names the call in problems and in the log. */
	readonly what: Asked;
	/** `safe`: idempotent. `unprocessed`: repeated only if the service provably did not act. */
	readonly repeat: 'safe' | 'unprocessed';
	/** `nothing`: any 2xx is success, whatever its body. `text`: a body that is not JSON is accepted too, as a string. */
	readonly expects: 'json' | 'text' | 'nothing';
	readonly firstMs?: number;
	/** For a longer requested wait, report a problem instead; default one minute. */
	readonly longestPauseMs?: number;
	/** Ends the waiting at once, but not an `unprocessed` call under way: its outcome must be known. */
	readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
	readonly status: number;
	readonly body: unknown;
}

export interface HttpFailure {
	readonly problem: Problem;
	/** Whether the service may have acted anyway. `answered` = maybe, and it has finished with the call. */
	readonly acted: 'no' | 'maybe' | 'answered';
	/** The status of a refusal; 0 without one. */
	readonly status: number;
}

/** True if the service does not know what was requested, perhaps because it lacks that part of the API. */
export function isUnknownThere({ status }: HttpFailure): boolean {
	return [404, 405, 410, 501].includes(status);
}

export interface HttpParts {
	readonly fetch: typeof globalThis.fetch;
	readonly clock: Clock;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
}

export type Http = ReturnType<typeof createHttp>;

export function createHttp(parts: HttpParts) {
	const states = new Map<string, ServiceState>();

	function stateOf(base: string): ServiceState {
		let state = states.get(base);
		if (!state) {
			state = createServiceState(parts.clock);
			states.set(base, state);
		}
		return state;
	}

	async function request(to: Credentials, wanted: HttpRequest): Promise<Result<HttpAnswer, HttpFailure>> {
		const refusal = checkCredentials(to);
		if (refusal) return err(notActed(refusal));
		const state = stateOf(to.base);
		for (let attempt = 1; ; attempt++) {
			const obstacle = await untilAllowed(state, wanted, to.key);
			if (obstacle) return err(notActed(obstacle));
			const outcome = withoutKey(await tryOnce(...describe(to, wanted, state)), to);
			const judged = judge(outcome, wanted, { state, key: to.key });
			if (judged.type === 'answer') return ok(judged.answer);
			const delayMs = judged.again ? delayBefore(judged.again, attempt, state, wanted) : null;
			const facts = { what: wanted.what, attempt, ...factsOf(judged.failure, to) };
			if (delayMs === null) {
				parts.log.warn('request failed', facts);
				return err(judged.failure);
			}
			parts.log.debug('request tried again', { ...facts, delayMs });
			const waited = await pause(parts.clock, delayMs, wanted.signal);
			if (!waited) return err({ ...judged.failure, problem: { kind: 'cancelled' } });
		}
	}

	/** Waits if the service has asked for a pause; a problem if this call must not be sent at all. */
	async function untilAllowed(
		state: ServiceState,
		{ signal, longestPauseMs = LONGEST_PAUSE_MS }: HttpRequest,
		key: string,
	): Promise<Problem | null> {
		const quietMs = state.pauseMs(key);
		if (quietMs > longestPauseMs) return { kind: 'rate-limited', retryAfterMs: Math.ceil(quietMs) };
		if (quietMs > 0) await pause(parts.clock, quietMs, signal);
		if (signal?.aborted) return { kind: 'cancelled' };
		return state.mayTry() ? null : { kind: 'service-failed', status: 503, detail: '', code: 'circuit-open' };
	}

	function describe(to: Credentials, wanted: HttpRequest, state: ServiceState): Parameters<typeof tryOnce> {
		const headers: Record<string, string> = { authorization: `Bearer ${to.key}`, accept: 'application/json' };
		// Extending a session has no body, but needs this header too (spec 4.5).
		if (wanted.method === 'POST') headers['content-type'] = 'application/json';
		const init: RequestInit = { method: wanted.method, headers, credentials: 'omit', cache: 'no-store' };
		if (wanted.body !== undefined) init.body = JSON.stringify(wanted.body);
		if (wanted.form) {
			headers['content-type'] = wanted.form.contentType;
			init.body = wanted.form.bytes;
		}
		const heardHead = (response: Response) => state.heardDate(response.headers);
		const firstMs = wanted.firstMs ?? FIRST_ANSWER_MS;
		const { fetch, clock } = parts;
		const signal = wanted.repeat === 'safe' ? wanted.signal : undefined;
		const tryParts = { fetch, clock, firstMs, overallMs: WHOLE_ANSWER_MS, signal, heardHead };
		return [`${to.base.replace(/\/+$/, '')}${wanted.path}`, init, tryParts];
	}

	/** Null = no more tries. A pause that the service requested is never shortened. */
	function delayBefore(
		again: Again,
		attempt: number,
		state: ServiceState,
		{ longestPauseMs = LONGEST_PAUSE_MS }: HttpRequest,
	): number | null {
		if (attempt >= PLAN.tries || state.isFailing()) return null;
		const delayMs =
			again.askedMs ?? backoffDelay(again.throttled ? THROTTLED_PLAN : PLAN, attempt, parts.random);
		return delayMs === null || delayMs > longestPauseMs || !state.payRetry() ? null : delayMs;
	}

	return {
		/** Never rejects. Makes at most 4 attempts, each with a time limit; for `signal` see `HttpRequest`. */
		request,
		/** The service's time at this base, Unix ms (`Date` header); this computer's until it has answered. */
		serverNow: (base: string): number => stateOf(base).now(),
		/** The same, but null until the service has reported its time. */
		heardNow: (base: string): number | null => stateOf(base).heardNow(),
	};
}

interface Again {
	readonly throttled: boolean;
	readonly askedMs: number | null;
}

type Judgement =
	| { readonly type: 'answer'; readonly answer: HttpAnswer }
	| { readonly type: 'failure'; readonly failure: HttpFailure; readonly again: Again | null };

const PLAIN: Again = { throttled: false, askedMs: null };

/** The state of the service, and the key of the request. */
interface Sender {
	readonly state: ServiceState;
	readonly key: string;
}

function judge(outcome: TryOutcome, wanted: HttpRequest, sender: Sender): Judgement {
	const safe = wanted.repeat === 'safe';
	switch (outcome.type) {
		case 'cancelled':
			return failed(
				{ problem: { kind: 'cancelled' }, acted: outcome.sent ? 'maybe' : 'no', status: 0 },
				null,
			);
		case 'late': {
			const problem: Problem = { kind: 'timed-out', what: wanted.what, afterMs: outcome.afterMs };
			return failed({ problem, acted: 'maybe', status: 0 }, safe ? PLAIN : null);
		}
		case 'broken': {
			const { cause, neverSent } = outcome.failure;
			const problem = problemOfNetwork(cause, outcome.url);
			return failed(
				{ problem, acted: neverSent ? 'no' : 'maybe', status: 0 },
				safe || neverSent ? PLAIN : null,
			);
		}
		case 'answer':
			sender.state.heardAnswer(outcome.status);
			return judgeAnswer(outcome, wanted, sender);
	}
}

type Answer = Extract<TryOutcome, { type: 'answer' }>;

function judgeAnswer(answer: Answer, wanted: HttpRequest, sender: Sender): Judgement {
	if (answer.status >= 400) return judgeRefusal(answer, wanted, sender);
	return answer.status >= 200 && answer.status < 300 ? judgeSuccess(answer, wanted) : judgeRedirect(answer);
}

function judgeSuccess({ status, body }: Answer, wanted: HttpRequest): Judgement {
	// A login page's answer never counts, not even to a deletion.
	const page = problemIn(status, body);
	if (page) return failed({ problem: page, acted: 'answered', status }, null);
	const text = wanted.expects === 'text' && body.type === 'unreadable' ? body.text : undefined;
	const value = body.type === 'json' ? body.value : text;
	if (value !== undefined || wanted.expects === 'nothing') {
		return { type: 'answer', answer: { status, body: value } };
	}
	const why = body.type === 'unreadable' ? body.why : 'empty';
	const problem: Problem = { kind: 'unexpected-answer', what: `${wanted.what}: ${why}` };
	return failed({ problem, acted: 'answered', status }, null);
}

/**
 * Redirects are never followed, and opaque (status 0) if the platform hides them. The service sends none; a
 * network's login page begins with one. Only 307 and 308 mean "not done here".
 */
function judgeRedirect({ status }: Answer): Judgement {
	const problem: Problem = { kind: 'not-the-service', status };
	return failed({ problem, acted: status === 307 || status === 308 ? 'no' : 'answered', status }, null);
}

function judgeRefusal(
	{ status, headers, body }: Answer,
	wanted: HttpRequest,
	{ state, key }: Sender,
): Judgement {
	const askedMs = parseRetryAfter(headers.get('retry-after'), state.now());
	const isThrottle = status === 429 || (status === 503 && askedMs !== null);
	const said = body.type === 'json' ? body.value : undefined;
	const problem = problemIn(status, body) ?? problemOfAnswer(status, said, wanted.what, askedMs ?? 0);
	const isTransient = isThrottle || (wanted.repeat === 'safe' && (status === 408 || status >= 500));
	// Out of credit may come as 429 too (faults 3): waiting does not help there.
	const isHopeless = problem.kind === 'no-credit' || problem.kind === 'session-limit';
	if (askedMs !== null && isThrottle && !isHopeless) state.pauseFor(key, askedMs);
	const again = isTransient && !isHopeless ? { throttled: status === 429, askedMs } : null;
	return failed({ problem, acted: status < 500 || isThrottle ? 'no' : 'answered', status }, again);
}

function problemIn(status: number, body: Answer['body']): Problem | null {
	return problemOfPage(status, body.type === 'unreadable' ? (body.page ?? '') : '');
}

function failed(failure: HttpFailure, again: Again | null): Judgement {
	return { type: 'failure', failure, again };
}

function notActed(problem: Problem): HttpFailure {
	return { problem, acted: 'no', status: 0 };
}

/** A refusal may repeat the key in any encoding. It goes before the text is shortened, which could split it. */
function withoutKey(outcome: TryOutcome, { key }: Credentials): TryOutcome {
	if (outcome.type !== 'answer' || outcome.body.type !== 'json') return outcome;
	const { value } = outcome.body;
	const isRefusal =
		outcome.status >= 400 || field(value, 'ok') === false || field(value, 'errors') !== undefined;
	return isRefusal ? { ...outcome, body: { type: 'json', value: redactKnown(value, [key]) } } : outcome;
}

function checkCredentials(to: Credentials): Problem | null {
	return checkKey(to.key) ?? checkRestBase(to.base);
}

/** Checks a key: one that is not allowed in a header would make the platform throw an error that quotes it. */
export function checkKey(key: string): Problem | null {
	if (key === '') return { kind: 'api-key-missing' };
	const at = key.search(/[^\x21-\x7e]/u);
	if (at === -1) return null;
	const point = key.codePointAt(at) ?? 0;
	const character = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
	return { kind: 'key-characters', character, position: at + 1 };
}

function factsOf(failure: HttpFailure, to: Credentials): Record<string, unknown> {
	const { problem, status } = failure;
	const cause = 'cause' in problem ? { cause: redact(problem.cause, [to.key]) } : {};
	return { kind: problem.kind, status, ...cause, ...errorFacts(problem) };
}

/** The result of one exchange. `broken`: no complete answer, because of the network. */
export type TryOutcome =
	| {
			readonly type: 'answer';
			readonly status: number;
			readonly headers: Headers;
			readonly body: BodyReading;
	  }
	| { readonly type: 'broken'; readonly failure: ConnectFailure; readonly url: string }
	| { readonly type: 'late'; readonly afterMs: number }
	| { readonly type: 'cancelled'; readonly sent: boolean };

/** Makes one request, bounded in time and size; never rejects, leaves no socket behind. */
export async function tryOnce(
	url: string,
	init: RequestInit,
	parts: {
		readonly fetch: typeof globalThis.fetch;
		readonly clock: Clock;
		/** Time until the first byte of the answer, ms. */
		readonly firstMs: number;
		/** Time until the whole answer is read, ms. */
		readonly overallMs: number;
		readonly signal: AbortSignal | undefined;
		readonly heardHead: (response: Response) => void;
	},
): Promise<TryOutcome> {
	if (parts.signal?.aborted) return { type: 'cancelled', sent: false };
	const control = new AbortController();
	let ended: TryOutcome | null = null;
	const end = (outcome: TryOutcome) => {
		ended ??= outcome;
		control.abort();
	};
	const started = parts.clock.now();
	const late = () => end({ type: 'late', afterMs: Math.round(parts.clock.now() - started) });
	const cancels: Cancel[] = [parts.clock.after(parts.overallMs, late)];
	const stopWaiting = parts.clock.after(parts.firstMs, late);
	const cancelled = () => end({ type: 'cancelled', sent: true });
	parts.signal?.addEventListener('abort', cancelled, { once: true });
	try {
		// Never followed: a redirect would carry the key to a host the user did not name.
		const response = await parts.fetch(url, { ...init, redirect: 'manual', signal: control.signal });
		stopWaiting();
		parts.heardHead(response);
		const body = await readJsonBody(response);
		return ended ?? { type: 'answer', status: response.status, headers: response.headers, body };
	} catch (thrown) {
		return ended ?? { type: 'broken', failure: readConnectFailure(thrown), url };
	} finally {
		stopWaiting();
		for (const cancel of cancels) cancel();
		parts.signal?.removeEventListener('abort', cancelled);
	}
}

/** All answers of the session and voice endpoints are far smaller than this (faults 16). */
const MOST_BYTES = 1024 * 1024;

/**
 * `none`: only white space. `unreadable`: `why` is our own wording, never the body's; `text` is the body if it is
 * not JSON, `page` if it is a web page.
 */
type BodyReading =
	| { readonly type: 'json'; readonly value: unknown }
	| { readonly type: 'none' }
	| { readonly type: 'unreadable'; readonly why: string; readonly text?: string; readonly page?: string };

/** Reads a body to its end or 1 MiB, where the stream is destroyed. Rejects when the connection breaks. */
export async function readJsonBody(response: Response): Promise<BodyReading> {
	if (!response.body) return { type: 'none' };
	const reader = response.body.getReader();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		bytes += value.byteLength;
		if (bytes > MOST_BYTES) {
			// Not awaited: the other side may never acknowledge.
			reader.cancel().catch(() => {});
			return { type: 'unreadable', why: 'too long' };
		}
		chunks.push(value);
	}
	return parseTolerantly(decode(Buffer.concat(chunks)));
}

/** UTF-8 regardless of the header; UTF-16 with a byte order mark; Latin-1 if it is not valid UTF-8. */
function decode(bytes: Buffer): string {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder('windows-1252').decode(bytes);
	}
}

function parseTolerantly(text: string): BodyReading {
	const trimmed = text.replace(/^\uFEFF/, '').trim();
	if (trimmed === '') return { type: 'none' };
	const json = parseJson(trimmed);
	if (json.ok) return { type: 'json', value: json.value };
	if (trimmed.startsWith('<')) return { type: 'unreadable', why: 'a web page', page: trimmed };
	return { type: 'unreadable', why: WHY[json.error], ...(json.error === 'not-json' && { text: trimmed }) };
}

const WHY: Readonly<Record<JsonFault, string>> = {
	'too-large': 'too long',
	'too-deep': 'nested too deep',
	'too-many': 'too much in it',
	'not-json': 'not JSON',
	'not-utf8': 'not JSON',
};

/** A probe of a service that keeps failing is sent at most this often (faults 11). */
const PROBE_PERIOD_MS = 30_000;
/** This many 5xx in a row, over all calls, open the circuit. */
const FAILURES_TO_OPEN = 6;

/** Each retry takes from a bucket that only successes fill, so a dead service is not flooded (faults 9). */
const BUCKET = 30;
const RETRY_COST = 3;

/** Ignore earlier dates, as in a proxy's cached answer: no service is older than this product. */
const EARLIEST_DATE_MS = 1_577_836_800_000;

type ServiceState = ReturnType<typeof createServiceState>;

/** State of one REST base: its clock, requested pauses, and health. Lasts as long as the client. */
export function createServiceState(clock: Clock) {
	let offset: number | null = null;
	/** End of the pause for each key, as `Clock.now`. */
	const quietUntil = new Map<string, number>();
	let tokens = BUCKET;
	let failures = 0;
	let lastTry = Number.NEGATIVE_INFINITY;

	return {
		/** The service's time now, Unix ms; this computer's until it has answered once. */
		now: (): number => (offset === null ? clock.wall() : clock.now() + offset),
		/** The same, but null until the service has reported its time. */
		heardNow: (): number | null => (offset === null ? null : clock.now() + offset),
		/** Reads the service's time from an answer's headers. */
		heardDate(headers: Headers): void {
			const at = parseHttpDate(headers.get('date') ?? '');
			if (at === null || at < EARLIEST_DATE_MS || Number(headers.get('age') ?? 0) > 0) return;
			// The header counts whole seconds: half of one is the best guess for the rest.
			offset = at + 500 - clock.now();
		},
		/** Ms until the service accepts this key again: limits apply to an account. */
		pauseMs: (key: string): number => Math.max(0, (quietUntil.get(key) ?? 0) - clock.now()),
		pauseFor(key: string, delayMs: number): void {
			quietUntil.set(key, Math.max(quietUntil.get(key) ?? 0, clock.now() + delayMs));
		},
		/** Takes one retry out of the bucket; false if it is empty. */
		payRetry(): boolean {
			if (tokens < RETRY_COST) return false;
			tokens -= RETRY_COST;
			return true;
		},
		/** Call before each try; false while the circuit is open and no probe is due. */
		mayTry(): boolean {
			if (failures >= FAILURES_TO_OPEN && clock.now() - lastTry < PROBE_PERIOD_MS) return false;
			lastTry = clock.now();
			return true;
		},
		/** True while failing persistently: a try is then a probe and is not repeated. */
		isFailing: (): boolean => failures >= FAILURES_TO_OPEN,
		heardAnswer(status: number): void {
			failures = status >= 500 ? failures + 1 : 0;
			if (status < 400) tokens = Math.min(BUCKET, tokens + RETRY_COST);
		},
	};
}
