import { createHash } from 'node:crypto';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { problemOfOdd, saidBy } from '#shared/protocol/envelope.ts';
import {
	type ListedSession,
	readCreatedSession,
	readSessionId,
	readSessionList,
	readSession as readSessionRecord,
} from '#shared/protocol/session.ts';
import { isPathId, readTimestamp } from '#shared/protocol/values.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { checkMediaAddress } from './addresses.ts';
import { type Credentials, createHttp, type Http, type HttpFailure, type HttpParts } from './http.ts';

/*
 * What the session client needs from the service's answers. The wire format itself is read in
 * shared/protocol/session.ts; here, ids that cannot be used in a path are refused and times become numbers.
 */

/** A session just created. `tokenExpiresAt`: when the publisher token stops opening the room, Unix ms. */
export interface OpenedSession {
	readonly id: string;
	readonly webrtcUrl: string;
	readonly publisher: string;
	readonly tokenExpiresAt: number | null;
}

/** A session as listed or read; times in Unix ms by the server's clock, `null` when unreadable. */
export interface SessionFacts {
	readonly id: string;
	readonly createdAt: number | null;
	readonly updatedAt: number | null;
	readonly expiresAt: number | null;
}

export interface SessionPage {
	readonly sessions: readonly SessionFacts[];
	/** Empty when this is the last page. */
	readonly next: string;
}

/** The create answer (spec 4.1). `null` = not usable. */
export function readOpenedSession(body: unknown): OpenedSession | null {
	const read = readCreatedSession(body);
	if (!read.ok || !isPathId(read.value.id)) return null;
	const { id, webrtcUrl, publisher } = read.value;
	return { id, webrtcUrl, publisher, tokenExpiresAt: readTokenExpiry(publisher) };
}

/** The id alone, from an answer to a creation that is otherwise unusable: enough to delete the session. */
export function readCreatedId(body: unknown): string | null {
	const id = readSessionId(body);
	return id !== null && isPathId(id) ? id : null;
}

/** One page of the list (spec 4.2). `null` = not a list at all. */
export function readSessionPage(body: unknown): SessionPage | null {
	const list = readSessionList(body);
	if (!list.recognised) return null;
	return { sessions: list.sessions.flatMap((entry) => factsOf(entry) ?? []), next: list.nextPageToken ?? '' };
}

/** The read answer (spec 4.3). */
export function readSession(body: unknown): SessionFacts | null {
	const read = readSessionRecord(body);
	return read.ok ? factsOf(read.value) : null;
}

function factsOf({ id, created_at, updated_at, expires_at }: ListedSession): SessionFacts | null {
	if (!isPathId(id)) return null;
	return {
		id,
		createdAt: readTimestamp(created_at),
		updatedAt: readTimestamp(updated_at),
		expiresAt: readTimestamp(expires_at),
	};
}

/** `exp` of a JWT, Unix ms; `null` when the token is not one. Read for planning only, never trusted. */
function readTokenExpiry(token: string): number | null {
	const payload = token.split('.')[1];
	if (!payload) return null;
	try {
		const exp: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))?.exp;
		return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : null;
	} catch {
		return null;
	}
}

/** Reading the list stops at a repeated token, or after this many pages (faults 21). */
const MOST_PAGES = 50;
const LIST_MS = 10_000;
const LIST = 'list-sessions';
const PAGE_SIZE = 50;
/** Time until the first byte of the answer to a deletion: one that hangs must not hold up Stop (protocol 3.4). */
const DELETE_FIRST_MS = 5_000;

/** The user waits after pressing Start: for a longer pause, show how long it will take instead. */
const LONGEST_CREATE_PAUSE_MS = 10_000;

export interface CreateFailure {
	readonly problem: Problem;
	/**
	 * `no`: nothing was created. `unanswered`: maybe, and the service may still be working on it. `answered`: maybe,
	 * but it has finished, so a list of the sessions shows it.
	 */
	readonly created: 'no' | 'unanswered' | 'answered';
	/** Read from an otherwise unusable answer: this session exists and is ours to delete. */
	readonly id: string | null;
}

