import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { BASE, createAnsweringService, type Reply } from '#test/support/answering-service.ts';
import {
	createSessionClient,
	readCreatedId,
	readOpenedSession,
	readSession,
	readSessionPage,
	type SessionAccount,
	type SessionClientParts,
} from './session-client.ts';

describe('answers of the session endpoints', () => {
	test('of any shape are read or refused, never thrown at us, and change nothing else', () => {
		const keys = fc.constantFrom(
			'data',
			'sessions',
			'id',
			'publisher',
			'webrtc_url',
			'expires_at',
			'next_page_token',
			'__proto__',
		);
		const shapes = fc.letrec((tie) => ({
			leaf: fc.oneof(
				fc.string(),
				fc.integer(),
				fc.constant(null),
				fc.boolean(),
				fc.constantFrom('..', '.', '\ud800', 'eyJ.e30.x'),
			),
			any: fc.oneof(
				{ maxDepth: 4 },
				tie('leaf'),
				fc.array(tie('any'), { maxLength: 4 }),
				fc.dictionary(keys, tie('any')),
			),
		})).any;
		const before = Object.getOwnPropertyNames(Object.prototype);
		fc.assert(
			fc.property(shapes, (shape) => {
				const ids = [readOpenedSession(shape)?.id, readCreatedId(shape), readSession(shape)?.id];
				for (const session of readSessionPage(shape)?.sessions ?? []) ids.push(session.id);
				// Every id we take can stand in a path and stays below it.
				for (const id of ids) {
					if (typeof id !== 'string') continue;
					const url = new URL(`https://a.example/sessions/${encodeURIComponent(id)}`);
					expect(decodeURIComponent(url.pathname)).toBe(`/sessions/${id}`);
				}
			}),
			{ numRuns: 2000 },
		);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
	});

	test('tell when the publisher token ends', () => {
		const payload = Buffer.from('{"exp":1800000000}').toString('base64url');
		const data = { id: 'x', webrtc_url: 'wss://a.example/', publisher: `eyJ.${payload}.sig`, extra: 1 };
		expect(readOpenedSession({ ok: true, data })).toMatchObject({
			id: 'x',
			tokenExpiresAt: 1_800_000_000_000,
		});
		expect(readOpenedSession({ data: { ...data, publisher: ['plain'] } })).toMatchObject({
			publisher: 'plain',
			tokenExpiresAt: null,
		});
	});

	const coded = (payload: string) => Buffer.from(payload).toString('base64url');
	test.each([
		['one word', null],
		['eyJ.', null],
		['eyJ..sig', null],
		['eyJ.%%%.sig', null],
		[`eyJ.${coded('null')}.sig`, null],
		[`eyJ.${coded('{}')}.sig`, null],
		[`eyJ.${coded('{"exp":"17"}')}.sig`, null],
		[`eyJ.${coded('{"exp":1e999}')}.sig`, null],
		[`eyJ.${coded('{"exp":17}')}`, 17_000],
	])('with the token %s it ends at %s', (publisher, tokenExpiresAt) => {
		const data = { id: 'x', webrtc_url: 'wss://a.example/', publisher };
		expect(readOpenedSession({ data })).toEqual({
			id: 'x',
			webrtcUrl: 'wss://a.example/',
			publisher,
			tokenExpiresAt,
		});
	});

	test('whose id cannot stand in a path name no session', () => {
		const named = (id: unknown) => ({ data: { id, webrtc_url: 'wss://a.example/', publisher: 'x' } });
		for (const id of ['..', '.', '\ud800', 'x'.repeat(4097)]) {
			expect([readOpenedSession(named(id)), readCreatedId(named(id)), readSession(named(id))]).toEqual([
				null,
				null,
				null,
			]);
		}
		expect(readCreatedId({})).toBeNull();
		const page = readSessionPage({ data: [{ id: '..' }, { id: 'a', updated_at: '2026-01-01T00:00:00Z' }] });
		expect(page?.sessions).toEqual([
			{ id: 'a', createdAt: null, updatedAt: Date.UTC(2026, 0, 1), expiresAt: null },
		]);
	});

	test('that cannot be used still show what must be deleted', () => {
		const body = { data: { id: 'made.it', publisher: null, webrtc_url: 7 } };
		expect(readOpenedSession(body)).toBeNull();
		expect(readCreatedId(body)).toBe('made.it');
	});

	test.each([
		[{ data: [{ id: 'a' }], next_page_token: 'n' }, 1, 'n'],
		[{ data: { sessions: [{ id: 'a' }, { id: '' }, null, 'x'] } }, 1, ''],
		[{ data: { sessions: null } }, 0, ''],
		[{ sessions: null, next_page_token: null }, 0, ''],
		[[{ id: 'a', expires_at: 17 }], 1, ''],
		[{ data: null }, 0, ''],
	])('%j is a page', (body, count, next) => {
		const page = readSessionPage(body);
		expect([page?.sessions.length, page?.next]).toEqual([count, next]);
	});

	test.each(['text', 7, null, {}, { ok: true }, { data: 'x' }])('%j is no page', (body) =>
		expect(readSessionPage(body)).toBeNull(),
	);
});

