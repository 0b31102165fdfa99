import { describe, expect, test } from 'vitest';
import type { Result } from '#shared/lib/result.ts';
import { holds } from '#test/support/canary.ts';
import { createManualClock, type ManualClock, settle } from '#test/support/manual-clock.ts';
import {
	createHttp,
	createServiceState,
	type HttpRequest,
	readJsonBody,
	type TryOutcome,
	tryOnce,
} from './http.ts';

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
	const logged: unknown[] = [];
	const note = (...line: unknown[]) => void logged.push(line);
	const clock = createManualClock();
	const at: number[] = [];
	const requests: RequestInit[] = [];
	const addresses: string[] = [];
	const fetch: typeof globalThis.fetch = async (address, init) => {
		addresses.push(String(address));
		const reply = replies[Math.min(at.length, replies.length - 1)] ?? 'hang';
		at.push(clock.now());
		if (init) requests.push(init);
		if (reply instanceof Error) throw reply;
		if (reply === 'hang')
			return await new Promise((_, reject) =>
				init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
			);
		return new Response(reply.status === 204 ? null : (reply.body ?? '{}'), {
			status: reply.status,
			headers: reply.headers ?? {},
		});
	};
	const http = createHttp({
		fetch,
		clock,
		random: () => 1 - 2 ** -30,
		log: { error: note, warn: note, info: note, debug: note },
	});
	return { http, clock, at, requests, addresses, logged };
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
	test('with 429 and no word how long empties the bucket, then costs one request a call', async () => {
		const { http, clock, at } = stage({ status: 429 });
		for (let call = 0; call < 100; call++) await over(clock, 10_000, http.request(TO, READ));
		expect(at.length).toBeLessThanOrEqual(111);
	});
});

describe('the time of the service', () => {
	test('is its Date header, whatever our clock says, and goes on by our monotonic clock', async () => {
		const { http, clock } = stage({ status: 200, headers: { date: 'Sat, 21 Nov 2026 02:00:00 GMT' } });
		expect([http.serverNow(TO.base), http.heardNow(TO.base)]).toEqual([clock.wall(), null]);
		await http.request(TO, READ);
		await clock.run(5000);
		expect(http.serverNow(TO.base)).toBe(Date.parse('2026-11-21T02:00:05.500Z'));
		expect(http.heardNow(TO.base)).toBe(http.serverNow(TO.base));
	});
});

describe('what goes out', () => {
	const sent = async (request: HttpRequest, base = TO.base) => {
		const { http, clock, requests, addresses } = stage({ status: 200 });
		await over(clock, 250, http.request({ ...TO, base }, request));
		const { signal, ...init } = requests[0] ?? {};
		return { init, address: addresses[0] };
	};
	const plain = { redirect: 'manual', credentials: 'omit', cache: 'no-store' };
	const headers = { authorization: 'Bearer the-key', accept: 'application/json' };
	const typed = { ...headers, 'content-type': 'application/json' };

	test('has a type of content where it creates, with or without a body', async () => {
		expect((await sent(READ)).init).toEqual({ ...plain, method: 'GET', headers });
		expect((await sent(CREATE)).init).toEqual({ ...plain, method: 'POST', headers: typed });
		expect((await sent({ ...CREATE, body: { a: 1 } })).init).toEqual({
			...plain,
			method: 'POST',
			headers: typed,
			body: '{"a":1}',
		});
	});

	test('is a form as it is', async () => {
		const form = { contentType: 'multipart/form-data; boundary=x', bytes: new Uint8Array([1]) };
		expect((await sent({ ...CREATE, form })).init).toEqual({
			...plain,
			method: 'POST',
			headers: { ...headers, 'content-type': form.contentType },
			body: form.bytes,
		});
	});

	test('goes below its address, however many slashes that ends with', async () => {
		expect((await sent(READ, 'https://api.example.com/v1//')).address).toBe('https://api.example.com/v1/x');
	});

	test.each([
		['the key', 'U+0020', 4],
		['schlüssel', 'U+00FC', 5],
		['key\n', 'U+000A', 4],
		['\u0000key', 'U+0000', 1],
		['ke\u200By', 'U+200B', 3],
		['\uFEFFkey', 'U+FEFF', 1],
		['key🔑', 'U+1F511', 4],
		['key…y', 'U+2026', 4],
	])('has no key that no header can hold (%j)', async (key, character, position) => {
		const { http, at } = stage({ status: 200 });
		expect(await http.request({ ...TO, key }, READ)).toEqual({
			ok: false,
			error: { problem: { kind: 'key-characters', character, position }, acted: 'no', status: 0 },
		});
		expect(at).toEqual([]);
	});
});

