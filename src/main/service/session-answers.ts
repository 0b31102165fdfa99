import { isPathId } from '#shared/protocol/ids.ts';
import {
	type ListedSession,
	readCreatedSession,
	readSessionId,
	readSessionList,
	readSession as readSessionRecord,
} from '#shared/protocol/session.ts';
import { readTimestamp } from '#shared/protocol/timestamp.ts';

/*
 * What the session client wants of the service's answers. The wire itself is read in
 * shared/protocol/session.ts; here ids that cannot go into a path are refused and times become numbers.
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

/** The id alone, from a create answer that is otherwise unusable: enough to delete the session. */
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
