import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { BASE, createAnsweringService, type Reply } from '#test/support/answering-service.ts';
import { createGlossaryClient, type GlossaryAccount } from './glossary-client.ts';

function clientOf(replies: readonly Reply[], base = BASE, key: string | null = 'the-key') {
	const service = createAnsweringService(...replies);
	return {
		...service,
		account: createGlossaryClient({ ...service, baseUrl: () => base, key: () => key }).account(),
	};
}

function accountOf(...replies: readonly Reply[]) {
	const rig = clientOf(replies);
	if (!rig.account.ok) throw new Error(rig.account.error.kind);
	return { ...rig, account: rig.account.value };
}

const sent = (id: string, fields = {}) => ({
	id,
	name: id.toUpperCase(),
	glossary_type: 'translation',
	source_lang: 'en',
	target_lang: 'es',
	is_enabled: true,
	...fields,
});
const record = (id: string, fields = {}) => ({
	id,
	name: id.toUpperCase(),
	kind: 'translation',
	source: 'en',
	target: 'es',
	enabled: true,
	entries: null,
	createdAt: '',
	...fields,
});
const page = (ids: readonly string[], next = '') => ({
	json: { data: { items: ids.map((id) => sent(id)), next } },
});
const one = (id: string, fields = {}) => ({ json: { data: sent(id, fields) } });
const unavailable = err({ kind: 'glossaries-unavailable' });
/** Answers of a service without such a feature. */
const UNKNOWN = [404, 405, 410, 501];
const envelope = { errors: [{ detail: 'no', error_code: 7 }] };
const said = { code: '7', errors: [{ detail: 'no', code: '7' }] };

describe('the account', () => {
	test.each([null, ''])('is none without a key (%j)', (key) => {
		expect(clientOf([], BASE, key).account).toEqual(err({ kind: 'api-key-missing' }));
	});

	test('is none at an address that no key goes to', () => {
		const refused = err({ kind: 'address-refused', host: 'api.example.com' });
		expect(clientOf([], 'http://api.example.com').account).toEqual(refused);
	});

	test('takes an address with slashes behind it', async () => {
		const rig = clientOf([page([])], `${BASE}//`);
		if (rig.account.ok) await rig.account.value.list();
		expect(rig.lines()).toEqual(['GET /saas/glossaries?page_size=50']);
	});
});

describe('the list', () => {
	test('goes on to the last page, each glossary once; beside a token nothing is asked', async () => {
		const { account, asked } = accountOf(page(['a', 'b'], 't&2'), {
			json: { data: { items: [sent('b', { name: 'later' }), sent('c')] } },
		});
		expect(await account.list()).toEqual(ok(['a', 'b', 'c'].map((id) => record(id))));
		expect(asked).toMatchObject([
			{ line: 'GET /saas/glossaries?page_size=50', headers: { authorization: 'Bearer the-key' } },
			{ line: 'GET /saas/glossaries?token=t%262' },
		]);
	});

	test('ends at a token that was there', async () => {
		const { account, lines } = accountOf(page(['a'], 'x'), page(['b'], 'y'), page(['c'], 'x'));
		expect(await account.list()).toMatchObject({ value: { length: 3 } });
		expect(lines()).toHaveLength(3);
	});

	test('has twenty pages at most', async () => {
		const { account, lines } = accountOf(
			...Array.from({ length: 21 }, (_, at) => page([`g${at}`], `t${at}`)),
		);
		expect(await account.list()).toMatchObject({ value: { length: 20 } });
		expect(lines()).toHaveLength(20);
	});

	test.each(UNKNOWN)('is not to be had from a service that answers %d', async (status) => {
		const rig = accountOf(status);
		expect(await rig.over(10_000, rig.account.list())).toEqual(unavailable);
	});

	test('that is refused, or is none, is said', async () => {
		expect(await accountOf(403).account.list()).toEqual(err({ kind: 'forbidden', detail: '' }));
		expect(await accountOf({ json: 7 }).account.list()).toEqual(
			err({ kind: 'unexpected-answer', what: 'list-glossaries' }),
		);
	});
});