describe('what comes back', () => {
	const answer = async (reply: Reply, wanted: HttpRequest) => {
		const { http, clock, at } = stage(reply);
		return { said: await over(clock, 10_000, http.request(TO, wanted)), times: at.length };
	};
	const odd = (why: string, status = 200, acted = 'answered') => ({
		ok: false,
		error: { problem: { kind: 'unexpected-answer', what: `read-session: ${why}` }, acted, status },
	});
	const foreign = (status: number, acted = 'answered') => ({
		ok: false,
		error: { problem: { kind: 'not-the-service', status }, acted, status },
	});
	const fine = (body: unknown, status = 200) => ({ ok: true, value: { status, body } });
	const page = '<html></html>';

	test.each<[HttpRequest['expects'], Reply, unknown]>([
		['json', { status: 200, body: '{"a":1}' }, fine({ a: 1 })],
		['json', { status: 299, body: '1' }, fine(1, 299)],
		['json', { status: 200, body: '' }, odd('empty')],
		['json', { status: 200, body: 'a,b' }, odd('not JSON')],
		['json', { status: 200, body: page }, foreign(200)],
		['text', { status: 200, body: 'a,b' }, fine('a,b')],
		['text', { status: 200, body: '[1]' }, fine([1])],
		['text', { status: 200, body: '' }, odd('empty')],
		['text', { status: 200, body: page }, foreign(200)],
		['nothing', { status: 204 }, fine(undefined, 204)],
		['nothing', { status: 200, body: page }, foreign(200)],
		['nothing', { status: 200, body: '1' }, fine(1)],
		...[300, 302, 303, 399].map((status): [HttpRequest['expects'], Reply, unknown] => [
			'nothing',
			{ status },
			foreign(status),
		]),
		...[307, 308].map((status): [HttpRequest['expects'], Reply, unknown] => [
			'nothing',
			{ status },
			foreign(status, 'no'),
		]),
	])('where %s is expected, %j is read', async (expects, reply, outcome) => {
		expect(await answer(reply, { ...READ, expects })).toEqual({ said: outcome, times: 1 });
	});

	test.each([
		[401, page, foreign(401, 'no').error.problem],
		[403, '\n<!DOCTYPE html><title>Web Page Blocked</title>', foreign(403, 'no').error.problem],
		[407, page, { kind: 'proxy-login' }],
		[511, 'Sign in', { kind: 'not-the-service', status: 511 }],
		// The front end of the service has pages of its own.
		[404, page, { kind: 'not-found', what: 'read-session' }],
		[403, '{"detail":"<b>no</b>"}', { kind: 'forbidden' }],
		[500, page, { kind: 'service-failed', status: 500 }],
	])('%i with %j is from somebody else or the service', async (status, body, problem) => {
		expect((await answer({ status, body }, READ)).said).toMatchObject({ ok: false, error: { problem } });
	});

	const coded = (code: number) => JSON.stringify({ errors: [{ error_code: code, detail: 'x' }] });
	test.each<[number, string, HttpRequest, string, number]>([
		[400, '{}', READ, 'no', 1],
		[408, '{}', READ, 'no', 4],
		[408, '{}', CREATE, 'no', 1],
		[499, '{}', READ, 'no', 1],
		[500, '{}', READ, 'answered', 4],
		[500, '{}', CREATE, 'answered', 1],
		[503, '{}', CREATE, 'answered', 1],
		[429, '{}', CREATE, 'no', 4],
		[429, coded(100_050), CREATE, 'no', 1],
		[429, coded(100_060), CREATE, 'no', 1],
	])('a refusal with %d %s', async (status, body, wanted, acted, times) => {
		const asked = await answer({ status, body }, wanted);
		expect(asked).toMatchObject({ said: { ok: false, error: { acted, status } }, times });
	});

	test('a body that is no JSON says nothing', async () => {
		expect(await answer({ status: 403, body: 'words' }, CREATE)).toEqual({
			said: { ok: false, error: { problem: { kind: 'forbidden', detail: '' }, acted: 'no', status: 403 } },
			times: 1,
		});
	});

	test('a key is left in what is no refusal, and in none that is', async () => {
		const said = async (status: number, body: unknown) => {
			const { http, clock } = stage({ status, body: JSON.stringify(body) });
			return JSON.stringify(await over(clock, 250, http.request(TO, CREATE)));
		};
		expect(await said(200, { name: 'the-key' })).toContain('the-key');
		expect(await said(200, { errors: [{ detail: 'the-key' }] })).not.toContain('the-key');
		expect(await said(200, { ok: false, detail: 'the-key' })).not.toContain('the-key');
		expect(await said(400, { detail: 'the-key' })).not.toContain('the-key');
	});
});

