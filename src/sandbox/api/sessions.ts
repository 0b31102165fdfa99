import { type Answer, refusal } from '#sandbox/answer.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { SESSION } from '#sandbox/limits.ts';
import type { SessionStore, StoredSession } from '#sandbox/session-store.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/** How far `clock-skew` lies: an hour, in ms. */
export const SKEW_MS = 3_600_000;

export type Operation = 'create' | 'list' | 'get' | 'delete' | 'extend';

/** One authorised request to the session endpoints. */
export interface SessionRequest {
	readonly operation: Operation;
	/** Decoded; empty for create and list. */
	readonly id: string;
	readonly query: URLSearchParams;
	/** The body as text. */
	readonly body: string;
	/** Path without query, for error records. */
	readonly instance: string;
	readonly faults: FaultSet;
	readonly caller: string;
}

export interface SessionApi {
	answer(request: SessionRequest): Promise<Answer>;
}

/** Which operation a method and path mean; the id still encoded. Null: not ours. */
export function sessionRoute(method: string, path: string): { operation: Operation; id: string } | null {
	if (path === '/session-storage/session') return method === 'POST' ? { operation: 'create', id: '' } : null;
	if (path === '/session-storage/sessions') return method === 'GET' ? { operation: 'list', id: '' } : null;
	const id = /^\/session-storage\/sessions\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return null;
	const operation = ({ GET: 'get', DELETE: 'delete', POST: 'extend' } as const)[method];
	return operation ? { operation, id } : null;
}

/**
 * Endpoints 4.1 to 4.5 of the specification. `open` prepares the room before a create is answered
 * (the translator has joined by then, protocol 4.4) and returns what the client needs to join it.
 */
export function createSessionApi(parts: {
	store: SessionStore;
	open: (session: StoredSession, caller: string) => Promise<{ publisher: string; webrtcUrl: string }>;
}): SessionApi {
	const { store, open } = parts;

	function invalid(request: SessionRequest, detail: string): Answer {
		return refusal(422, detail, request.instance);
	}

	function unknown(request: SessionRequest): Answer {
		return refusal(404, 'There is no session with this id', request.instance);
	}

	function written(session: StoredSession, faults: FaultSet): Record<string, unknown> {
		const skew = faults.has('clock-skew') ? SKEW_MS : 0;
		return {
			id: session.id,
			created_at: isoSeconds(session.createdAt + skew),
			updated_at: isoSeconds(session.updatedAt + skew),
			expires_at: faults.has('bad-times') ? 'next Tuesday' : isoSeconds(session.expiresAt + skew),
		};
	}

	async function create(request: SessionRequest): Promise<Answer> {
		const data = readData(request.body);
		if (data === null) return invalid(request, 'body.data: an object is required');
		const made = store.create({
			intent: typeof data.intent === 'string' ? data.intent : 'api',
			faults: request.faults,
		});
		if (!made.ok) {
			const detail = 'The number of parallel sessions of this plan is used up';
			return refusal(403, detail, request.instance, { errorCode: REST_ERROR_CODE.sessionLimit });
		}
		const session = made.value;
		try {
			const { publisher, webrtcUrl } = await open(session, request.caller);
			const data = { publisher, webrtc_url: webrtcUrl, intent: session.intent, id: session.id };
			return { status: 201, body: { ok: true, data } };
		} catch (failure) {
			store.remove(session.id);
			const reason = failure instanceof Error ? failure.message : 'unknown';
			return refusal(503, `The room could not be opened: ${reason}`, request.instance);
		}
	}

	function list(request: SessionRequest): Answer {
		const { query, faults } = request;
		const size = wholeNumber(query.get('page_size') ?? String(SESSION.pageSize.default));
		if (size === null || size < 1)
			return invalid(request, 'query.page_size: a whole number from 1 is required');
		const token = query.get('page_token') ?? '';
		const after = token === '' ? 0 : readPageToken(token);
		if (after === null) return invalid(request, 'query.page_token: not a token of this list');
		const open = faults.has('forgets-sessions') ? [] : store.list();
		const rest = open.filter((session) => session.number > after);
		const page = rest.slice(0, Math.min(size, SESSION.pageSize.max));
		const last = page.at(-1);
		return {
			status: 200,
			body: {
				data: page.map((session) => written(session, faults)),
				next_page_token: last && rest.length > page.length ? writePageToken(last.number) : '',
			},
		};
	}

	function get(request: SessionRequest): Answer {
		const session = request.faults.has('forgets-sessions') ? undefined : store.get(request.id);
		return session ? { status: 200, body: { data: written(session, request.faults) } } : unknown(request);
	}

	function remove(request: SessionRequest): Answer {
		if (request.faults.has('forgets-sessions') || !store.remove(request.id)) return unknown(request);
		return { status: 204 };
	}

	function extend(request: SessionRequest): Answer {
		const ttl = wholeNumber(request.query.get('ttl_seconds') ?? '');
		if (ttl === null || ttl < SESSION.ttlS.min || ttl > SESSION.ttlS.max) {
			return invalid(
				request,
				`query.ttl_seconds: a whole number from ${SESSION.ttlS.min} to ${SESSION.ttlS.max} is required`,
			);
		}
		const extended = request.faults.has('forgets-sessions') ? 'unknown' : store.extend(request.id, ttl);
		if (extended === 'unknown') return unknown(request);
		return extended === 'extended' ? { status: 204 } : invalid(request, 'This session cannot be extended');
	}

	return {
		async answer(request) {
			switch (request.operation) {
				case 'create':
					return create(request);
				case 'list':
					return list(request);
				case 'get':
					return get(request);
				case 'delete':
					return remove(request);
				case 'extend':
					return extend(request);
			}
		},
	};
}

function wholeNumber(text: string): number | null {
	return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function writePageToken(number: number): string {
	return Buffer.from(`after:${number}`).toString('base64url');
}

function readPageToken(token: string): number | null {
	const match = /^after:(\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'));
	return match ? Number(match[1]) : null;
}

function readData(body: string): Record<string, unknown> | null {
	try {
		const data: unknown = JSON.parse(body)?.data;
		return typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : null;
	} catch {
		return null;
	}
}
