import { afterEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/sandbox.ts';

let sandbox: Sandbox;

afterEach(() => sandbox.close());

interface Reply {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: the wire, read by tests only
	readonly json: any;
}

async function call(
	method: string,
	path: string,
	options: { body?: string; key?: string } = {},
): Promise<Reply> {
	const response = await fetch(sandbox.addresses.api + path, {
		method,
		headers: {
			Authorization: `Bearer ${options.key ?? sandbox.addresses.key}`,
			'Content-Type': 'application/json',
		},
		redirect: 'manual',
		signal: AbortSignal.timeout(5000),
		...(options.body === undefined ? {} : { body: options.body }),
	});
	const text = await response.text();
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		json = undefined;
	}
	return { status: response.status, headers: response.headers, text, json };
}

const create = (key?: string) =>
	call('POST', '/session-storage/session', { body: '{"data":{}}', ...(key === undefined ? {} : { key }) });
const path = (id: string) => `/session-storage/sessions/${encodeURIComponent(id)}`;

async function start(options: SandboxOptions = {}): Promise<void> {
	sandbox = await startSandbox(options);
}

describe('session endpoints', () => {
	it('create, list, read, extend and delete a session as specified', async () => {
		await start();
		const created = await create();
		expect(created.status).toBe(201);
		expect(created.json).toEqual({
			ok: true,
			data: {
				publisher: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
				webrtc_url: sandbox.addresses.webrtc,
				intent: 'api',
				id: expect.stringMatching(/^[\w.]+$/),
			},
		});
		const { id } = created.json.data;
		const listed = await call('GET', '/session-storage/sessions');
		const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		const record = { id, created_at: stamp, updated_at: stamp, expires_at: stamp };
		expect(listed).toMatchObject({ status: 200, json: { data: [record], next_page_token: '' } });
		const read = await call('GET', path(id));
		expect(read).toMatchObject({ status: 200, json: { data: record } });
		const extended = await call('POST', `${path(id)}?ttl_seconds=3600`);
		expect(extended).toMatchObject({ status: 204, text: '' });
		const after = await call('GET', path(id));
		const gained = Date.parse(after.json.data.expires_at) - Date.parse(read.json.data.expires_at);
		expect(gained).toBeGreaterThan(2_990_000);
		expect(await call('DELETE', path(id))).toMatchObject({ status: 204, text: '' });
		expect((await call('GET', path(id))).status).toBe(404);
		expect((await call('DELETE', path(id))).status).toBe(404);
		expect(sandbox.openSessions()).toEqual([]);
		expect(sandbox.counts()).toMatchObject({ created: 1, deleted: 1 });
	});

	it('give a token that is an ordinary LiveKit access token with the session in it', async () => {
		await start();
		const { publisher, id } = (await create()).json.data;
		const [header, claims] = publisher
			.split('.')
			.slice(0, 2)
			.map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()));
		expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
		expect(claims).toMatchObject({
			sub: expect.any(String),
			session_id: id,
			video: {
				room: expect.any(String),
				roomJoin: true,
				canPublish: true,
				canSubscribe: true,
				canPublishData: true,
			},
		});
		expect(claims.exp).toBeGreaterThan(Date.now() / 1000 + 600);
		const validate = (token: string) =>
			fetch(`${sandbox.addresses.webrtc.replace('ws:', 'http:')}rtc/validate?access_token=${token}`);
		expect((await validate(publisher)).status).toBe(200);
		expect((await validate(`${publisher.slice(0, -4)}AAAA`)).status).toBe(401);
		expect((await validate('a.b.c')).status).toBe(401);
		await call('DELETE', path(id));
		expect((await validate(publisher)).status).toBe(401);
	});

	it('page through the list in order of creation', async () => {
		await start();
		const made: string[] = [];
		for (let count = 0; count < 7; count += 1) made.push((await create()).json.data.id);
		const seen: string[] = [];
		let token = '';
		for (let pages = 0; pages < 3; pages += 1) {
			const page = await call(
				'GET',
				`/session-storage/sessions?page_size=3&page_token=${encodeURIComponent(token)}`,
			);
			seen.push(...page.json.data.map((session: { id: string }) => session.id));
			token = page.json.next_page_token;
		}
		expect(seen).toEqual(made);
		expect(token).toBe('');
	});

	it('refuse what is wrong with the envelope of the specification', async () => {
		await start();
		const { id } = (await create()).json.data;
		const cases: [string, string, { body?: string; key?: string }, number, number][] = [
			['POST', '/session-storage/session', { body: '{}' }, 422, 100_022],
			['POST', '/session-storage/session', { body: '{"data":[]}' }, 422, 100_022],
			['POST', '/session-storage/session', { body: 'hello' }, 422, 100_022],
			['POST', '/session-storage/session', { body: '{"data":{}}', key: 'wrong' }, 401, 100_010],
			['GET', '/session-storage/sessions', { key: `${sandbox.addresses.key}+nonsense` }, 401, 100_010],
			['GET', '/session-storage/sessions?page_size=0', {}, 422, 100_022],
			['GET', '/session-storage/sessions?page_token=%00', {}, 422, 100_022],
			['POST', path(id), {}, 422, 100_022],
			['POST', `${path(id)}?ttl_seconds=0`, {}, 422, 100_022],
			['POST', `${path(id)}?ttl_seconds=86401`, {}, 422, 100_022],
			['GET', path('nobody'), {}, 404, 100_040],
			['POST', `${path('nobody')}?ttl_seconds=60`, {}, 404, 100_040],
			['GET', '/nowhere', {}, 404, 100_040],
			['PUT', '/session-storage/session', {}, 405, 100_041],
		];
		for (const [method, where, options, status, code] of cases) {
			const reply = await call(method, where, options);
			expect([method, where, reply.status]).toEqual([method, where, status]);
			expect(reply.json, where).toEqual({
				ok: false,
				errors: [
					{
						type: expect.stringMatching(/^https:/),
						status,
						title: expect.stringMatching(/.{5}/),
						detail: expect.stringMatching(/.{5}/),
						instance: where.split('?')[0],
						error_code: code,
					},
				],
			});
		}
	});

	it('allow ten sessions at once', async () => {
		await start();
		for (let count = 0; count < 10; count += 1) expect((await create()).status).toBe(201);
		const refused = await create();
		expect([refused.status, refused.json.errors[0].error_code]).toEqual([403, 100_060]);
	});

	it('answer preflights and let any page read the answer', async () => {
		await start();
		const preflight = await fetch(`${sandbox.addresses.api}/session-storage/session`, {
			method: 'OPTIONS',
			headers: { Origin: 'http://page.example', 'Access-Control-Request-Headers': 'authorization,x-more' },
		});
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,x-more');
		expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
		expect((await create('wrong')).headers.get('access-control-allow-origin')).toBe('*');
	});

	it('accept the older header pair', async () => {
		await start();
		const headers = { ClientId: 'anyone', ClientSecret: sandbox.addresses.key };
		const reply = await fetch(`${sandbox.addresses.api}/session-storage/sessions`, { headers });
		expect(reply.status).toBe(200);
	});

	it('do not stumble over strange paths', async () => {
		await start();
		for (const where of ['//', '/%', '/session-storage/sessions/%E0%A4%A', '/livekitten']) {
			expect((await call('GET', where)).status, where).toBe(404);
		}
	});
});

