import { describe, expect, test } from 'vitest';
import type { SessionAccount, SessionPage } from '#main/service/session-client.ts';
import { ok } from '#shared/lib/result.ts';
import { createLedgerDisk, createMemoryLedger } from '#test/support/memory-ledger.ts';
import { createSessionPages } from './account-sessions.ts';

const facts = (id: string) => ({ id, createdAt: 1, updatedAt: 1, expiresAt: 2 });

/** Tokens asked for, in order. */
function stage(pages: Readonly<Record<string, SessionPage>>) {
	const asked: string[] = [];
	const account = {
		hash: (salt: string) => `hash${salt}`,
		async page(token: string) {
			asked.push(token);
			return ok(pages[token] ?? { sessions: [], next: '' });
		},
		serverNow: () => 1,
	} as unknown as SessionAccount;
	const disk = createLedgerDisk();
	const ledger = createMemoryLedger(disk, 'this');
	const reader = createSessionPages(ledger);
	const read = (after: string | null, from = account) => reader.read(from, after, () => new Map());

	async function readAll(): Promise<{ ids: string[]; complete: boolean; pages: number }> {
		const ids: string[] = [];
		for (let after: string | null = null, count = 1; ; count++) {
			const page = await read(after);
			if (!page.ok) throw new Error(page.error.kind);
			ids.push(...page.value.sessions.map(({ id }) => id));
			after = page.value.next;
			if (after === null) return { ids, complete: page.value.complete, pages: count };
			if (count > 100) throw new Error('it has no end');
		}
	}
	return { account, asked, disk, read, readAll };
}

describe('the list page by page', () => {
	test('follows the token of the service and shows no session twice', async () => {
		const { asked, readAll } = stage({
			'': { sessions: [facts('a'), facts('b')], next: 'token/2' },
			'token/2': { sessions: [facts('b'), facts('c')], next: 'token/3' },
			'token/3': { sessions: [facts('a'), facts('d')], next: '' },
		});
		expect(await readAll()).toEqual({ ids: ['a', 'b', 'c', 'd'], complete: true, pages: 3 });
		expect(asked).toEqual(['', 'token/2', 'token/3']);
	});

	test('gives out no token of the service, and takes none', async () => {
		const { asked, read } = stage({ '': { sessions: [facts('a')], next: 'token/2' } });
		const page = await read(null);
		expect(page.ok && page.value.next).not.toContain('token');
		expect(await read('token/2')).toMatchObject({ ok: false, error: { kind: 'not-found' } });
		expect(asked).toEqual(['']);
	});

	test('goes on for eight readers, and for no other account', async () => {
		const { account, read } = stage({ '': { sessions: [facts('a')], next: 'token/2' } });
		const begin = async () => {
			const page = await read(null);
			return page.ok ? page.value.next : null;
		};
		const readers: (string | null)[] = [];
		for (let reader = 0; reader < 8; reader += 1) readers.push(await begin());
		const [first = null, second = null] = readers;
		const other = { ...account, hash: (salt: string) => `other${salt}` };
		expect(await read(first, other)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
		expect(await read(first)).toMatchObject({ ok: true });
		await begin();
		expect(await read(first)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
		expect(await read(second)).toMatchObject({ ok: true });
	});

	test('ends when the service says the same token again, or never an end', async () => {
		const same = { sessions: [facts('a')], next: 'again' };
		expect(await stage({ '': same, again: same }).readAll()).toEqual({
			ids: ['a'],
			complete: false,
			pages: 2,
		});
		const endless = new Proxy({} as Record<string, SessionPage>, {
			get: (_, token) => ({ sessions: [facts(`s${String(token)}`)], next: `${String(token)}x` }),
		});
		const read = await stage(endless).readAll();
		expect([read.complete, read.pages]).toEqual([false, 50]);
	});

	test('lets go of a session handed to the user only when the whole list does not show it', async () => {
		const { disk, read } = stage({
			'': { sessions: [facts('a')], next: 't' },
			t: { sessions: [facts('b')], next: '' },
		});
		const entry = {
			account: 'hashpepper-and-salt',
			state: 'handed-over',
			owner: 'gone',
			createdWall: 1,
			createdServer: 1,
			expiresAt: null,
			lostAt: null,
		} as const;
		disk.entries = [
			{ ...entry, intent: '1', id: 'b' },
			{ ...entry, intent: '2', id: 'gone' },
		];
		const first = await read(null);
		expect(disk.entries.length).toBe(2);
		const second = await read(first.ok ? first.value.next : '');
		expect(second.ok && second.value.sessions[0]?.owner).toBe('this-computer');
		expect(disk.entries.map(({ id }) => id)).toEqual(['b']);
	});
});