type Changed = Partial<Pick<SessionClientParts, 'baseUrl' | 'key' | 'allowedHosts'>>;

function clientOf(replies: readonly Reply[], changed: Changed = {}) {
	const service = createAnsweringService(...replies);
	const client = createSessionClient({ ...service, baseUrl: () => BASE, key: () => 'the-key', ...changed });
	return { ...service, client };
}

function accountOf(replies: readonly Reply[], changed: Changed = {}) {
	const rig = clientOf(replies, changed);
	const account = rig.client.account();
	if (!account.ok) throw new Error(account.error.kind);
	return { ...rig, account: account.value };
}

const page = (ids: readonly string[], next = '') => ({
	json: { data: ids.map((id) => ({ id })), next_page_token: next },
});
const facts = (id: string) => ({ id, createdAt: null, updatedAt: null, expiresAt: null });

describe('the account', () => {
	test.each([null, ''])('is none without a key (%j)', (key) => {
		expect(clientOf([200], { key: () => key }).client.account()).toEqual(err({ kind: 'api-key-missing' }));
	});

	test('is none at an address that no key goes to', () => {
		expect(clientOf([200], { baseUrl: () => 'http://api.example.com' }).client.account()).toEqual(
			err({ kind: 'address-refused', host: 'api.example.com' }),
		);
	});

	test('is told apart from others by sixteen digits that change with salt, address and key', () => {
		const hash = (salt: string, base = BASE, key = 'the-key') =>
			accountOf([200], { baseUrl: () => base, key: () => key }).account.hash(salt);
		const all = [hash('a'), hash('b'), hash('a', `${BASE}/v1`), hash('a', BASE, 'other-key')];
		expect(new Set(all).size).toBe(4);
		for (const one of all) expect(one).toMatch(/^[0-9a-f]{16}$/);
		expect(hash('a', `${BASE}//`)).toBe(hash('a'));
	});

	test('lets media go where its address lets it, and to allowed hosts only where some are named', () => {
		const address = 'wss://media.example.com';
		const refused = { kind: 'address-refused', host: 'media.example.com' };
		const check = (allowedHosts?: () => readonly string[]) =>
			accountOf([200], allowedHosts ? { allowedHosts } : {}).account.checkMediaAddress(address);
		expect([check(), check(() => []), check(() => ['media.example.com'])]).toEqual([null, null, null]);
		expect(check(() => ['other.example.com'])).toEqual(refused);
		expect(accountOf([200]).account.checkMediaAddress('ws://127.0.0.1:9000')).toMatchObject({
			kind: 'address-refused',
		});
		const local = accountOf([200], { baseUrl: () => 'http://127.0.0.1:8000' }).account;
		expect(local.checkMediaAddress('ws://127.0.0.1:9000')).toBeNull();
	});

	test('has the time of its service', async () => {
		const rig = accountOf([200]);
		expect(rig.account.serverNow()).toBe(rig.clock.wall());
	});
});