describe('one glossary', () => {
	test('is read by its id, encoded', async () => {
		const { account, lines } = accountOf(one('a', { entries_count: 3 }));
		expect(await account.read('a/b')).toEqual(ok(record('a', { entries: 3 })));
		expect(lines()).toEqual(['GET /saas/glossary/a%2Fb']);
	});

	test('that is not known is asked about twice: there may be none at all', async () => {
		const known = accountOf({ status: 404, json: envelope }, page([]));
		expect(await known.account.read('a')).toEqual(err({ kind: 'not-found', what: 'glossary', ...said }));
		expect(known.lines()).toEqual(['GET /saas/glossary/a', 'GET /saas/glossaries?page_size=50']);
		expect(await accountOf(404).account.read('a')).toEqual(unavailable);
		expect(await accountOf(404, 403).account.read('a')).toEqual(err({ kind: 'not-found', what: 'glossary' }));
	});

	test('that is refused, or is none, is said', async () => {
		const refused = accountOf(403);
		expect(await refused.account.read('a')).toEqual(err({ kind: 'forbidden', detail: '' }));
		expect(refused.lines()).toHaveLength(1);
		expect(await accountOf({ json: {} }).account.read('a')).toEqual(
			err({ kind: 'unexpected-answer', what: 'read-glossary' }),
		);
	});
});

describe('the table of one', () => {
	test.each<[string, Reply, unknown]>([
		['comes as text', { text: 'one,uno' }, ok('one,uno')],
		['that comes as something else is none', { json: { rows: [] } }, ok(null)],
		...UNKNOWN.map((status): [string, Reply, unknown] => [
			`is not given back by a service that answers ${status}`,
			status,
			ok(null),
		]),
		['that is refused is said to be', 403, err({ kind: 'forbidden', detail: '' })],
	])('%s', async (_, reply, outcome) => {
		const rig = accountOf(reply);
		expect(await rig.over(10_000, rig.account.table('a/b'))).toEqual(outcome);
		expect(rig.lines()[0]).toBe('GET /saas/glossary/a%2Fb/upload');
	});
});

describe('removing one', () => {
	test.each([
		[204, ok('deleted')],
		[404, ok('absent')],
		[410, ok('absent')],
		[405, err({ kind: 'service-failed', status: 405, detail: '' })],
	])('answered %d is %j', async (status, outcome) => {
		const { account, lines } = accountOf(status);
		expect(await account.remove('a/b')).toEqual(outcome);
		expect(lines()).toEqual(['DELETE /saas/glossary/a%2Fb']);
	});

	test('is tried again when the service fails', async () => {
		const rig = accountOf(500, 204);
		expect(await rig.over(1000, rig.account.remove('a'))).toEqual(ok('deleted'));
	});
});

const fresh = {
	name: 'Mine',
	kind: 'translation',
	source: 'en',
	target: 'es',
	csv: 'one,uno\r\n',
	entries: 1,
} as const;
const wanted = { name: 'Mine', glossary_type: 'translation', source_lang: 'en', target_lang: 'es' };
const CREATED = ['POST /saas/glossary', 'POST /saas/glossary/a/upload'];

