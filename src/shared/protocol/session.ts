import { z } from 'zod/mini';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { field, isObject, plainText } from './json.ts';

/** The `data` of the answer to `POST /session-storage/session` (spec 2.1). Skips unknown fields. */
export const CreatedSession = z.lazy(() =>
	z.object({
		/** LiveKit access token. Older deployments sent an array of one (protocol 3.1). */
		publisher: z.union([z.string(), z.array(z.string())]),
		webrtc_url: z.string(),
		/** Opaque; may look like a token. URL-encode it, never log it. On some deployments a number. */
		id: z.union([z.string(), z.number()]),
		intent: z.optional(z.nullable(z.string())),
		ws_url: z.optional(z.nullable(z.string())),
	}),
);
export type CreatedSession = z.infer<typeof CreatedSession>;

/** A session from a list or a single request (spec 2.2). Times are ISO 8601 UTC and may be malformed. */
export const ListedSession = z.lazy(() =>
	z.object({
		id: z.string(),
		created_at: z.optional(z.nullable(z.string())),
		updated_at: z.optional(z.nullable(z.string())),
		expires_at: z.optional(z.nullable(z.string())),
	}),
);
export type ListedSession = z.infer<typeof ListedSession>;

/** A created session as our own type, with a single publisher token even if the service sent several. */
export interface NewSession {
	/** Opaque; URL-encode it, never log it. */
	readonly id: string;
	/** Secret. */
	readonly publisher: string;
	readonly webrtcUrl: string;
	readonly intent: string | null;
	/** Address of this session's own socket, if the deployment provides one (protocol 3.1). */
	readonly wsUrl: string | null;
}

/** Reads the answer to a create. The failure names the fault without quoting any value. */
export function readCreatedSession(json: unknown): Result<NewSession, string> {
	if (field(json, 'ok') === false) return err('ok is false');
	const parsed = CreatedSession.safeParse(field(json, 'data') ?? json);
	if (!parsed.success) return err(whatIsWrong(parsed.error.issues[0]));
	const { publisher, webrtc_url, intent, ws_url } = parsed.data;
	const id = String(parsed.data.id);
	const token = typeof publisher === 'string' ? publisher : publisher[0];
	if (token === undefined || token === '') return err('data.publisher: is empty');
	if (id === '') return err('data.id: is empty');
	if (webrtc_url === '') return err('data.webrtc_url: is empty');
	return ok({ id, publisher: token, webrtcUrl: webrtc_url, intent: intent ?? null, wsUrl: ws_url ?? null });
}

/** Only the id, even if the rest is unreadable, so that the created session can be deleted; `null` = none. */
export function readSessionId(json: unknown): string | null {
	return idText(field(field(json, 'data'), 'id') ?? field(json, 'id'));
}

export interface SessionList {
	/** In the service's order, each id once; entries without an id are omitted. */
	readonly sessions: readonly ListedSession[];
	readonly nextPageToken: string | null;
	/** False if the answer was not a list: then an empty result proves nothing. */
	readonly recognised: boolean;
}

/** Reads one page in any known form (protocol 3.2). Never throws. */
export function readSessionList(json: unknown): SessionList {
	const found = listIn(json);
	const byId = new Map<string, ListedSession>();
	for (const entry of found ?? []) {
		const session = listedSession(entry);
		if (session !== null && !byId.has(session.id)) byId.set(session.id, session);
	}
	const token = field(json, 'next_page_token') ?? field(field(json, 'data'), 'next_page_token');
	return {
		sessions: [...byId.values()],
		nextPageToken: pageToken(token),
		recognised: found !== null,
	};
}

/** Absent, null and empty all mean the last page; a number becomes its digits. */
function pageToken(token: unknown): string | null {
	if (typeof token === 'number') return String(token);
	return typeof token === 'string' && token !== '' ? token : null;
}

function listIn(json: unknown): readonly unknown[] | null {
	if (Array.isArray(json)) return json;
	if (!isObject(json) || json['ok'] === false) return null;
	for (const holder of [json, json['data']]) {
		const list = field(holder, 'sessions');
		if (Array.isArray(list)) return list;
		if (list === null) return [];
	}
	const data = field(json, 'data');
	if (Array.isArray(data)) return data;
	return data === null ? [] : null;
}

/** Reads one session; the failure names the fault. */
export function readSession(json: unknown): Result<ListedSession, string> {
	if (field(json, 'ok') === false) return err('ok is false');
	const session = listedSession(field(json, 'data') ?? json);
	return session === null ? err('data.id: is missing') : ok(session);
}

/** Omits a malformed time, not the whole session. */
function listedSession(entry: unknown): ListedSession | null {
	const id = idText(field(entry, 'id'));
	if (!isObject(entry) || id === null) return null;
	const parsed = ListedSession.safeParse({
		id,
		created_at: timeText(entry['created_at']),
		updated_at: timeText(entry['updated_at']),
		expires_at: timeText(entry['expires_at']),
	});
	return parsed.success ? parsed.data : null;
}

/** Converts a numeric id to its digits. */
function idText(id: unknown): string | null {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' && id !== '' ? id : null;
}

function timeText(value: unknown): string | null {
	return typeof value === 'string' ? value : null;
}

function whatIsWrong(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined) {
	return plainText(`data.${(issue?.path ?? []).map(String).join('.')}: ${issue?.message ?? 'invalid'}`, 200);
}
