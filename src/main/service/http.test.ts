import { describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import { holds } from '#test/support/canary.ts';
import { createManualClock, type ManualClock } from '#test/support/manual-clock.ts';
import { createHttp, type HttpRequest } from './http.ts';

const TO = { base: 'https://api.example.com', key: 'the-key' };
const READ: HttpRequest = {
	method: 'GET',
	path: '/x',
	what: 'read-session',
	repeat: 'safe',
	expects: 'json',
};
const CREATE: HttpRequest = {
	method: 'POST',
	path: '/y',
	what: 'create-session',
	repeat: 'unprocessed',
	expects: 'json',
};

type Reply = { status: number; headers?: Record<string, string>; body?: string } | Error | 'hang';

/** Answers in order, the last one for ever; notes when each request came. */
function stage(...replies: readonly Reply[]) {
	const clock = createManualClock();
	const at: number[] = [];
	const requests: RequestInit[] = [];
	const fetch: typeof globalThis.fetch = async (_, init) => {
		const reply = replies[Math.min(at.length, replies.length - 1)] ?? 'hang';
		at.push(clock.now());
		if (init) requests.push(init);
		if (reply instanceof Error) throw reply;
		if (reply === 'hang')
			return await new Promise((_, reject) =>
				init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
			);
		return new Response(reply.body ?? '{}', { status: reply.status, headers: reply.headers ?? {} });
	};
	const http = createHttp({ fetch, clock, random: () => 1 - 2 ** -30, log: silentLogger });
	return { http, clock, at, requests };
}

async function over<Value>(clock: ManualClock, ms: number, promise: Promise<Value>): Promise<Value> {
	for (let left = ms; left > 0; left -= 250) await clock.run(250);
	return await promise;
}

function coded(code: string): Error {
	return Object.assign(new TypeError('fetch failed'), {
		cause: Object.assign(new Error(`${code} the-key`), { code }),
	});
}

const kindOf = (result: Result<unknown, { problem: { kind: string } }>) =>
	result.ok ? 'ok' : result.error.problem.kind;

describe('a request', () => {
	test('is tried four times at growing distances, then given up', async () => {
		const { http, clock, at } = stage({ status: 500 });
		expect(kindOf(await over(clock, 10_000, http.request(TO, READ)))).toBe('service-failed');
		expect(at).toEqual([0, 300, 900, 2100]);
	});

	test('without an answer in 10 s is given up, and tried again only if it is safe', async () => {
		const create = stage('hang');
		expect(await over(create.clock, 11_000, create.http.request(TO, CREATE))).toMatchObject({
			ok: false,
			error: { acted: 'maybe', problem: { kind: 'timed-out', afterMs: 10_000 } },
		});
		expect(create.at).toEqual([0]);
		const read = stage('hang', { status: 200 });
		expect(await over(read.clock, 12_000, read.http.request(TO, READ))).toMatchObject({ ok: true });
		expect(create.clock.pending + read.clock.pending).toBe(0);
	});

	test.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'])(
		'that never left (%s) is repeated even when it creates',
		async (code) => {
			const { http, clock, at } = stage(coded(code), { status: 201 });
			expect(await over(clock, 2000, http.request(TO, CREATE))).toMatchObject({ ok: true });
			expect(at.length).toBe(2);
		},
	);

	test.each(['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', ''])(
		'broken off (%s) is not repeated when it creates',
		async (code) => {
			const { http, clock, at } = stage(coded(code), { status: 201 });
			const result = await over(clock, 2000, http.request(TO, CREATE));
			expect(result).toMatchObject({ ok: false, error: { acted: 'maybe' } });
			expect(JSON.stringify(result)).not.toContain('the-key');
			expect(at.length).toBe(1);
		},
	);

	test('waits exactly as long as it is told, and so does the next one', async () => {
		const { http, clock, at } = stage({ status: 429, headers: { 'retry-after': '7' } }, { status: 200 });
		const first = http.request(TO, READ);
		await clock.run(2000);
		const second = http.request(TO, READ);
		await over(clock, 6000, Promise.all([first, second]));
		expect(at).toEqual([0, 7000, 7000]);
	});

	test('a shorter wait does not shorten a longer one that was asked for before', async () => {
		const { http, clock, at } = stage(
			{ status: 429, headers: { 'retry-after': '7' } },
			{ status: 429, headers: { 'retry-after': '2' } },
			{ status: 200 },
		);
		await over(clock, 10_000, Promise.all([http.request(TO, READ), http.request(TO, READ)]));
		expect(at).toEqual([0, 0, 7000, 7000]);
	});

	test('is not kept waiting for a day: the problem says how long', async () => {
		const { http, clock, at } = stage({ status: 429, headers: { 'retry-after': '86400' } });
		const problem = { kind: 'rate-limited', retryAfterMs: 86_400_000 };
		expect(await over(clock, 500, http.request(TO, READ))).toMatchObject({ ok: false, error: { problem } });
		expect(kindOf(await over(clock, 500, http.request(TO, READ)))).toBe('rate-limited');
		expect(at.length).toBe(1);
	});

	test('can be cancelled while it waits, and while it is under way', async () => {
		const waiting = stage({ status: 429, headers: { 'retry-after': '30' } });
		const control = new AbortController();
		const one = waiting.http.request(TO, { ...CREATE, signal: control.signal });
		await waiting.clock.run(1000);
		control.abort();
		expect(await one).toMatchObject({ ok: false, error: { acted: 'no', problem: { kind: 'cancelled' } } });
		const underWay = stage('hang');
		const other = new AbortController();
		const two = underWay.http.request(TO, { ...READ, signal: other.signal });
		await underWay.clock.run(1000);
		other.abort();
		expect(kindOf(await two)).toBe('cancelled');
		expect(waiting.clock.pending + underWay.clock.pending).toBe(0);
	});

	test('that creates is not cut by a cancellation once under way', async () => {
		const { http, clock } = stage('hang');
		const control = new AbortController();
		const result = http.request(TO, { ...CREATE, signal: control.signal });
		await clock.run(1000);
		control.abort();
		expect(kindOf(await over(clock, 10_000, result))).toBe('timed-out');
	});

	test('carries the key in its header only, and follows nothing', async () => {
		const { http, clock, requests } = stage({ status: 200 });
		await over(clock, 250, http.request(TO, READ));
		expect(requests[0]).toMatchObject({ redirect: 'manual', headers: { authorization: 'Bearer the-key' } });
	});

	test('with a key goes to no plain address but loopback', async () => {
		const { http, at } = stage({ status: 200 });
		const result = await http.request({ base: 'http://api.example.com', key: 'k' }, READ);
		expect(kindOf(result)).toBe('address-refused');
		expect(at).toEqual([]);
	});
});

