import type { SessionAccount, SessionFacts } from '#main/service/session-client.ts';
import { ok } from '#shared/lib/result.ts';

/** The service's time, Unix ms, unless a test says another. */
export const SERVER_NOW = 1_800_000_000_000;

/** An account that answers as a test says and records what it was asked. */
export function createScriptedAccount(answers: Partial<SessionAccount> = {}) {
	const asked: string[] = [];
	const list = async () => ok({ sessions: [] as readonly SessionFacts[], complete: true });
	const whole: SessionAccount = {
		hash: (salt) => (salt === '' ? 'mine' : `mine-${salt}`),
		create: async () =>
			ok({ id: 'made', webrtcUrl: 'wss://room.example', publisher: 'token', tokenExpiresAt: null }),
		list,
		page: async () => ok({ sessions: [], next: '' }),
		read: async (id) => ok({ id, createdAt: null, updatedAt: null, expiresAt: null }),
		extend: async () => ok(),
		remove: async () => ok('deleted'),
		checkMediaAddress: () => null,
		serverNow: () => SERVER_NOW,
		heardNow: () => SERVER_NOW,
		...answers,
	};
	/** `call`, written down first. */
	function noted<Args extends readonly unknown[], Answer>(
		name: string,
		call: (...args: Args) => Answer,
	): (...args: Args) => Answer {
		return (...args) => {
			asked.push([name, ...args.filter((one) => typeof one === 'string')].join(' '));
			return call(...args);
		};
	}
	const account: SessionAccount = {
		...whole,
		create: noted('create', whole.create),
		list: noted('list', whole.list),
		read: noted('read', whole.read),
		extend: noted('extend', whole.extend),
		remove: noted('remove', whole.remove),
	};
	return { account, asked };
}

/** The account of the entries that `createScriptedAccount` takes for its own, with the salt of `createMemoryLedger`. */
export const OWN = 'mine-pepper-and-salt';

export function sessionAt(id: string, createdAt: number | null): SessionFacts {
	return { id, createdAt, updatedAt: createdAt, expiresAt: null };
}