export interface SessionList {
	/** Each id once, in the order received. */
	readonly sessions: readonly SessionFacts[];
	/** False when the list did not end and was cut off. */
	readonly complete: boolean;
}

export interface SessionClientParts extends HttpParts {
	readonly baseUrl: () => string;
	/** Read for each account; never stored in a message or a log. */
	readonly key: () => string | null;
	/** `DRAGOMAN_ALLOWED_HOSTS`, parsed; empty or absent = no further restriction. */
	readonly allowedHosts?: () => readonly string[];
}

export type SessionClient = ReturnType<typeof createSessionClient>;

export function createSessionClient(parts: SessionClientParts) {
	const http = createHttp(parts);

	function account(): Result<SessionAccount, Problem> {
		const key = parts.key();
		if (key === null || key === '') return err({ kind: 'api-key-missing' });
		const base = parts.baseUrl().replace(/\/+$/, '');
		const refusal = checkRestBase(base);
		return refusal ? err(refusal) : ok(createAccount(http, { base, key }, parts));
	}

	async function checkKey(signal?: AbortSignal): Promise<Result<void, Problem>> {
		const key = parts.key() ?? '';
		const path = '/session-storage/sessions?page_size=1';
		const call = { method: 'GET', path, what: 'check-key', repeat: 'safe', expects: 'json', signal } as const;
		const answer = await http.request({ base: parts.baseUrl(), key }, call);
		if (!answer.ok) return err(answer.error.problem);
		return readSessionPage(answer.value.body) ? ok() : err(problemOfOdd('check-key', answer.value.body));
	}

	return {
		/** The current account; a problem if there is no key or the base is not one that we call. */
		account,
		/** Asks for one row of the list: creates nothing, costs nothing (protocol 2.3). */
		checkKey,
	};
}

export type SessionAccount = ReturnType<typeof createAccount>;

/** One REST base with one key, fixed: a session is always deleted as the account that opened it. */
function createAccount(http: Http, to: Credentials, parts: SessionClientParts) {
	// Ids are opaque: some contain dots or slashes, or look like tokens (protocol 3.1).
	const pathOf = (id: string) => `/session-storage/sessions/${encodeURIComponent(id)}`;

	async function create(signal?: AbortSignal): Promise<Result<OpenedSession, CreateFailure>> {
		const answer = await http.request(to, {
			method: 'POST',
			path: '/session-storage/session',
			// The only body the specification promises to accept (protocol 3.1).
			body: { data: {} },
			what: 'create-session',
			longestPauseMs: LONGEST_CREATE_PAUSE_MS,
			repeat: 'unprocessed',
			expects: 'json',
			signal,
		});
		if (!answer.ok) return err(createFailure(answer.error));
		const opened = readOpenedSession(answer.value.body);
		if (opened) return ok(opened);
		const problem = problemOfOdd('create-session', answer.value.body);
		return err({ problem, created: 'answered', id: readCreatedId(answer.value.body) });
	}

	async function list(signal?: AbortSignal): Promise<Result<SessionList, Problem>> {
		const control = new AbortController();
		const cancel = parts.clock.after(LIST_MS, () => control.abort());
		const limit = AbortSignal.any([control.signal, ...(signal ? [signal] : [])]);
		try {
			return await readPages(http, to, limit, signal);
		} finally {
			cancel();
		}
	}

	async function read(id: string, signal?: AbortSignal): Promise<Result<SessionFacts, Problem>> {
		const what = 'read-session';
		const call = { method: 'GET', path: pathOf(id), what, repeat: 'safe', expects: 'json', signal } as const;
		const answer = await http.request(to, call);
		if (!answer.ok) return err(problemOf(answer.error, what));
		const facts = readSession(answer.value.body);
		return facts ? ok(facts) : err(problemOfOdd(what, answer.value.body));
	}

	async function extend(id: string, ttlS: number, signal?: AbortSignal): Promise<Result<void, Problem>> {
		const what = 'extend-session';
		const path = `${pathOf(id)}?ttl_seconds=${Math.max(1, Math.round(ttlS))}`;
		const call = { method: 'POST', path, what, repeat: 'safe', expects: 'nothing', signal } as const;
		const answer = await http.request(to, call);
		return answer.ok ? ok() : err(problemOf(answer.error, what));
	}

	async function remove(id: string, signal?: AbortSignal): Promise<Result<'deleted' | 'absent', Problem>> {
		const answer = await http.request(to, {
			method: 'DELETE',
			path: pathOf(id),
			what: 'delete-session',
			repeat: 'safe',
			expects: 'nothing',
			firstMs: DELETE_FIRST_MS,
			signal,
		});
		if (answer.ok) return ok('deleted');
		return isGone(answer.error.status) ? ok('absent') : err(answer.error.problem);
	}

	return {
		/** Tells accounts apart without naming them: short hash of base and key. */
		hash: (salt: string): string =>
			createHash('sha256')
				.update(JSON.stringify([salt, to.base, to.key]))
				.digest('hex')
				.slice(0, 16),
		/** Creates a session. `signal` ends waits and retries, never a call under way: its session would be lost. */
		create,
		list,
		/** One page of the list: the first for `''`, else the one that `next` of another page names. */
		page: (token: string, signal?: AbortSignal): Promise<Result<SessionPage, Problem>> =>
			readPage(http, to, token, signal),
		/** `not-found` if the service has removed it. */
		read,
		/** Sets the expiry to `ttlS` whole seconds from now. `not-found` as above. */
		extend,
		/** Removes it; afterwards it is gone: deleted by us, or absent already. */
		remove,
		/** Why media may not be sent there; `null` = it may. */
		checkMediaAddress: (address: string): Problem | null =>
			checkMediaAddress(address, to.base, parts.allowedHosts?.() ?? []),
		/** The service's time, Unix ms; this computer's until the service has answered. */
		serverNow: (): number => http.serverNow(to.base),
		/** The same, but null until the service has reported its time. */
		heardNow: (): number | null => http.heardNow(to.base),
	};
}