describe('a key that the service repeats in its refusal', () => {
	const key = 'Mossy+Lantern-Quiet/Harbour';
	const echo = async (body: string) => {
		const { http, clock } = stage({ status: 422, body });
		const answer = await over(clock, 1000, http.request({ ...TO, key }, READ));
		return JSON.stringify(answer);
	};
	const letters = [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
	const told = (words: string) => JSON.stringify({ errors: [{ detail: words, error_code: words }] });

	test('is not in an answer of 200 that is none', async () => {
		const { http, clock } = stage({ status: 200, body: JSON.stringify({ ok: false, detail: key }) });
		const answer = await over(clock, 1000, http.request({ ...TO, key }, READ));
		expect(answer).toMatchObject({ value: { body: { detail: '[redacted]' } } });
	});

	test.each([
		['as it is', told(`no such key: ${key}`)],
		['in another way of writing JSON', told('x').replace('"x"', `"no such key: ${letters}"`)],
		['in an address', told(`GET /?key=${encodeURIComponent(key)} failed`)],
		['in base64', told(`Basic ${Buffer.from(`user:${key}`).toString('base64')}`)],
		['as the name of a field', JSON.stringify({ errors: [{ loc: [key], msg: 'wrong' }] })],
		['where its words are cut', told(`${'x'.repeat(286)} ${key} end`)],
	])('is in no problem: %s', async (_, body) => {
		const said = await echo(body);
		expect(said).toContain('service-failed');
		expect(holds(said, key)).toBe(false);
		expect(said).not.toContain(key.slice(0, 8));
	});
});

describe('a service that keeps failing', () => {
	test('is asked once in 30 s at most, and as before when it is well again', async () => {
		const replies: Reply[] = Array.from({ length: 40 }, () => ({ status: 503 }));
		const { http, clock, at } = stage(...replies);
		for (let minute = 0; minute < 10; minute++) {
			for (let turn = 0; turn < 12; turn++) void http.request(TO, READ);
			await over(clock, 60_000, Promise.resolve());
		}
		const late = at.filter((time) => time > 60_000);
		expect(late.length).toBeLessThanOrEqual(9 * 2 + 1);
	});

	test('with 429 and no word how long empties the bucket, then costs one request a call', async () => {
		const { http, clock, at } = stage({ status: 429 });
		for (let call = 0; call < 100; call++) await over(clock, 10_000, http.request(TO, READ));
		expect(at.length).toBeLessThanOrEqual(111);
	});
});

describe('the time of the service', () => {
	test('is its Date header, whatever our clock says, and goes on by our monotonic clock', async () => {
		const { http, clock } = stage({ status: 200, headers: { date: 'Sat, 21 Nov 2026 02:00:00 GMT' } });
		expect(http.serverNow(TO.base)).toBe(clock.wall());
		await http.request(TO, READ);
		await clock.run(5000);
		expect(http.serverNow(TO.base)).toBe(Date.parse('2026-11-21T02:00:05.500Z'));
	});

	test.each([
		{ date: 'yesterday' },
		{ date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
		{ date: 'Sat, 21 Nov 2026 02:00:00 GMT', age: '300' },
	])('is not taken from %o', async (headers) => {
		const { http, clock } = stage({ status: 200, headers: { ...headers } as Record<string, string> });
		await http.request(TO, READ);
		expect(http.serverNow(TO.base)).toBe(clock.wall());
	});
});