describe('creating a session', () => {
	test('asks for one with nothing but what is promised to be taken', async () => {
		const data = { id: 'made', publisher: 'tok', webrtc_url: 'wss://media.example.com' };
		const { account, asked } = accountOf([{ json: { ok: true, data } }]);
		expect(await account.create()).toEqual(
			ok({ id: 'made', publisher: 'tok', webrtcUrl: 'wss://media.example.com', tokenExpiresAt: null }),
		);
		expect(asked).toMatchObject([{ line: 'POST /session-storage/session', body: '{"data":{}}' }]);
	});

	const odd = { kind: 'unexpected-answer', what: 'create-session' };
	test.each<[string, Reply, unknown]>([
		['refused', 422, { problem: { kind: 'service-failed', status: 422 }, created: 'no', id: null }],
		['failed', 500, { problem: { kind: 'service-failed', status: 500 }, created: 'answered', id: null }],
		[
			'broken off',
			new Error('x'),
			{ problem: { kind: 'service-unreachable' }, created: 'unanswered', id: null },
		],
		[
			'with no more than an id',
			{ json: { data: { id: 'a' } } },
			{ problem: odd, created: 'answered', id: 'a' },
		],
		['with nothing', { json: {} }, { problem: odd, created: 'answered', id: null }],
	])('%s says what may be there, and is not done twice', async (_, reply, failure) => {
		const { account, over, asked } = accountOf([reply]);
		expect(await over(3000, account.create())).toMatchObject({ ok: false, error: failure });
		expect(asked).toHaveLength(1);
	});

	test.each([
		[10, 2],
		[11, 1],
	])(
		'a service that wants %d s of quiet is asked %d times: nobody waits longer than 10 s',
		async (s, times) => {
			const rig = accountOf([]);
			const asked: number[] = [];
			const client = createSessionClient({
				...rig,
				baseUrl: () => BASE,
				key: () => 'the-key',
				fetch: async () => {
					asked.push(rig.clock.now());
					return new Response('{}', { status: 429, headers: { 'retry-after': String(s) } });
				},
			});
			const account = client.account();
			if (!account.ok) throw new Error(account.error.kind);
			const created = account.value.create();
			await rig.over(s * 1000, Promise.resolve());
			expect(asked).toHaveLength(times);
			await rig.over(60_000, created);
			expect(await created).toMatchObject({ error: { problem: { kind: 'rate-limited' }, created: 'no' } });
		},
	);
});