async function readPage(
	http: Http,
	to: Credentials,
	token: string,
	signal: AbortSignal | undefined,
): Promise<Result<SessionPage, Problem>> {
	const query = token === '' ? '' : `&page_token=${encodeURIComponent(token)}`;
	const path = `/session-storage/sessions?page_size=${PAGE_SIZE}${query}`;
	const call = { method: 'GET', path, what: LIST, repeat: 'safe', expects: 'json', signal } as const;
	const answer = await http.request(to, call);
	if (!answer.ok) return err(answer.error.problem);
	const page = readSessionPage(answer.value.body);
	return page ? ok(page) : err(problemOfOdd(LIST, answer.value.body));
}

async function readPages(
	http: Http,
	to: Credentials,
	limit: AbortSignal,
	asked: AbortSignal | undefined,
): Promise<Result<SessionList, Problem>> {
	const sessions = new Map<string, SessionFacts>();
	const seen = new Set<string>();
	let token = '';
	for (let page = 0; page < MOST_PAGES; page++) {
		const answer = await readPage(http, to, token, limit);
		if (!answer.ok) {
			if (answer.error.kind !== 'cancelled' || asked?.aborted) return answer;
			// Our own time limit ended it: show the pages that have arrived.
			if (page === 0) return err({ kind: 'timed-out', what: LIST, afterMs: LIST_MS });
			return ok({ sessions: [...sessions.values()], complete: false });
		}
		const read = answer.value;
		for (const session of read.sessions) sessions.set(session.id, sessions.get(session.id) ?? session);
		if (read.next === '') return ok({ sessions: [...sessions.values()], complete: true });
		if (seen.has(read.next)) break;
		seen.add(read.next);
		token = read.next;
	}
	return ok({ sessions: [...sessions.values()], complete: false });
}

function createFailure(failure: HttpFailure): CreateFailure {
	const created = failure.acted === 'no' ? 'no' : failure.acted === 'answered' ? 'answered' : 'unanswered';
	return { problem: failure.problem, created, id: null };
}

const isGone = (status: number) => status === 404 || status === 410;

function problemOf(failure: HttpFailure, what: string): Problem {
	return isGone(failure.status) ? { kind: 'not-found', what, ...saidBy(failure.problem) } : failure.problem;
}
