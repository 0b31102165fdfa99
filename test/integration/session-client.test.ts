import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
	createSessionClient,
	type SessionAccount,
	type SessionClient,
} from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { nobodyThere } from '#test/support/nobody-there.ts';

const KEY = 'canary-key-4711';
const logged: string[] = [];
const note = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`);
const log: Logger = { error: note, warn: note, info: note, debug: note };

const sandbox = await startSandbox({ key: KEY });
afterAll(() => sandbox.close());
afterEach(async () => {
	const account = accountOf(clientWith());
	const listed = await account.list();
	for (const { id } of listed.ok ? listed.value.sessions : []) await account.remove(id);
	expect(logged.filter((line) => line.includes(KEY))).toEqual([]);
});

/** Each test is a caller of its own; `fault` as in the sandbox's table. Deadlines pass ten times as fast. */
function clientWith(fault = '', parts: { clock?: Clock; base?: string } = {}): SessionClient {
	const key = fault === '' ? KEY : `${KEY}+${fault}`;
	const base = parts.base ?? sandbox.addresses.api;
	const clock = parts.clock ?? createFastClock(10);
	return createSessionClient({ fetch, clock, random: () => 0.5, log, baseUrl: () => base, key: () => key });
}

function accountOf(client: SessionClient): SessionAccount {
	const account = client.account();
	if (!account.ok) throw new Error(account.error.kind);
	return account.value;
}

async function opened(account: SessionAccount): Promise<string> {
	const created = await account.create();
	if (!created.ok) throw new Error(JSON.stringify(created.error));
	return created.value.id;
}

describe('the life of a session', () => {
	test('is created, listed, read, extended and deleted, and deleting it again is harmless', async () => {
		const account = accountOf(clientWith('', { clock: createSystemClock() }));
		const created = await account.create();
		expect(created).toMatchObject({ ok: true, value: { webrtcUrl: sandbox.addresses.webrtc } });
		if (!created.ok) return;
		const { id, tokenExpiresAt } = created.value;
		expect(account.checkMediaAddress(created.value.webrtcUrl)).toBeNull();
		expect(tokenExpiresAt).toBeGreaterThan(account.serverNow() + 500_000);
		const listed = await account.list();
		expect(listed.ok && listed.value.sessions.map((session) => session.id)).toContain(id);
		expect(await account.extend(id, 3600)).toEqual({ ok: true, value: undefined });
		const read = await account.read(id);
		const leftMs = read.ok && read.value.expiresAt ? read.value.expiresAt - account.serverNow() : 0;
		expect(Math.abs(leftMs - 3_600_000)).toBeLessThan(5000);
		expect(await account.remove(id)).toEqual({ ok: true, value: 'deleted' });
		expect(await account.remove(id)).toEqual({ ok: true, value: 'absent' });
		expect(await account.read(id)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
		expect(await account.extend(id, 60)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
	});

	test('works with ids full of dots, slashes and query characters', async () => {
		const account = accountOf(clientWith('hostile-ids'));
		const id = await opened(account);
		expect(id).toContain('/');
		expect(await account.read(id)).toMatchObject({ ok: true, value: { id } });
		expect(await account.remove(id)).toEqual({ ok: true, value: 'deleted' });
	});
});

describe('answers that the specification leaves open', () => {
	const odd = [
		'extra-fields',
		'publisher-array',
		'status-200-create',
		'list-sessions',
		'bare-array',
		'no-token',
		'null-token',
		'bom',
	];
	test.each(odd)('%s: the whole life works', async (fault) => {
		const account = accountOf(clientWith(fault));
		const id = await opened(account);
		const listed = await account.list();
		expect(listed.ok && listed.value.sessions.map((session) => session.id)).toContain(id);
		expect(await account.extend(id, 60)).toMatchObject({ ok: true });
		expect(await account.remove(id)).toMatchObject({ ok: true });
	});

	test.each([
		['repeat-token', 2],
		['endless-list', 50],
	])('%s: the list stops and says that it is cut', async (fault, requests) => {
		const before = sandbox.counts().requests;
		expect(await accountOf(clientWith(fault, { clock: createSystemClock() })).list()).toMatchObject({
			ok: true,
			value: { complete: false },
		});
		expect(sandbox.counts().requests - before).toBe(requests);
	});

	test('an expiry that is no time is unknown', async () => {
		const account = accountOf(clientWith('bad-times'));
		const id = await opened(account);
		expect(await account.read(id)).toMatchObject({ ok: true, value: { id, expiresAt: null } });
		await account.remove(id);
	});
});

describe('refusals', () => {
	test.each([
		['401', 'api-key-rejected', 1],
		['402', 'no-credit', 1],
		['403', 'forbidden', 1],
		['403-credit', 'no-credit', 1],
		['403-limit', 'session-limit', 1],
		['409', 'session-limit', 1],
		['422', 'service-failed', 1],
		['error-text', 'service-failed', 1],
		['429', 'rate-limited', 4],
		['429-garbage', 'rate-limited', 4],
		['429-day', 'rate-limited', 1],
		['503-after', 'service-failed', 4],
	])(
		'a create answered %s is %s after %i request(s), and nothing was made',
		async (fault, kind, requests) => {
			const before = sandbox.counts();
			expect(await accountOf(clientWith(fault)).create()).toMatchObject({
				ok: false,
				error: { created: 'no', problem: { kind } },
			});
			expect(sandbox.counts()).toMatchObject({
				created: before.created,
				requests: before.requests + requests,
			});
		},
	);

	test.each(['500', '502', '503', '504', '500-after'])(
		'a create answered %s is uncertain and not repeated',
		async (fault) => {
			const before = sandbox.counts();
			expect(await accountOf(clientWith(fault)).create()).toMatchObject({
				ok: false,
				error: { created: 'answered', problem: { kind: 'service-failed' } },
			});
			expect(sandbox.counts()).toMatchObject({
				created: before.created + Number(fault === '500-after'),
				requests: before.requests + 1,
			});
		},
	);

	test.each(['429-after', '429-date', '503-after'])(
		'%s once: waited for as asked, then it works',
		async (fault) => {
			const clock = createFastClock(10);
			const account = accountOf(clientWith(`${fault}@create:1`, { clock }));
			const started = clock.now();
			const id = await opened(account);
			expect(clock.now() - started).toBeGreaterThanOrEqual(fault === '503-after' ? 1000 : 2000);
			await account.remove(id);
		},
	);

	test.each(['500', '502', '503', '504', '429', 'drop-connection', 'cut-body'])(
		'%s once: reading and deleting do not notice',
		async (fault) => {
			const id = await opened(accountOf(clientWith()));
			expect(await accountOf(clientWith(`${fault}@get:1`)).read(id)).toMatchObject({ ok: true });
			expect(await accountOf(clientWith(`${fault}@delete:1`)).remove(id)).toMatchObject({ ok: true });
		},
	);

	test('the key is checked by a call that makes nothing', async () => {
		const before = sandbox.counts().created;
		expect(await clientWith().checkKey()).toEqual({ ok: true, value: undefined });
		expect(await clientWith('401').checkKey()).toMatchObject({
			ok: false,
			error: { kind: 'api-key-rejected', status: 401, code: '100010', errors: [{ title: 'Unauthorized' }] },
		});
		expect(sandbox.counts().created).toBe(before);
	});
});

describe('answers that never come whole', () => {
	test.each(['hang', 'hang-after', 'drop-connection', 'cut-body', 'drip'])(
		'%s on create is uncertain, one request only',
		async (fault) => {
			const before = sandbox.counts();
			const account = accountOf(clientWith(`${fault}:1`));
			expect(await account.create()).toMatchObject({ ok: false, error: { created: 'unanswered' } });
			const isMade = fault !== 'hang' && fault !== 'drop-connection';
			expect(sandbox.counts()).toMatchObject({
				created: before.created + Number(isMade),
				requests: before.requests + 1,
			});
		},
	);

	test.each(['malformed-json', 'html', 'empty-body', 'huge-body', 'deep-body', 'wrong-types'])(
		'%s on create is no answer of the service',
		async (fault) => {
			const started = performance.now();
			const result = await accountOf(clientWith(`${fault}:1`, { clock: createSystemClock() })).create();
			expect(result).toMatchObject({
				ok: false,
				error: {
					created: 'answered',
					problem: { kind: fault === 'html' ? 'not-the-service' : 'unexpected-answer' },
				},
			});
			expect(performance.now() - started).toBeLessThan(4000);
		},
	);

	test('a body that never ends is given up and its socket closed', async () => {
		const clock = createFastClock(50);
		const result = await accountOf(clientWith('drip@get', { clock })).read('x');
		expect(result).toMatchObject({ ok: false, error: { kind: 'timed-out' } });
		let closed = 0;
		const slow = createServer((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' }).write('{');
			response.on('close', () => void closed++);
		});
		await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
		const base = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
		const made = await accountOf(clientWith('', { clock, base })).create();
		const { problem } = made.ok ? { problem: null } : made.error;
		expect(problem?.kind === 'timed-out' && problem.afterMs).toBeGreaterThanOrEqual(15_000);
		await expect.poll(() => closed).toBe(1);
		slow.close();
	});

	test('nobody there: tried again, and certainly not made', async () => {
		const account = accountOf(clientWith('', { base: await nobodyThere() }));
		const refused = await account.create();
		expect(refused).toMatchObject({
			ok: false,
			error: { created: 'no', problem: { kind: 'service-unreachable', cause: 'ECONNREFUSED' } },
		});
		expect(account.serverNow()).toBeGreaterThan(0);
	});
});

describe('a redirect', () => {
	let other: Server;
	const heard: string[] = [];
	beforeAll(async () => {
		other = createServer((request, response) => {
			heard.push(String(request.headers.authorization));
			response.end('{}');
		});
		await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
	});
	afterAll(() => other.close());

	test.each([301, 302, 303, 307, 308])('%i is never followed with the key', async (status) => {
		const to = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
		const from = createServer((_, response) => response.writeHead(status, { location: to }).end());
		await new Promise<void>((done) => from.listen(0, '127.0.0.1', done));
		const base = `http://127.0.0.1:${(from.address() as AddressInfo).port}`;
		const account = accountOf(clientWith('', { base }));
		expect(await account.create()).toMatchObject({
			ok: false,
			error: { problem: { kind: 'not-the-service', status } },
		});
		expect(await account.list()).toMatchObject({ ok: false });
		expect(heard).toEqual([]);
		from.close();
	});
});

test('times are taken by the clock of the service, however wrong ours is', async () => {
	const wrong = { ...createSystemClock(), wall: () => Date.now() - 86_400_000 };
	const account = accountOf(clientWith('clock-skew', { clock: wrong }));
	await account.list();
	expect(Math.abs(account.serverNow() - (Date.now() + 3_600_000))).toBeLessThan(3000);
});

test('a key that cannot stand in a header is refused before any call', async () => {
	const parts = {
		fetch,
		clock: createSystemClock(),
		random: Math.random,
		log,
		baseUrl: () => sandbox.addresses.api,
	};
	const client = createSessionClient({ ...parts, key: () => `${KEY}\nHost: evil` });
	expect(await client.checkKey()).toEqual({
		ok: false,
		error: { kind: 'key-characters', character: 'U+000A', position: KEY.length + 1 },
	});
});