describe('the list', () => {
	test('goes on to the last page, each session once, as it was heard first', async () => {
		const first = { id: 'a', created_at: '2026-01-01T00:00:00Z' };
		const { account, lines, clock } = accountOf([
			{ json: { data: [first, { id: 'b' }], next_page_token: 'two' } },
			page(['a', 'c'], ''),
		]);
		expect(await account.list()).toEqual(
			ok({
				sessions: [{ ...facts('a'), createdAt: Date.UTC(2026, 0, 1) }, facts('b'), facts('c')],
				complete: true,
			}),
		);
		const path = 'GET /session-storage/sessions?page_size=50';
		expect(lines()).toEqual([path, `${path}&page_token=two`]);
		expect(clock.pending).toBe(0);
	});

	test('asks for the next page with its token as it is, whatever characters it holds', async () => {
		const token = 'a/b+c=&page_size=1#é';
		const { account, lines } = accountOf([page([], token), page([])]);
		expect(await account.list()).toMatchObject({ ok: true, value: { complete: true } });
		const asked = lines().map((line) => new URL(line.replace('GET ', BASE)).searchParams);
		expect(asked.map((query) => query.get('page_token'))).toEqual([null, token]);
		expect(asked.every((query) => query.getAll('page_size').length === 1)).toBe(true);
	});

	test('of which a page names one that was there is cut, and said to be', async () => {
		const { account, lines } = accountOf([page(['a'], 'x'), page(['b'], 'y'), page(['c'], 'x')]);
		expect(await account.list()).toEqual(ok({ sessions: ['a', 'b', 'c'].map(facts), complete: false }));
		expect(lines()).toHaveLength(3);
	});

	test.each([
		[50, true],
		[51, false],
	])('of %d pages is whole: %j; 50 are read', async (count, complete) => {
		const pages = Array.from({ length: count }, (_, at) => page([`${at}`], at + 1 < count ? `t${at}` : ''));
		const { account, lines } = accountOf(pages);
		const all = await account.list();
		expect(all).toMatchObject({ value: { complete, sessions: { length: 50 } } });
		expect(lines()).toHaveLength(50);
	});

	test('that is refused, or is none, is said', async () => {
		expect(await accountOf([page(['a'], 'x'), 401]).account.list()).toMatchObject(
			err({ kind: 'api-key-rejected' }),
		);
		expect(await accountOf([{ json: { ok: true } }]).account.list()).toEqual(
			err({ kind: 'unexpected-answer', what: 'list-sessions' }),
		);
	});

	test('is waited for 10 s in all, and not a ms less', async () => {
		const rig = accountOf(['hang']);
		let ended = false;
		const list = rig.account.list().finally(() => {
			ended = true;
		});
		await rig.over(9999, Promise.resolve());
		expect(ended).toBe(false);
		await rig.clock.run(1);
		expect(await list).toEqual(err({ kind: 'timed-out', what: 'list-sessions', afterMs: 10_000 }));
		expect([rig.lines().length, rig.clock.pending]).toEqual([1, 0]);
	});

	test('is what came of it by then', async () => {
		const rig = accountOf([page(['a'], 'x'), 'hang']);
		expect(await rig.over(10_250, rig.account.list())).toEqual(
			ok({ sessions: [facts('a')], complete: false }),
		);
	});

	test('that nobody wants any more is none, whatever came', async () => {
		const rig = accountOf([page(['a'], 'x'), 'hang']);
		const control = new AbortController();
		const list = rig.account.list(control.signal);
		await rig.over(1000, Promise.resolve());
		control.abort();
		expect(await list).toEqual(err({ kind: 'cancelled' }));
		expect(rig.clock.pending).toBe(0);
	});
});

test('one page is asked for by its token', async () => {
	const rig = accountOf([page(['a'], 'n'), page(['b'])]);
	expect(await rig.account.page('')).toEqual(ok({ sessions: [facts('a')], next: 'n' }));
	expect(await rig.account.page('n&1')).toEqual(ok({ sessions: [facts('b')], next: '' }));
	const path = 'GET /session-storage/sessions?page_size=50';
	expect(rig.lines()).toEqual([path, `${path}&page_token=n%261`]);
});

const ID = 'a/b.c';
const AT = `/session-storage/sessions/a%2Fb.c`;

describe('reading a session', () => {
	test('asks by its id, encoded', async () => {
		const { account, lines } = accountOf([{ json: { data: { id: ID } } }]);
		expect(await account.read(ID)).toEqual(ok(facts(ID)));
		expect(lines()).toEqual([`GET ${AT}`]);
	});

	const errors = [{ detail: 'gone', error_code: 7 }];
	const said = { code: '7', errors: [{ detail: 'gone', code: '7' }] };
	test.each<[Reply, unknown]>([
		[
			{ status: 404, json: { errors } },
			{ kind: 'not-found', what: 'read-session', ...said },
		],
		[
			{ status: 410, json: { errors } },
			{ kind: 'not-found', what: 'read-session', ...said },
		],
		[
			{ status: 403, json: { errors } },
			{ kind: 'forbidden', detail: 'gone', ...said },
		],
		[{ json: { data: {} } }, { kind: 'unexpected-answer', what: 'read-session' }],
	])('is refused with %j', async (reply, problem) => {
		expect(await accountOf([reply]).account.read(ID)).toEqual(err(problem));
	});
});

