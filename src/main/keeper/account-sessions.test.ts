import { expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createLedgerDisk, createMemoryLedger } from '#test/support/memory-ledger.ts';
import { createScriptedAccount, sessionAt } from '#test/support/scripted-account.ts';
import { createAccountSessions } from './account-sessions.ts';
import type { HeldSession } from './held-session.ts';
import type { KeeperState } from './keeper-machine.ts';
import type { SessionAccount } from './session-api.ts';

const limited: Problem = { kind: 'rate-limited', retryAfterMs: 1000 };
const joined: KeeperState = { phase: 'held', use: 'joined', expiresAt: null, failures: 0, extendedAt: null };

/** An account with these sessions, and some of them held here. */
function stage(
	ids: readonly string[],
	removed: Awaited<ReturnType<SessionAccount['remove']>> = ok('deleted'),
) {
	const list = async () => ok({ sessions: ids.map((id) => sessionAt(id, 1)), complete: true });
	const { account, asked } = createScriptedAccount({ list, remove: async () => removed });
	const other = createScriptedAccount({ hash: () => 'theirs' }).account;
	const states = new Map<string, KeeperState>();
	const held: HeldSession[] = [];
	const ended: string[] = [];
	const hold = (handle: string, id: string, of = account) => {
		states.set(handle, joined);
		held.push({
			handle,
			account: of,
			startedAt: 0,
			opened: new Promise(() => {}),
			tokenExpiresAt: () => null,
			state: () => states.get(handle) ?? joined,
			id: () => id,
			tell() {},
			release: async () => {},
		});
	};
	const sessions = createAccountSessions({
		api: { account: () => ok(account) },
		ledger: createMemoryLedger(createLedgerDisk(), 'this'),
		held: () => held,
		purposeOf: () => 'joined',
		async endHeld({ handle }) {
			ended.push(handle);
			states.set(handle, { phase: 'gone' });
		},
	});
	const endRow = async (id: string) => {
		const rows = await sessions.list();
		if (!rows.ok) throw new Error(rows.error.kind);
		return await sessions.end(rows.value[ids.indexOf(id)]?.handle ?? '');
	};
	return { hold, other, ended, endRow, removals: () => asked.filter((line) => line.startsWith('remove')) };
}

test('a session that is held here ends here, and no other one does', async () => {
	const { hold, other, ended, endRow, removals } = stage(['a', 'b']);
	// Another account may have a session of the same name.
	hold('theirs', 'b', other);
	hold('first', 'a');
	hold('second', 'b');
	expect(await endRow('b')).toEqual(ok());
	expect([ended, removals()]).toEqual([['second'], []]);
});

test('a session of the same name that another account holds is left alone, and the row is deleted', async () => {
	const { hold, other, ended, endRow, removals } = stage(['a', 'b']);
	hold('theirs', 'b', other);
	hold('first', 'a');
	expect(await endRow('b')).toEqual(ok());
	expect([ended, removals()]).toEqual([[], ['remove b']]);
});

test('a row that cannot be deleted says why', async () => {
	expect(await stage(['a'], err(limited)).endRow('a')).toEqual(err(limited));
});