describe('quiet that the service asks for', () => {
	const later = (status: number, s: string) => ({ status, headers: { 'retry-after': s } });

	test('with 503 is kept as with 429: nothing was done', async () => {
		const { http, clock, at } = stage(later(503, '3'), { status: 200 });
		const first = http.request(TO, CREATE);
		await clock.run(500);
		await over(clock, 3000, Promise.all([first, http.request(TO, READ)]));
		expect(at).toEqual([0, 3000, 3000]);
	});

	test('with another failure is for that call alone', async () => {
		const { http, clock, at } = stage(later(500, '3'), { status: 200 });
		const first = http.request(TO, READ);
		await clock.run(500);
		await over(clock, 3000, Promise.all([first, http.request(TO, READ)]));
		expect(at).toEqual([0, 500, 3000]);
	});

	test('with a refusal is nothing to us', async () => {
		const { http, clock, at } = stage(later(404, '30'), { status: 200 });
		await over(clock, 250, http.request(TO, READ));
		await over(clock, 250, http.request(TO, READ));
		expect(at).toEqual([0, 250]);
	});

	test('of a minute is kept, of a ms more it is told', async () => {
		const { http, clock, at } = stage(later(429, '60'), { status: 200 });
		const first = http.request(TO, CREATE);
		const second = clock.run(0).then(() => http.request(TO, CREATE));
		await over(clock, 60_000, Promise.resolve());
		expect([kindOf(await first), kindOf(await second), at]).toEqual(['ok', 'ok', [0, 60_000, 60_000]]);
		const long = stage(later(429, '60.001'));
		const problem = { kind: 'rate-limited', retryAfterMs: 60_001 };
		const told = { ok: false, error: { problem, acted: 'no' } };
		expect(await long.http.request(TO, CREATE)).toMatchObject(told);
		expect(await long.http.request(TO, CREATE)).toMatchObject(told);
		expect(long.at).toEqual([0]);
	});

	test('of one key does not hold up another', async () => {
		const { http, clock, at } = stage(later(429, '600'), { status: 200 });
		await over(clock, 250, http.request(TO, READ));
		expect((await over(clock, 250, http.request({ ...TO, key: 'another-key' }, READ))).ok).toBe(true);
		expect(at).toEqual([0, 250]);
		expect(kindOf(await http.request(TO, READ))).toBe('rate-limited');
	});

	test('beside the news that the credit is used up holds up nothing: it may be topped up any time', async () => {
		const broke = { ok: false, errors: [{ type: 'about:x', status: 429, title: 'x', error_code: 100050 }] };
		const { http, clock, at } = stage({ ...later(429, '600'), body: JSON.stringify(broke) }, { status: 200 });
		expect(kindOf(await over(clock, 250, http.request(TO, READ)))).toBe('no-credit');
		expect((await over(clock, 250, http.request(TO, READ))).ok).toBe(true);
		expect(at).toEqual([0, 250]);
	});

	test('is not waited for by one that nobody wants any more', async () => {
		const { http, clock, at } = stage(later(429, '30'));
		void http.request(TO, CREATE);
		await clock.run(1000);
		const control = new AbortController();
		const asked = http.request(TO, { ...CREATE, signal: control.signal });
		await clock.run(1000);
		control.abort();
		expect(await asked).toEqual({
			ok: false,
			error: { problem: { kind: 'cancelled' }, acted: 'no', status: 0 },
		});
		expect(at).toEqual([0]);
	});
});

