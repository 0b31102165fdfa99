import { randomBytes } from 'node:crypto';
import type { FaultSet } from '#sandbox/faults.ts';
import { isoSeconds } from '#sandbox/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { type Answer, refusal } from './answers.ts';

/** Limits of the sandbox where none is published (protocol 10, rows 2 to 4). */
export const SESSION = {
	/** Life of an unconnected session, and limits of `ttl_seconds`, seconds. */
	ttlS: { default: 600, min: 1, max: 86_400 },
	pageSize: { default: 20, max: 100 },
	/** Maximum number of open sessions of one account. */
	parallel: 10,
} as const;

/** Clock error with the fault `clock-skew`: an hour, in ms. */
export const SKEW_MS = 3_600_000;

type Operation = 'create' | 'list' | 'get' | 'delete' | 'extend';

interface SessionRequest {
	readonly operation: Operation;
	/** Decoded; empty for create and list. */
	readonly id: string;
	readonly query: URLSearchParams;
	readonly body: string;
	/** Path without query, for error records. */
	readonly instance: string;
	readonly faults: FaultSet;
	readonly caller: string;
}

/** The operation of a method and path; the id is still encoded. Null: not ours. */
export function sessionRoute(method: string, path: string): { operation: Operation; id: string } | null {
	if (path === '/session-storage/session') return method === 'POST' ? { operation: 'create', id: '' } : null;
	if (path === '/session-storage/sessions') return method === 'GET' ? { operation: 'list', id: '' } : null;
	const id = /^\/session-storage\/sessions\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return null;
	const operation = ({ GET: 'get', DELETE: 'delete', POST: 'extend' } as const)[method];
	return operation ? { operation, id } : null;
}

export type SessionApi = ReturnType<typeof createSessionApi>;

/** Endpoints 4.1 to 4.5 of the specification. `open` prepares the room before a create is answered. */
export function createSessionApi(parts: {
	store: SessionStore;
	open: (session: StoredSession, caller: string) => Promise<{ publisher: string; webrtcUrl: string }>;
}) {
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
		async answer(request: SessionRequest): Promise<Answer> {
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

/** Life of an unconnected session, and length of an extension (protocol 10, row 2). */
const SESSION_LIFE_MS = SESSION.ttlS.default * 1000;
/** Automatic extension while connected (spec 3.1). */
const EXTENSION_PERIOD_MS = 60_000;
/** Life of a joined session with the fault `expires-joined`. */
const LIMITED_MS = 60_000;
/** A session ends at most this long after `end_task` (protocol 3.7). */
const AFTER_END_MS = 60_000;

/** Times are Unix ms by the service's clock. */
export interface StoredSession {
	readonly id: string;
	readonly room: string;
	readonly intent: string;
	readonly createdAt: number;
	updatedAt: number;
	expiresAt: number;
	connected: boolean;
	/** Position in the order of creation; never reused. */
	readonly number: number;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/** `gone` is called for every deleted or expired session. */
export function createSessionStore(parts: { clock: Clock; gone: (session: StoredSession) => void }) {
	const { clock, gone } = parts;
	const scope = createScope(clock);
	const sessions = new Map<string, StoredSession>();
	/** When the next automatic extension of a connected session is due, clock ms. */
	const due = new Map<string, number>();
	/** Lives of sessions that cannot be extended, counted from the join, ms. */
	const limited = new Map<string, number>();
	let created = 0;
	let deleted = 0;

	function drop(session: StoredSession): void {
		sessions.delete(session.id);
		due.delete(session.id);
		limited.delete(session.id);
		gone(session);
	}

	function look(): void {
		for (const session of [...sessions.values()]) {
			const mayEnd = !session.connected || limited.has(session.id);
			if (mayEnd && session.expiresAt <= clock.wall()) drop(session);
		}
		for (const [id, at] of due) {
			const session = sessions.get(id);
			if (!session || clock.now() < at) continue;
			due.set(id, clock.now() + EXTENSION_PERIOD_MS);
			push(session);
		}
	}

	function push(session: StoredSession): void {
		session.expiresAt = Math.max(session.expiresAt, clock.wall() + SESSION_LIFE_MS);
		session.updatedAt = clock.wall();
	}

	scope.every(250, look);

	return {
		create({ intent, faults }: { intent: string; faults: FaultSet }): Result<StoredSession, 'limit'> {
			look();
			if (sessions.size >= (faults.has('limit-1') ? 1 : SESSION.parallel)) return err('limit');
			created += 1;
			const hex = () => randomBytes(4).toString('hex');
			const life = faults.has('expires-soon') ? faults.number('expires-soon', 3000) : SESSION_LIFE_MS;
			const session: StoredSession = {
				// Three parts separated by dots, like ids of the real service (protocol 3.1).
				id: faults.has('hostile-ids')
					? `eyJhbGciOiJIUzI1NiJ9.e30./../${hex()}?a=b&c=%2F#${hex()}`
					: `sandbox.${hex()}.${hex()}`,
				room: `room_${hex()}${hex()}`,
				intent,
				createdAt: clock.wall(),
				updatedAt: clock.wall(),
				expiresAt: clock.wall() + life,
				connected: false,
				number: created,
			};
			sessions.set(session.id, session);
			if (faults.has('expires-joined')) limited.set(session.id, faults.number('expires-joined', LIMITED_MS));
			return ok(session);
		},
		/** In order of creation. */
		list(): readonly StoredSession[] {
			look();
			return [...sessions.values()];
		},
		get(id: string): StoredSession | undefined {
			look();
			return sessions.get(id);
		},
		byRoom: (room: string): StoredSession | undefined =>
			[...sessions.values()].find((session) => session.room === room),
		remove(id: string): boolean {
			const session = sessions.get(id);
			if (!session) return false;
			deleted += 1;
			drop(session);
			return true;
		},
		/** New expiry = now + `ttlS` (protocol 3.5). `refused`: this session cannot be extended. */
		extend(id: string, ttlS: number): 'extended' | 'unknown' | 'refused' {
			const session = sessions.get(id);
			if (!session) return 'unknown';
			if (session.connected && limited.has(id)) return 'refused';
			session.expiresAt = clock.wall() + ttlS * 1000;
			session.updatedAt = clock.wall();
			return 'extended';
		},
		/** A connected session cannot expire and is extended once a minute. */
		presence(id: string, connected: boolean): void {
			const session = sessions.get(id);
			if (!session || session.connected === connected) return;
			session.connected = connected;
			if (!connected) {
				due.delete(id);
				return;
			}
			const lifeMs = limited.get(id);
			if (lifeMs !== undefined) {
				session.expiresAt = clock.wall() + lifeMs;
				return;
			}
			due.set(id, clock.now() + EXTENSION_PERIOD_MS);
			push(session);
		},
		/** The client ended the task: the session has at most a minute left. */
		ended(id: string): void {
			const session = sessions.get(id);
			if (session) session.expiresAt = Math.min(session.expiresAt, clock.wall() + AFTER_END_MS);
		},
		counts: (): { readonly created: number; readonly deleted: number } => ({ created, deleted }),
		close: (): void => scope.close(),
	};
}
