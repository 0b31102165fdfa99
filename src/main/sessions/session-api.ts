import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** What the keeper wants from a client of the session service; `service/session-client.ts` fits. */
export interface SessionApi {
	/** The account in force now; a problem when there is no key or no usable address. */
	account(): Result<SessionAccount, Problem>;
}

/** One service with one key, fixed: a session is always deleted as the account that opened it. */
export interface SessionAccount {
	/** Tells accounts apart without naming them. */
	hash(salt: string): string;
	/** `signal` ends waiting and further tries, never a call under way. */
	create(signal?: AbortSignal): Promise<Result<OpenedSession, CreateFailure>>;
	list(signal?: AbortSignal): Promise<Result<SessionList, Problem>>;
	/** One page of the list of sessions; `''` asks for the first. */
	page(token: string, signal?: AbortSignal): Promise<Result<SessionPage, Problem>>;
	/** `not-found` when the service no longer knows it. */
	read(id: string, signal?: AbortSignal): Promise<Result<SessionFacts, Problem>>;
	extend(id: string, ttlS: number, signal?: AbortSignal): Promise<Result<void, Problem>>;
	remove(id: string, signal?: AbortSignal): Promise<Result<'deleted' | 'absent', Problem>>;
	/** May media go there? `null` = yes. */
	checkMediaAddress(address: string): Problem | null;
	/** The service's time, Unix ms; this computer's until the service has answered. */
	serverNow(): number;
	/** The same, null until the service has told it. */
	heardNow(): number | null;
}

export interface OpenedSession {
	readonly id: string;
	readonly webrtcUrl: string;
	readonly publisher: string;
	/** Unix ms; `null` = not known. */
	readonly tokenExpiresAt: number | null;
}

export interface CreateFailure {
	readonly problem: Problem;
	/** `no`: nothing was created. `unanswered`: maybe, and the call may still run. `answered`: maybe, but the call is over, so the list of sessions shows it. */
	readonly created: 'no' | 'unanswered' | 'answered';
	/** The session's id, if the failed answer still held one: then the session exists and must be deleted. */
	readonly id: string | null;
}

/** Times in Unix ms by the service's clock; `null` when unreadable. */
export interface SessionFacts {
	readonly id: string;
	readonly createdAt: number | null;
	readonly updatedAt: number | null;
	readonly expiresAt: number | null;
}

export interface SessionPage {
	readonly sessions: readonly SessionFacts[];
	/** Names the next page; empty = this was the last. */
	readonly next: string;
}

export interface SessionList {
	readonly sessions: readonly SessionFacts[];
	readonly complete: boolean;
}