test('one that is cut off while it waits to be tried again says what may have been done', async () => {
	const { http, clock } = stage({ status: 500 });
	const control = new AbortController();
	const asked = http.request(TO, { ...READ, signal: control.signal });
	await clock.run(100);
	control.abort();
	expect(await asked).toEqual({
		ok: false,
		error: { problem: { kind: 'cancelled' }, acted: 'answered', status: 500 },
	});
});

test('one that is cut off under way may have been done; cut off before, it was not', async () => {
	const { http, clock } = stage('hang');
	const control = new AbortController();
	const asked = http.request(TO, { ...READ, signal: control.signal });
	await clock.run(100);
	control.abort();
	const cancelled = { problem: { kind: 'cancelled' }, status: 0 };
	expect(await asked).toEqual({ ok: false, error: { ...cancelled, acted: 'maybe' } });
	expect(await http.request(TO, { ...READ, signal: control.signal })).toEqual({
		ok: false,
		error: { ...cancelled, acted: 'no' },
	});
});

test('a service that failed six times is not asked, and the problem says so', async () => {
	const { http, clock, at } = stage({ status: 500 });
	for (let call = 0; call < 6; call += 1) await over(clock, 250, http.request(TO, CREATE));
	expect(await http.request(TO, CREATE)).toEqual({
		ok: false,
		error: {
			problem: { kind: 'service-failed', status: 503, detail: '', code: 'circuit-open' },
			acted: 'no',
			status: 0,
		},
	});
	expect(at).toHaveLength(6);
});

test('the log has what was asked, which time, and what came of it, without the key', async () => {
	const errors = [{ error_code: 7, detail: 'secret words' }];
	const { http, clock, logged } = stage(coded('ECONNREFUSED'), {
		status: 403,
		body: JSON.stringify({ errors }),
	});
	await over(clock, 2000, http.request(TO, READ));
	expect(logged).toEqual([
		[
			'request tried again',
			{
				what: 'read-session',
				attempt: 1,
				kind: 'service-unreachable',
				status: 0,
				cause: 'ECONNREFUSED',
				delayMs: 300,
			},
		],
		[
			'request failed',
			{ what: 'read-session', attempt: 2, kind: 'forbidden', status: 403, errors: [{ code: '7' }] },
		],
	]);
});

describe('one try', () => {
	const ADDRESS = 'https://api.example.com/x';

	/** A service whose answer, and the end of it, come when the test says so. */
	function stage({ ignoresEnd = false } = {}) {
		const clock = createManualClock();
		clock.advance(700);
		const control = new AbortController();
		const head = Promise.withResolvers<Response>();
		const asked: (readonly [unknown, RequestInit | undefined])[] = [];
		let body: ReadableStreamDefaultController<Uint8Array> | undefined;
		let outcome: TryOutcome | undefined;
		const answer = (status = 200) =>
			head.resolve(
				new Response(
					new ReadableStream({
						start: (to) => {
							body = to;
						},
					}),
					{ status },
				),
			);
		const fetch: typeof globalThis.fetch = (address, init) => {
			asked.push([address, init]);
			if (!ignoresEnd)
				init?.signal?.addEventListener('abort', () => {
					head.reject(init.signal?.reason);
					body?.error(init.signal?.reason);
				});
			return head.promise;
		};
		const begin = () =>
			tryOnce(
				ADDRESS,
				{ method: 'GET' },
				{
					fetch,
					clock,
					firstMs: 10_000,
					overallMs: 15_000,
					signal: control.signal,
					heardHead() {},
				},
			).then((came) => {
				outcome = came;
			});
		return {
			clock,
			control,
			asked,
			head,
			answer,
			begin,
			finish(text: string) {
				body?.enqueue(new TextEncoder().encode(text));
				body?.close();
			},
			async turn() {
				for (let turns = 0; turns < 5; turns += 1) await new Promise((done) => setImmediate(done));
				await settle();
			},
			outcome: () => outcome,
		};
	}

	test('its first byte is waited for 10 s, and not a ms less', async () => {
		const rig = stage();
		void rig.begin();
		await rig.clock.run(9999);
		expect(rig.outcome()).toBeUndefined();
		await rig.clock.run(1);
		expect(rig.outcome()).toEqual({ type: 'late', afterMs: 10_000 });
		expect(rig.clock.pending).toBe(0);
	});

	test('the whole of it 15 s, once it has begun, and not a ms less', async () => {
		const rig = stage();
		void rig.begin();
		rig.answer();
		await rig.clock.run(14_999);
		await rig.turn();
		expect([rig.outcome(), rig.clock.pending]).toEqual([undefined, 1]);
		await rig.clock.run(1);
		await rig.turn();
		expect(rig.outcome()).toEqual({ type: 'late', afterMs: 15_000 });
	});

	test('an answer that comes after its time is late all the same', async () => {
		const rig = stage({ ignoresEnd: true });
		const tried = rig.begin();
		await rig.clock.run(10_000);
		rig.answer();
		await rig.turn();
		rig.finish('{}');
		await tried;
		expect(rig.outcome()).toEqual({ type: 'late', afterMs: 10_000 });
	});

	test('one that nobody wants any more before it leaves is not sent', async () => {
		const rig = stage();
		rig.control.abort();
		await rig.begin();
		expect([rig.outcome(), rig.asked]).toEqual([{ type: 'cancelled', sent: false }, []]);
	});
});