describe('extending a session', () => {
	test.each([
		[60, 60],
		[59.6, 60],
		[0.2, 1],
		[-5, 1],
	])('by %d s asks for %d', async (ttlS, asked) => {
		const { account, lines } = accountOf([204]);
		expect(await account.extend(ID, ttlS)).toEqual(ok());
		expect(lines()).toEqual([`POST ${AT}?ttl_seconds=${asked}`]);
	});

	test('that is gone says so', async () => {
		for (const status of [404, 410]) {
			const gone = await accountOf([status]).account.extend(ID, 9);
			expect(gone).toEqual(err({ kind: 'not-found', what: 'extend-session' }));
		}
		expect(await accountOf([403]).account.extend(ID, 9)).toMatchObject(err({ kind: 'forbidden' }));
	});

	test('is tried again when the service fails', async () => {
		const rig = accountOf([500, 204]);
		expect(await rig.over(1000, rig.account.extend(ID, 9))).toEqual(ok());
	});
});

describe('removing a session', () => {
	test.each([
		[204, ok('deleted')],
		[404, ok('absent')],
		[410, ok('absent')],
		[403, err({ kind: 'forbidden', detail: '' })],
	])('answered %d is %j', async (status, outcome) => {
		const { account, lines } = accountOf([status]);
		expect(await account.remove(ID)).toEqual(outcome);
		expect(lines()).toEqual([`DELETE ${AT}`]);
	});

	test('is given 5 s, then tried again: Stop is not held up by one that hangs', async () => {
		const rig = accountOf(['hang', 204]);
		expect(await rig.over(6000, rig.account.remove(ID))).toEqual(ok('deleted'));
		expect(rig.asked.map(({ at }) => at)).toEqual([0, 5150]);
	});
});

test.each<[string, (account: SessionAccount, signal: AbortSignal) => Promise<unknown>]>([
	['create', (account, signal) => account.create(signal)],
	['list', (account, signal) => account.list(signal)],
	['page', (account, signal) => account.page('', signal)],
	['read', (account, signal) => account.read(ID, signal)],
	['extend', (account, signal) => account.extend(ID, 9, signal)],
	['remove', (account, signal) => account.remove(ID, signal)],
])('%s that nobody wants any more is not tried again', async (_, ask) => {
	const rig = accountOf([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]);
	const control = new AbortController();
	const asked = ask(rig.account, control.signal);
	await rig.over(100, Promise.resolve());
	control.abort();
	const ended = await asked;
	expect(JSON.stringify(ended)).toContain('"cancelled"');
	expect([rig.lines().length, rig.clock.pending]).toEqual([1, 0]);
});

describe('a key that is checked', () => {
	test('costs one row of the list', async () => {
		const { client, asked } = clientOf([page(['a'])]);
		expect(await client.checkKey()).toEqual(ok());
		expect(asked).toMatchObject([
			{
				line: 'GET /session-storage/sessions?page_size=1',
				headers: { authorization: 'Bearer the-key' },
			},
		]);
	});

	test.each<[string, Reply, unknown]>([
		['is refused', 401, { kind: 'api-key-rejected', status: 401 }],
		['meets something else', { json: { ok: true } }, { kind: 'unexpected-answer', what: 'check-key' }],
	])('%s', async (_, reply, problem) => {
		expect(await clientOf([reply]).client.checkKey()).toEqual(err(problem));
	});

	test('is missing', async () => {
		const rig = clientOf([page([])], { key: () => null });
		expect(await rig.client.checkKey()).toEqual(err({ kind: 'api-key-missing' }));
		expect(rig.lines()).toEqual([]);
	});

	test('is asked again while the service fails, until nobody wants to know', async () => {
		const again = clientOf([500, page([])]);
		expect(await again.over(1000, again.client.checkKey())).toEqual(ok());
		const rig = clientOf(['hang']);
		const control = new AbortController();
		const checked = rig.client.checkKey(control.signal);
		await rig.over(100, Promise.resolve());
		control.abort();
		expect(await checked).toEqual(err({ kind: 'cancelled' }));
	});
});
