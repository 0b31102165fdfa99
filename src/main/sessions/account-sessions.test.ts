import { expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createLedgerDisk, createMemoryLedger } from '#test/support/memory-ledger.ts';
import { createScriptedAccount, OWN, SERVER_NOW, sessionAt } from '#test/support/scripted-account.ts';
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
	const read = async (id: string) => ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + 3_600_000 });
	const { account, asked } = createScriptedAccount({ list, read, remove: async () => removed });
	const disk = createLedgerDisk();
	disk.entries = ids.map((id) => ({
		intent: `intent-${id}`,
		account: OWN,
		state: 'closing',
		id,
		owner: 'gone',
		createdWall: 0,
		createdServer: 0,
		expiresAt: 1,
		lostAt: null,
	}));
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
		ledger: createMemoryLedger(disk, 'this'),
		held: () => held,
		purposeOf: () => 'joined',
		async endHeld({ handle }) {
			ended.push(handle);
			states.set(handle, { phase: 'gone' });
		},
	});
	const handleOf = async (id: string) => {
		const rows = await sessions.list();
		if (!rows.ok) throw new Error(rows.error.kind);
		return rows.value[ids.indexOf(id)]?.handle ?? '';
	};
	const endRow = async (id: string) => await sessions.end(await handleOf(id));
	const extendRow = async (id: string) => await sessions.extend(await handleOf(id), 3600);
	const recorded = () => disk.entries.map(({ id, expiresAt }) => [id, expiresAt]);
	return {
		hold,
		other,
		ended,
		endRow,
		extendRow,
		recorded,
		removals: () => asked.filter((line) => line.startsWith('remove')),
	};
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

test('until when an extended session lives is recorded, and for no other one; one that is deleted is forgotten', async () => {
	const { extendRow, endRow, recorded } = stage(['a', 'b', 'c']);
	const until = SERVER_NOW + 3_600_000;
	expect(await extendRow('b')).toEqual(ok({ expiresAt: until }));
	expect(recorded()).toEqual([
		['a', 1],
		['b', until],
		['c', 1],
	]);
	await endRow('b');
	expect(recorded()).toEqual([
		['a', 1],
		['c', 1],
	]);
});