describe('REST faults', () => {
	/** A fault for one caller: the others see nothing of it. */
	const faulty = (name: string) => `${sandbox.addresses.key}+${name}`;

	// What each does to a client is in session-client.test.ts.
	it('refuse one caller with the envelope, process nothing and spare the others', async () => {
		await start();
		const refused = await create(faulty('404'));
		expect([refused.status, refused.json.errors[0].error_code]).toEqual([404, 100_040]);
		expect(refused.headers.get('retry-after')).toBe(null);
		expect(sandbox.openSessions()).toEqual([]);
		expect((await create()).status).toBe(201);
	});

	it('end after as many times as were asked for, and strike only the operation named', async () => {
		await start();
		const key = faulty('500@list:2');
		expect((await create(key)).status).toBe(201);
		const list = async () => (await call('GET', '/session-storage/sessions', { key })).status;
		expect([await list(), await list(), await list()]).toEqual([500, 500, 200]);
	});

	it('are switched for everyone while running', async () => {
		await start({ faults: ['503'] });
		expect((await create()).status).toBe(503);
		sandbox.setFault('503', false);
		expect((await create()).status).toBe(201);
		expect(() => sandbox.setFault('no such fault', true)).toThrow('unknown fault');
		await expect(startSandbox({ faults: ['slow:x'] })).rejects.toThrow('unknown fault');
	});

	it('spoil the body of a create that was done', async () => {
		await start();
		expect((await create(faulty('not-ok'))).json.ok).toBe(false);
		expect((await create(faulty('publisher-array'))).json.data.publisher).toHaveLength(1);
		expect((await create(faulty('extra-fields'))).json.data.intent).toBe('something_new');
		expect(sandbox.openSessions()).toHaveLength(3);
	});

	it('answer late', async () => {
		await start();
		const before = performance.now();
		expect((await create(faulty('slow:300'))).status).toBe(201);
		expect(performance.now() - before).toBeGreaterThan(290);
	});

	it('write the list in every way seen', async () => {
		await start();
		const { id } = (await create()).json.data;
		const list = async (name: string) =>
			(await call('GET', '/session-storage/sessions', { key: faulty(name) })).json;
		expect(await list('sessions-null')).toEqual({ sessions: null });
		expect(await list('bare-array')).toMatchObject([{ id }]);
		expect(await list('list-sessions')).toMatchObject({ data: { sessions: [{ id }] } });
		expect(await list('no-token')).not.toHaveProperty('next_page_token');
		expect(await list('null-token')).toMatchObject({ next_page_token: null });
		expect(await list('duplicate-ids')).toMatchObject({ data: [{ id }, { id }] });
	});

	it('redirect to another origin, or round in circles', async () => {
		await start();
		const away = await create(faulty('redirect'));
		expect([away.status, new URL(away.headers.get('location') ?? '').hostname]).toEqual([302, 'localhost']);
		expect((await create(faulty('redirect-loop'))).headers.get('location')).toBe('/session-storage/session');
	});

	it('put the clock an hour ahead, in the header and in the records', async () => {
		await start();
		const { id } = (await create()).json.data;
		const reply = await call('GET', path(id), { key: faulty('clock-skew') });
		const ahead = Date.parse(reply.headers.get('date') ?? '') - Date.now();
		expect(Math.abs(ahead - 3_600_000)).toBeLessThan(2000);
		const life = Date.parse(reply.json.data.expires_at) - Date.parse(reply.headers.get('date') ?? '');
		expect(life / 1000).toBeGreaterThan(590);
		expect(life / 1000).toBeLessThan(602);
	});

	it('forget sessions, allow one only, answer 200, let them expire soon', async () => {
		await start();
		const { id } = (await create()).json.data;
		const forgetful = faulty('forgets-sessions');
		expect((await call('GET', path(id), { key: forgetful })).status).toBe(404);
		expect((await call('GET', '/session-storage/sessions', { key: forgetful })).json.data).toEqual([]);
		expect((await create(faulty('limit-1'))).status).toBe(403);
		expect((await create(faulty('status-200-create'))).status).toBe(200);
		expect((await call('DELETE', path(id), { key: faulty('status-200-create') })).status).toBe(200);
		const short = (await create(faulty('expires-soon:200'))).json.data.id;
		await expect.poll(async () => (await call('GET', path(short))).status, { timeout: 3000 }).toBe(404);
	});
});
