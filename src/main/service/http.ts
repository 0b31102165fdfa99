import { type BackoffPlan, backoffDelay } from '#shared/lib/backoff.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { parseRetryAfter } from '#shared/lib/http-dates.ts';
import { type Logger, redact, redactKnown } from '#shared/lib/log.ts';
import { pause } from '#shared/lib/pause.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type Asked, errorFacts, problemOfAnswer, problemOfPage } from '#shared/protocol/envelope.ts';
import { field } from '#shared/protocol/json.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { problemOfNetwork } from '#shared/unreachable.ts';
import { type TryOutcome, tryOnce } from './one-try.ts';
import { createServiceState, type ServiceState } from './service-state.ts';

/** Faults, rule iv. */
const PLAN: BackoffPlan = { baseMs: 300, capMs: 20_000, tries: 4 };
const THROTTLED_PLAN: BackoffPlan = { ...PLAN, baseMs: 1000 };
/** When a service asks us to wait, we wait no longer than this without asking a person (faults 8). */
const LONGEST_PAUSE_MS = 60_000;
const FIRST_ANSWER_MS = 10_000;
const WHOLE_ANSWER_MS = 15_000;

/** Where to call and as whom. The key leaves this folder only inside the Authorization header. */
export interface Credentials {
	readonly base: string;
	readonly key: string;
}

export interface HttpRequest {
	readonly method: 'GET' | 'POST' | 'DELETE';
	/** Below the base, already encoded, with its query. */
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
	/** If the service asks for a longer pause than this, the person is told instead; default a minute. */
	readonly longestPauseMs?: number;
	/** Ends the waiting at once. An `unprocessed` call under way is not cut off: what it made must be known. */
	readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
	readonly status: number;
	readonly body: unknown;
}

export interface HttpFailure {
	readonly problem: Problem;
	/** May the service have acted all the same? `answered` = maybe, and it has finished with the call. */
	readonly acted: 'no' | 'maybe' | 'answered';
	/** The status of a refusal; 0 without one. */
	readonly status: number;
}

/** Does the service not know what was asked for, perhaps a part of the API it does not have? */
export function isUnknownThere({ status }: HttpFailure): boolean {
	return [404, 405, 410, 501].includes(status);
}

export interface Http {
	/** Never rejects. At most 4 tries in all, each bounded; `signal` ends it at once. */
	request(to: Credentials, request: HttpRequest): Promise<Result<HttpAnswer, HttpFailure>>;
	/** The service's own time at this base, Unix ms (its `Date` header), ours until it has answered. */
	serverNow(base: string): number;
	/** The same, null until it has told its time. */
	heardNow(base: string): number | null;
}

export interface HttpParts {
	readonly fetch: typeof globalThis.fetch;
	readonly clock: Clock;
	/** [0, 1) */
	readonly random: () => number;
	readonly log: Logger;
}

export function createHttp(parts: HttpParts): Http {
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

	/** Waits where the service has asked us to pause; a problem when this call must not go out at all. */
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
		// Spec 4.5: this header also on the call that has no body.
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

	/** Null = no more tries. A pause the service asked for is never shortened. */
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
		request,
		serverNow: (base) => stateOf(base).now(),
		heardNow: (base) => stateOf(base).heardNow(),
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

/** What is known of the service, and whose call it was. */
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
	// Not even a deletion is believed that a login page has answered.
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
 * Never followed; opaque (status 0) where the platform hides it. The service has none; a network's login page begins with
 * one. Only 307 and 308 say "not done here".
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

/** A refusal may repeat the key in any encoding, and is cut later: the key is removed before anything is read. */
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

/** A key that cannot stand in a header would make the platform throw an error that quotes it. */
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
