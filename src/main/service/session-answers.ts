import { CreatedSession, ListedSession } from '#shared/protocol/session.ts';
import { parseIsoTime } from './dates.ts';

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

/** The create answer (service-spec 4.1), with or without its `data` wrapper. `null` = not usable. */
export function readOpenedSession(body: unknown): OpenedSession | null {
	const parsed = CreatedSession.safeParse(unwrap(body));
	if (!parsed.success) return null;
	const { id, publisher, webrtc_url: webrtcUrl } = parsed.data;
	const token = typeof publisher === 'string' ? publisher : (publisher[0] ?? '');
	if (!isUsableId(id) || token === '' || webrtcUrl === '') return null;
	return { id, webrtcUrl, publisher: token, tokenExpiresAt: readTokenExpiry(token) };
}

/** The id alone, out of a create answer that is not usable otherwise: enough to delete it. */
export function readCreatedId(body: unknown): string | null {
	const id = field(unwrap(body), 'id');
	return isUsableId(id) ? id : null;
}

/**
 * One page of the list (service-spec 4.2; protocol 3.2): `data` an array, `{sessions}` or null, or a bare
 * array; `next_page_token` absent, null or empty at the end. `null` = not a list at all.
 */
export function readSessionPage(body: unknown): SessionPage | null {
	const items = readItems(body);
	if (!items) return null;
	const token = field(body, 'next_page_token') ?? field(field(body, 'data'), 'next_page_token');
	const next = typeof token === 'string' || typeof token === 'number' ? String(token) : '';
	return { sessions: items.flatMap((item) => readFacts(item) ?? []), next };
}

/** The read answer (service-spec 4.3). */
export function readSession(body: unknown): SessionFacts | null {
	return readFacts(unwrap(body));
}

function readItems(body: unknown): readonly unknown[] | null {
	if (Array.isArray(body)) return body;
	for (const holder of [field(body, 'data'), body]) {
		if (Array.isArray(holder)) return holder;
		const inner = field(holder, 'sessions');
		if (Array.isArray(inner)) return inner;
		if (inner === null) return [];
	}
	return field(body, 'data') === null ? [] : null;
}

function readFacts(item: unknown): SessionFacts | null {
	const id = field(item, 'id');
	if (!isUsableId(id)) return null;
	// A time of a wrong type must not cost the whole session.
	const parsed = ListedSession.safeParse(item);
	const times = parsed.success ? parsed.data : null;
	return {
		id,
		createdAt: parseIsoTime(times?.created_at),
		updatedAt: parseIsoTime(times?.updated_at),
		expiresAt: parseIsoTime(times?.expires_at),
	};
}

/** `exp` of a JWT, Unix ms; `null` when the token is not one. Read for planning only, never trusted. */
function readTokenExpiry(token: string): number | null {
	const payload = token.split('.')[1];
	if (!payload) return null;
	try {
		const exp = field(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), 'exp');
		return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : null;
	} catch {
		return null;
	}
}

/** Dot segments would climb out of the path however they are written, half a surrogate has no encoding. */
function isUsableId(id: unknown): id is string {
	return (
		typeof id === 'string' && id !== '' && id.length <= 4096 && id.isWellFormed() && !/^\.{1,2}$/.test(id)
	);
}

function unwrap(body: unknown): unknown {
	return field(body, 'data') ?? body;
}

function field(holder: unknown, name: string): unknown {
	if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
	return (holder as Readonly<Record<string, unknown>>)[name];
}
