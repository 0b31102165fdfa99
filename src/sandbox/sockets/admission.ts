import type { IncomingMessage } from 'node:http';
import type { Accounts } from '#sandbox/accounts.ts';
import type { FaultSet, Faults } from '#sandbox/faults.ts';
import type { SessionStore } from '#sandbox/session-store.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { COMMAND_LIMIT } from '#shared/protocol/limits.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import type { Refusal } from './refuse.ts';

/** Who wants a socket. */
export interface Visitor {
	/** What their connections are counted by: the key, or the session of the token. */
	readonly identity: string;
	readonly faults: FaultSet;
	/** The session of a publisher token; null for an API key, which gets one of its own. */
	readonly sessionId: string | null;
}

/** A session in use by one connection. */
export interface Admitted {
	readonly sessionId: string;
	/** Leaves it; one that was made for the connection is deleted (protocol 3.7). Harmless twice. */
	leave(): void;
}

/** Who may open a socket, and on which session. */
export interface Admission {
	/** By API key or publisher token, in the query or the header (protocol 2.2); null when neither is good. */
	visitor(req: IncomingMessage, query: URLSearchParams): Visitor | null;
	/** Counts a connection; false when it is one too many within a minute (protocol 4.4). */
	count(visitor: Visitor): boolean;
	enter(visitor: Visitor): Admitted | Refusal;
}

export function createAdmission(parts: {
	clock: Clock;
	accounts: Accounts;
	faults: Faults;
	store: SessionStore;
}): Admission {
	const { clock, accounts, faults, store } = parts;
	const opened = new Map<string, readonly number[]>();
	/** Connections of each session: it is connected while there is one. */
	const present = new Map<string, number>();

	function byToken(token: string): Visitor | null {
		const claims = readToken(accounts, token);
		if (!claims || !store.get(claims.sessionId)) return null;
		const { sessionId } = claims;
		return { identity: sessionId, faults: faults.of(sessionId), sessionId };
	}

	function move(sessionId: string, by: 1 | -1): void {
		const now = (present.get(sessionId) ?? 0) + by;
		if (now > 0) present.set(sessionId, now);
		else present.delete(sessionId);
		store.presence(sessionId, now > 0);
	}

	return {
		visitor(req, query) {
			const bearer = /^Bearer\s+(\S+)\s*$/i.exec(req.headers.authorization ?? '')?.[1];
			const sent = bearer ?? query.get('token') ?? '';
			const caller = accounts.caller(sent);
			if (caller === null) return byToken(sent);
			return { identity: caller, faults: faults.of(caller), sessionId: null };
		},
		count({ identity }) {
			const now = clock.now();
			const recent = (opened.get(identity) ?? []).filter((at) => now - at < COMMAND_LIMIT.sockets.windowMs);
			if (recent.length >= COMMAND_LIMIT.sockets.count) return false;
			opened.set(identity, [...recent, now]);
			return true;
		},
		enter(visitor) {
			const made =
				visitor.sessionId === null ? store.create({ intent: 'api', faults: visitor.faults }) : null;
			if (made && !made.ok) {
				const detail = 'The number of parallel sessions of this plan is used up';
				return { status: 403, detail, errorCode: REST_ERROR_CODE.sessionLimit };
			}
			const sessionId = made ? made.value.id : (visitor.sessionId ?? '');
			if (made) faults.share(sessionId, visitor.identity);
			move(sessionId, 1);
			let here = true;
			return {
				sessionId,
				leave() {
					if (!here) return;
					here = false;
					move(sessionId, -1);
					if (made) store.remove(sessionId);
				},
			};
		},
	};
}

/** Text that only looks like a token may be unreadable. */
function readToken(accounts: Accounts, token: string) {
	try {
		return accounts.readToken(token);
	} catch {
		return null;
	}
}
