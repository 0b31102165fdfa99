import { describe, expect, test } from 'vitest';
import type { SessionAccount, SessionFacts, SessionPage } from '#main/service/session-client.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createScriptedAccount,
	OWN,
	SERVER_NOW,
	sessionAt,
} from '#test/support/sessions.ts';
import {
	createAccountSessions,
	createRowHandles,
	createSessionPages,
	markedSessions,
	markSessions,
} from './account-sessions.ts';
import type { HeldSession } from './held-session.ts';
import type { KeeperState, Use } from './keeper-machine.ts';
import { amended, type Ledger, type LedgerEntry, withEntry } from './ledger.ts';

describe('session rows', () => {
	const full: Problem = { kind: 'storage-failed', what: 'ledger: ENOSPC' };
	const entry = (intent: string, fields: Partial<LedgerEntry> = {}): LedgerEntry => ({
		intent,
		account: OWN,
		state: 'open',
		id: intent,
		owner: 'dead',
		expiresAt: null,
		lostAt: null,
		createdWall: SERVER_NOW,
		createdServer: SERVER_NOW - 1000,
		...fields,
	});
	const lost = entry('lost', { id: null, state: 'intent', lostAt: SERVER_NOW - 500 });

	async function marked(
		sessions: readonly SessionFacts[],
		entries: readonly LedgerEntry[],
		options: {
			complete?: boolean;
			used?: ReadonlyMap<string, Use>;
			over?: Partial<Ledger>;
			nowMs?: number;
		} = {},
	) {
		const disk = createLedgerDisk();
		disk.entries = entries;
		const ledger = { ...createMemoryLedger(disk, 'this'), ...options.over };
		const { account } = createScriptedAccount({ serverNow: () => options.nowMs ?? SERVER_NOW });
		const list = { sessions, complete: options.complete ?? true };
		const done = await markSessions(account, ledger, options.used ?? new Map(), list);
		return {
			done,
			owners: done.sessions.map(({ owner }) => owner),
			left: disk.entries.map(({ intent }) => intent),
		};
	}

	const at = (id: string) => sessionAt(id, SERVER_NOW - 800);

	test('whose each session is', async () => {
		const used = new Map<string, Use>([
			['prepared', 'prepared'],
			['granted', 'granted'],
			['joined', 'joined'],
		]);
		const sessions = ['prepared', 'granted', 'joined', 'ours', 'another'].map(at);
		const { owners } = await marked(sessions, [entry('ours'), entry('another', { account: 'x' })], { used });
		expect(owners).toEqual([
			'this-app',
			'this-conversation',
			'this-conversation',
			'this-computer',
			'foreign',
		]);
	});

	test('what may be of a call whose answer was lost is probably ours; what another entry has is not', async () => {
		const used = entry('used');
		const old = sessionAt('old', SERVER_NOW - 3_600_000);
		const { owners, left } = await marked([at('maybe'), at('used'), old], [lost, used]);
		expect([owners, left]).toEqual([
			['probably-ours', 'this-computer', 'foreign'],
			['lost', 'used'],
		]);
		expect((await marked([at('x')], [{ ...lost, account: 'another' }])).owners).toEqual(['foreign']);
		expect((await marked([at('x')], [{ ...lost, lostAt: null, owner: 'this' }])).owners).toEqual(['foreign']);
	});

	test('a whole list ends what was handed over and is gone, and settles what was lost; a part of one does not', async () => {
		const nowMs = SERVER_NOW + 10 * 60_000;
		const entries = [
			entry('there', { state: 'handed-over' }),
			entry('gone', { state: 'handed-over' }),
			entry('asked', { state: 'handed-over', id: null, owner: 'this' }),
			entry('open'),
			lost,
		];
		const whole = await marked([at('there')], entries, { nowMs });
		expect(whole.left).toEqual(['there', 'asked', 'open']);
		const part = await marked([at('there')], entries, { nowMs, complete: false });
		expect(part.left).toEqual(['there', 'gone', 'asked', 'open', 'lost']);
		expect([whole.done.complete, part.done.complete]).toEqual([true, false]);
	});

	test('what is a session of another entry does not keep a lost call open', async () => {
		const nowMs = SERVER_NOW + 10 * 60_000;
		expect((await marked([at('used')], [lost, entry('used')], { nowMs })).left).toEqual(['used']);
		expect((await marked([at('maybe')], [lost], { nowMs })).left).toEqual(['lost']);
	});

	test('lists without marks what a ledger that cannot be read does not tell, except what is used here', async () => {
		const used = new Map<string, Use>([['mine', 'joined']]);
		const broken = async () => err(full);
		for (const over of [{ salt: broken }, { read: broken }]) {
			const { owners, done } = await marked([at('mine'), at('a')], [entry('a')], { used, over });
			expect(owners).toEqual(['this-conversation', 'unknown']);
			expect(done.complete).toBe(true);
		}
	});

	test('nothing is written when nothing has ended', async () => {
		const broken = async () => err(full);
		expect(
			(await marked([at('a')], [entry('a')], { over: { change: () => expect.unreachable() } })).owners,
		).toEqual(['this-computer']);
		const { account } = createScriptedAccount({ list: broken });
		expect(await markedSessions(account, createMemoryLedger(createLedgerDisk(), 'this'), new Map())).toEqual(
			err(full),
		);
	});

	const row = (id: string) => ({ ...sessionAt(id, 1), owner: 'foreign' as const });

	test('a handle is the same for one session, and another for each account', () => {
		const handles = createRowHandles();
		const { account } = createScriptedAccount();
		const other = createScriptedAccount({ hash: () => 'theirs' }).account;
		const [one] = handles.rows(account, [row('a')]);
		const [again, second] = handles.rows(account, [row('a'), row('b')]);
		const [foreign] = handles.rows(other, [row('a')]);
		expect(again?.handle).toBe(one?.handle);
		expect(new Set([one?.handle, second?.handle, foreign?.handle]).size).toBe(3);
		expect(handles.find(one?.handle ?? '')).toEqual({ account, id: 'a' });
		expect(handles.find(foreign?.handle ?? '')).toEqual({ account: other, id: 'a' });
		expect(handles.find('made-up')).toBeNull();
		expect(JSON.stringify(second)).not.toContain('"b"');
	});

	test('of ten thousand and one the one that was seen longest ago is forgotten', () => {
		const handles = createRowHandles();
		const { account } = createScriptedAccount();
		const many = handles.rows(
			account,
			Array.from({ length: 10_000 }, (_, index) => row(`s${index}`)),
		);
		handles.rows(account, [row('s0')]);
		const known = () => many.map(({ handle }) => handles.find(handle) !== null);
		expect(known().every(Boolean)).toBe(true);
		handles.rows(account, [row('new')]);
		expect(known().flatMap((is, index) => (is ? [] : [index]))).toEqual([1]);
	});

	test('an entry is replaced by one of its name, and only the one named is changed', () => {
		const [a, b] = [entry('a'), entry('b')];
		const renewed = entry('a', { state: 'closing' });
		expect(withEntry([a, b], renewed)).toEqual([b, renewed]);
		expect(amended([a, b], 'b', { state: 'closing' })).toEqual([a, { ...b, state: 'closing' }]);
	});
});

describe('account sessions', () => {
	const limited: Problem = { kind: 'rate-limited', retryAfterMs: 1000 };
	const joined: KeeperState = {
		phase: 'held',
		use: 'joined',
		expiresAt: null,
		failures: 0,
		extendedAt: null,
	};

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
});

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
});