const read = (body: BodyInit | null) => readJsonBody(new Response(body));
const bytes = (...all: readonly number[]) => new Uint8Array(all);
const utf16 = (text: string, mark: readonly number[], swap: boolean) => {
	const coded = Buffer.from(text, 'utf16le');
	return Buffer.concat([Buffer.from(mark), swap ? coded.swap16() : coded]);
};
const json = (value: unknown) => ({ type: 'json', value });
const unreadable = (why: string, text?: string) => ({
	type: 'unreadable',
	why,
	...(text !== undefined && { text }),
});

test.each<[string, BodyInit | null, unknown]>([
	['no body', null, { type: 'none' }],
	['an empty one', '', { type: 'none' }],
	['white space', ' \n\t', { type: 'none' }],
	['white space behind a mark', '\uFEFF ', { type: 'none' }],
	['JSON', ' {"a":[1]} \n', json({ a: [1] })],
	['JSON behind a mark', '\uFEFF{"a":1}', json({ a: 1 })],
	['two marks, of which one is no JSON', '\uFEFF\uFEFF"a"', json('a')],
	['a letter of two bytes', '"é"', json('é')],
	['UTF-16, small end first', utf16('"é"', [0xff, 0xfe], false), json('é')],
	['UTF-16, large end first', utf16('"é"', [0xfe, 0xff], true), json('é')],
	['a letter that is no UTF-8: Latin-1', bytes(0x22, 0xe9, 0x22), json('é')],
	['half a mark: Latin-1', bytes(0x22, 0xff, 0x22), json('ÿ')],
	['the first half of a mark', bytes(0xff, 0x31), unreadable('not JSON', 'ÿ1')],
	['the first half of the other', bytes(0xfe, 0x31), unreadable('not JSON', 'þ1')],
	['the second half of a mark', bytes(0x31, 0xfe), unreadable('not JSON', '1þ')],
	['the second half of the other', bytes(0x31, 0xff), unreadable('not JSON', '1ÿ')],
	['a web page', ' <html>1</html>', { ...unreadable('a web page'), page: '<html>1</html>' }],
	['words', ' one,uno> ', unreadable('not JSON', 'one,uno>')],
	['words that end like a page', 'x <', unreadable('not JSON', 'x <')],
	['lists in lists', `${'['.repeat(33)}${']'.repeat(33)}`, unreadable('nested too deep')],
	['lists without end', `[${'[],'.repeat(50_000)}[]]`, unreadable('too much in it')],
])('%s', async (_, body, reading) => {
	expect(await read(body)).toEqual(reading);
});

test('a mark counts at the beginning only', async () => {
	expect(await read('"a\uFEFFb"')).toEqual(json('a\uFEFFb'));
});

test('a mebibyte is read, and not a byte more: the rest is let go of', async () => {
	const most = 1024 * 1024;
	expect(await read(`"${'a'.repeat(most - 2)}"`)).toEqual(json('a'.repeat(most - 2)));
	let left = false;
	const endless = new ReadableStream<Uint8Array>({
		pull: (to) => to.enqueue(new Uint8Array(65_536).fill(0x31)),
		cancel: () => {
			left = true;
		},
	});
	expect(await read(endless)).toEqual(unreadable('too long'));
	expect(left).toBe(true);
	expect(await read('1'.repeat(most + 1))).toEqual(unreadable('too long'));
});