describe('making one', () => {
	test('sends what it is, then its rows as a form of one file', async () => {
		const { account, asked, lines } = accountOf(one('a', { entries_count: 0, name: 'As made' }), 200);
		expect(await account.add(fresh)).toEqual(ok(record('a', { entries: 1, name: 'As made' })));
		expect(lines()).toEqual(CREATED);
		const [created, rows] = asked;
		expect(JSON.parse(created?.body ?? '')).toEqual({ data: { ...wanted, is_enabled: true } });
		const boundary = /^multipart\/form-data; boundary=(dragoman-[0-9a-f]{36})$/.exec(
			rows?.headers['content-type'] ?? '',
		)?.[1];
		expect(boundary).toBeDefined();
		expect(rows?.body).toBe(
			[
				`--${boundary}`,
				'Content-Disposition: form-data; name="glossary"; filename="glossary.csv"',
				'Content-Type: text/csv',
				'',
				'one,uno',
				'',
				`--${boundary}--`,
				'',
			].join('\r\n'),
		);
	});

	test('goes by the name it was given where the service says none; it may be off', async () => {
		const { account, asked } = accountOf(one('a', { name: '' }), 200);
		expect(await account.add({ ...fresh, enabled: false })).toMatchObject({ value: { name: 'Mine' } });
		expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ data: { ...wanted, is_enabled: false } });
	});

	const odd = { kind: 'unexpected-answer', what: 'create-glossary' };
	test.each<[Reply, unknown]>([
		[422, { problem: { kind: 'service-failed', status: 422, detail: '' }, made: 'no', left: null }],
		[404, { problem: { kind: 'glossaries-unavailable' }, made: 'no', left: null }],
		[500, { problem: { kind: 'service-failed', status: 500, detail: '' }, made: 'maybe', left: null }],
		[{ json: {} }, { problem: odd, made: 'maybe', left: null }],
	])('answered %j ends there, and is not done twice', async (reply, failure) => {
		const { account, over, lines } = accountOf(reply);
		expect(await over(3000, account.add(fresh))).toEqual(err(failure));
		expect(lines()).toEqual(['POST /saas/glossary']);
	});

	const full = { kind: 'service-failed', status: 413, detail: '' };
	test.each([
		[204, null],
		[404, null],
		[403, 'a'],
	])('whose rows are refused is taken away again; answered %d, %j is left', async (status, left) => {
		const { account, lines } = accountOf(one('a'), 413, status);
		expect(await account.add(fresh)).toEqual(err({ problem: full, made: 'no', left }));
		expect(lines()).toEqual([...CREATED, 'DELETE /saas/glossary/a']);
	});

	test('whose rows the service fails to take is not sent them twice', async () => {
		const rig = accountOf(one('a'), 500, 204);
		await rig.over(3000, rig.account.add(fresh));
		expect(rig.lines()).toEqual([...CREATED, 'DELETE /saas/glossary/a']);
	});
});

describe('switching one on or off', () => {
	const AT = ['POST /saas/glossary/a', 'GET /saas/glossary/a'];

	test('sends all of it, and looks how it is then', async () => {
		const { account, asked, lines } = accountOf(200, one('a', { is_enabled: false }));
		const off = record('a', { enabled: false });
		expect(await account.setEnabled(record('a', { kind: 'asr' }), false)).toEqual(ok(off));
		expect(lines()).toEqual(AT);
		expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
			data: { name: 'A', glossary_type: 'asr', source_lang: 'en', target_lang: 'es', is_enabled: false },
		});
	});

	test('that changed nothing is said; where the service does not say, it is believed', async () => {
		const as = (fields: object) => accountOf(200, one('a', fields)).account.setEnabled(record('a'), false);
		expect(await as({ is_enabled: true })).toEqual(
			err({ kind: 'unexpected-answer', what: 'change-glossary: it is as before' }),
		);
		expect(await as({ is_enabled: 'x' })).toEqual(ok(record('a', { enabled: null })));
	});

	test('that is refused, or cannot be looked at, is said', async () => {
		expect(await accountOf(403).account.setEnabled(record('a'), false)).toEqual(
			err({ kind: 'forbidden', detail: '' }),
		);
		expect(await accountOf(404).account.setEnabled(record('a'), false)).toEqual(unavailable);
		expect(await accountOf(200, 403).account.setEnabled(record('a'), false)).toEqual(
			err({ kind: 'forbidden', detail: '' }),
		);
	});

	test('is tried again when the service fails', async () => {
		const rig = accountOf(500, 200, one('a', { is_enabled: false }));
		expect(await rig.over(1000, rig.account.setEnabled(record('a'), false))).toMatchObject({ ok: true });
	});
});

test.each<[string, (account: GlossaryAccount, signal: AbortSignal) => Promise<unknown>]>([
	['list', (account, signal) => account.list(signal)],
	['read', (account, signal) => account.read('a', signal)],
	['table', (account, signal) => account.table('a', signal)],
	['add', (account, signal) => account.add(fresh, signal)],
	['setEnabled', (account, signal) => account.setEnabled(record('a'), true, signal)],
	['remove', (account, signal) => account.remove('a', signal)],
])('%s that nobody wants any more is not tried again', async (_, ask) => {
	const rig = accountOf(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
	const control = new AbortController();
	const asked = ask(rig.account, control.signal);
	await rig.over(100, Promise.resolve());
	control.abort();
	expect(JSON.stringify(await asked)).toContain('"cancelled"');
	expect([rig.lines().length, rig.clock.pending]).toEqual([1, 0]);
});
