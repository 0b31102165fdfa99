import { randomBytes } from 'node:crypto';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { FaultSet } from './faults.ts';
import { SESSION } from './limits.ts';

/** How long an unconnected session lives, and how far an extension reaches (protocol 10, row 2). */
const SESSION_LIFE_MS = SESSION.ttlS.default * 1000;
/** Automatic extension while connected (spec 3.1). */
const EXTENSION_PERIOD_MS = 60_000;
/** Life of a joined session under `expires-joined`. */
const LIMITED_MS = 60_000;
/** After `end_task` a session is gone within this (protocol 3.7). */
const AFTER_END_MS = 60_000;

/** Times are Unix ms of the service's clock. */
export interface StoredSession {
	readonly id: string;
	readonly room: string;
	readonly intent: string;
	readonly createdAt: number;
	updatedAt: number;
	expiresAt: number;
	connected: boolean;
	/** Position in order of creation; never reused. */
	readonly number: number;
}

export interface SessionStore {
	create(options: { intent: string; faults: FaultSet }): Result<StoredSession, 'limit'>;
	/** In order of creation. */
	list(): readonly StoredSession[];
	get(id: string): StoredSession | undefined;
	byRoom(room: string): StoredSession | undefined;
	remove(id: string): boolean;
	/** New expiry = now + `ttlS` (protocol 3.5). `refused`: this one cannot be extended. */
	extend(id: string, ttlS: number): 'extended' | 'unknown' | 'refused';
	/** While connected a session cannot expire and is extended once a minute. */
	presence(id: string, connected: boolean): void;
	/** The task was ended by the client: the session has at most a minute left. */
	ended(id: string): void;
	counts(): { readonly created: number; readonly deleted: number };
	close(): void;
}

/** `gone` hears of every session that was deleted or has expired. */
export function createSessionStore(parts: {
	clock: Clock;
	gone: (session: StoredSession) => void;
}): SessionStore {
	const { clock, gone } = parts;
	const scope = createScope(clock);
	const sessions = new Map<string, StoredSession>();
	/** When the next automatic extension of a connected session is due, clock ms. */
	const due = new Map<string, number>();
	/** Lives of sessions that cannot be extended, from when they are joined, ms. */
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
		create({ intent, faults }) {
			look();
			if (sessions.size >= (faults.has('limit-1') ? 1 : SESSION.parallel)) return err('limit');
			created += 1;
			const hex = () => randomBytes(4).toString('hex');
			const life = faults.has('expires-soon') ? faults.number('expires-soon', 3000) : SESSION_LIFE_MS;
			const session: StoredSession = {
				// Three parts with dots, as ids of the real service were seen (protocol 3.1).
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
		list() {
			look();
			return [...sessions.values()];
		},
		get(id) {
			look();
			return sessions.get(id);
		},
		byRoom: (room) => [...sessions.values()].find((session) => session.room === room),
		remove(id) {
			const session = sessions.get(id);
			if (!session) return false;
			deleted += 1;
			drop(session);
			return true;
		},
		extend(id, ttlS) {
			const session = sessions.get(id);
			if (!session) return 'unknown';
			if (session.connected && limited.has(id)) return 'refused';
			session.expiresAt = clock.wall() + ttlS * 1000;
			session.updatedAt = clock.wall();
			return 'extended';
		},
		presence(id, connected) {
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
		ended(id) {
			const session = sessions.get(id);
			if (session) session.expiresAt = Math.min(session.expiresAt, clock.wall() + AFTER_END_MS);
		},
		counts: () => ({ created, deleted }),
		close: () => scope.close(),
	};
}