test('a connection that breaks while it is read is no reading', async () => {
	const broken = new ReadableStream<Uint8Array>({ pull: (to) => to.error(new Error('reset')) });
	await expect(read(broken)).rejects.toThrow('reset');
});

function start() {
	const clock = createManualClock();
	clock.advance(1234);
	return { clock, state: createServiceState(clock) };
}

describe('its time', () => {
	const EARLIEST = 'Wed, 01 Jan 2020 00:00:00 GMT';
	const heard = (headers: Record<string, string>) => {
		const { clock, state } = start();
		state.heardDate(new Headers(headers));
		clock.advance(1000);
		return state.now() - clock.wall();
	};

	test('is this computer’s until it has said one; then its own, half a second later for what it cuts', () => {
		const { clock, state } = start();
		expect(state.now()).toBe(clock.wall());
		state.heardDate(new Headers({ date: EARLIEST }));
		clock.advance(1000);
		expect(state.now()).toBe(Date.parse(EARLIEST) + 1500);
	});

	test.each([{}, { date: '' }, { date: 'Tue, 31 Dec 2019 23:59:59 GMT' }, { date: EARLIEST, age: '1' }])(
		'is not taken from %j',
		(headers) => expect(heard({ ...headers } as Record<string, string>)).toBe(0),
	);

	test('is taken from an answer that has no age', () => {
		expect(heard({ date: EARLIEST, age: '0' })).not.toBe(0);
	});
});

test('its quiet is the longest that was asked for, from when it was asked', () => {
	const { clock, state } = start();
	expect(state.pauseMs('key')).toBe(0);
	state.pauseFor('key', 5000);
	state.pauseFor('key', 2000);
	expect(state.pauseMs('key')).toBe(5000);
	clock.advance(4000);
	state.pauseFor('key', 2000);
	expect(state.pauseMs('key')).toBe(2000);
	clock.advance(3000);
	expect(state.pauseMs('key')).toBe(0);
});

describe('what is tried again', () => {
	/** How many can be paid for. */
	const payable = ({ state }: ReturnType<typeof start>) => {
		let paid = 0;
		while (paid < 100 && state.payRetry()) paid += 1;
		return paid;
	};

	test('is paid for ten times, then once for each answer that is no refusal', () => {
		const rig = start();
		expect(payable(rig)).toBe(10);
		for (const status of [200, 399]) rig.state.heardAnswer(status);
		for (const status of [400, 404, 500]) rig.state.heardAnswer(status);
		expect(payable(rig)).toBe(2);
	});

	test('is not saved up', () => {
		const rig = start();
		for (let count = 0; count < 50; count += 1) rig.state.heardAnswer(200);
		expect(payable(rig)).toBe(10);
	});
});

describe('a service that fails', () => {
	const fail = ({ state }: ReturnType<typeof start>, times: number) => {
		for (let count = 0; count < times; count += 1) state.heardAnswer(count % 2 === 0 ? 500 : 503);
	};

	test('six times in a row is asked once in 30 s, and not a ms earlier', () => {
		const rig = start();
		const { clock, state } = rig;
		fail(rig, 5);
		expect([state.isFailing(), state.mayTry(), state.mayTry()]).toEqual([false, true, true]);
		fail(rig, 1);
		expect([state.isFailing(), state.mayTry()]).toEqual([true, false]);
		clock.advance(29_999);
		expect(state.mayTry()).toBe(false);
		clock.advance(1);
		expect([state.mayTry(), state.mayTry()]).toEqual([true, false]);
	});

	test('is asked at once where it was not asked before', () => {
		const rig = start();
		fail(rig, 6);
		expect([rig.state.mayTry(), rig.state.mayTry()]).toEqual([true, false]);
	});

	test('is well again with one answer that is no failure of its own', () => {
		for (const status of [200, 499]) {
			const rig = start();
			fail(rig, 6);
			rig.state.heardAnswer(status);
			fail(rig, 5);
			expect([rig.state.isFailing(), rig.state.mayTry(), rig.state.mayTry()]).toEqual([false, true, true]);
		}
	});
});
