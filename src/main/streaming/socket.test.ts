import { createHash } from 'node:crypto';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { Clock } from '#shared/lib/clock.ts';
import { holds } from '#test/support/canary.ts';
import { createFastClock, createManualClock } from '#test/support/manual-clock.ts';
import { hostOfNobody } from '#test/support/nobody-there.ts';
import {
	httpAnswer,
	type SocketDouble,
	type SocketDoubleOptions,
	startSocketDouble,
} from '#test/support/socket-double.ts';
import { createSendQueue, createSockets, type Socket, type Sockets } from './socket.ts';
import type { SocketEnd } from './socket-ends.ts';

const KEY = 'plbr_a-secret-key+%&';
const BEARER = `Bearer ${KEY}`;
const IN_QUERY = `?token=${encodeURIComponent(KEY)}`;

let double: SocketDouble;
let held: Socket | null = null;
const logged: string[] = [];
afterEach(async () => {
	await held?.close();
	held = null;
	await double?.close();
	const everything = logged.splice(0).join('\n');
	expect(everything).not.toContain(KEY);
	expect(everything).not.toContain('token');
	expect(everything).not.toContain(createHash('sha1').update(KEY).digest('hex'));
});

let serial = 0;
function socketsWith(
	clock: Clock = createFastClock(1),
	key: string | null = KEY,
	agent: (address: string) => Promise<Agent | undefined> = async () => undefined,
): Sockets {
	const write = (message: string, facts?: object) =>
		void logged.push(`${message} ${JSON.stringify(facts ?? {})}`);
	return createSockets({
		clock,
		log: { error: write, warn: write, info: write, debug: write },
		key: () => key,
		checkAddress: () => null,
		randomHash: () => `hash${serial++}`,
		agent,
	});
}

interface Visit {
	readonly result: Awaited<ReturnType<Sockets['open']>>;
	readonly frames: string[];
	readonly ends: SocketEnd[];
	readonly dropped: number[];
}

async function visit(
	options: SocketDoubleOptions,
	sockets = socketsWith(),
	signal = new AbortController().signal,
): Promise<Visit> {
	double = await startSocketDouble(options);
	return again(sockets, signal);
}

async function again(
	sockets: Sockets,
	signal = new AbortController().signal,
	address = double.address,
): Promise<Visit> {
	const frames: string[] = [];
	const ends: SocketEnd[] = [];
	const dropped: number[] = [];
	const result = await sockets.open(
		{ address },
		{ frame: (text) => frames.push(text), dropped: (ms) => dropped.push(ms), ended: (end) => ends.push(end) },
		signal,
	);
	if (result.ok) held = result.value;
	return { result, frames, ends, dropped };
}

describe('opening', () => {
	test('sends the key in the header, nowhere else, and a fresh hash each time', async () => {
		const sockets = socketsWith();
		expect((await visit({}, sockets)).result.ok).toBe(true);
		await held?.close();
		await again(sockets);
		expect(double.asked.map(({ authorization }) => authorization)).toEqual([BEARER, BEARER]);
		const [first, second] = double.asked.map(({ url }) => url);
		expect(first).toMatch(/^\/hash\d+\/stream$/);
		expect(second).not.toBe(first);
	});

	test.each([401, 403])(
		'refused with %i it asks once more with the key in the query, and remembers that',
		async (status) => {
			const sockets = socketsWith();
			const refuse: SocketDoubleOptions['refuse'] = ({ url }) =>
				url?.includes('token=') ? null : httpAnswer(status);
			expect((await visit({ refuse }, sockets)).result.ok).toBe(true);
			expect(double.asked.map(({ url }) => url.slice(url.indexOf('?')))).toEqual(['m', IN_QUERY]);
			expect(double.asked[1]?.authorization).toBeUndefined();
			await held?.close();
			await again(sockets);
			expect(double.asked).toHaveLength(3);
			expect(double.asked[2]?.url).toContain(IN_QUERY);
		},
	);

	test.each([
		['as text', `no such key: ${KEY}, ${Buffer.from(`:${KEY}`).toString('base64')}`],
		['as JSON', { detail: `no such key: ${KEY}` }],
		['where its words are cut', { detail: `${'x'.repeat(288)} ${KEY} end` }],
	])('a key that the refusal repeats is in no problem (%s), asked either way', async (_, body) => {
		for (const status of [422, 403]) {
			const { result } = await visit({ refuse: () => httpAnswer(status, body) });
			expect(result.ok).toBe(false);
			expect(JSON.stringify(result)).not.toContain('a-secret');
			expect(holds(JSON.stringify(result), KEY)).toBe(false);
			await double.close();
		}
	});

	test.each([
		'wss://streaming.palabra.ai/{hash}/stream',
		'wss://Stream.Palabra.AI./asr',
		'wss://palabra.ai:8443/',
	])('the public service, at %s, is never asked with the key in an address', async (address) => {
		double = await startSocketDouble({ refuse: () => httpAnswer(401) });
		const port = Number(URL.parse(double.address.replaceAll(/[{}]/g, ''))?.port);
		// The double answers in its place: whatever address is named, the connection leads there.
		const agent = new Agent();
		agent.createConnection = () => connect(port, '127.0.0.1');
		const sockets = socketsWith(undefined, KEY, async () => agent);
		const heard = { frame() {}, ended() {}, dropped() {} };
		const opened = await sockets.open({ address }, heard, new AbortController().signal);
		expect(opened).toEqual({ ok: false, error: { kind: 'api-key-rejected', status: 401 } });
		expect(double.asked.map(({ authorization }) => authorization)).toEqual([BEARER]);
	});

	test('the certificate is looked at, whatever the environment wishes', async () => {
		const wished: unknown[] = [];
		const agent = new Agent();
		agent.createConnection = (options) => {
			wished.push('rejectUnauthorized' in options && options.rejectUnauthorized);
			return connect(0, '127.0.0.1');
		};
		const sockets = socketsWith(undefined, KEY, async () => agent);
		const heard = { frame() {}, ended() {}, dropped() {} };
		await sockets.open({ address: 'wss://service.example/' }, heard, new AbortController().signal);
		expect(wished).toEqual([true]);
	});

	test('a key refused both ways is refused, after two tries', async () => {
		const { result } = await visit({ refuse: () => httpAnswer(403) });
		expect(result).toEqual({ ok: false, error: { kind: 'api-key-rejected', status: 403 } });
		expect(double.asked).toHaveLength(2);
	});

	test.each([
		[400, { detail: 'Unknown language' }, { kind: 'task-refused', detail: 'Unknown language' }],
		[402, '', { kind: 'no-credit' }],
		[
			403,
			{ errors: [{ status: 403, error_code: 100050, detail: 'Insufficient balance' }] },
			{ kind: 'no-credit' },
		],
		[403, { detail: 'Insufficient balance' }, { kind: 'no-credit' }],
		[403, { errors: [{ error_code: 100060, detail: 'Used up' }] }, { kind: 'session-limit' }],
		[404, '', { kind: 'not-found' }],
		[409, '', { kind: 'service-failed', status: 409 }],
		[429, '', { kind: 'rate-limited', retryAfterMs: 7000 }],
		[503, '<html>', { kind: 'service-failed', status: 503 }],
		[401, '<html>Sign in</html>', { kind: 'not-the-service', status: 401 }],
		[403, ' <!doctype html><h1>Web Page Blocked</h1>', { kind: 'not-the-service', status: 403 }],
		[511, '', { kind: 'not-the-service', status: 511 }],
		[407, '', { kind: 'proxy-login' }],
	])('an upgrade answered with %i is a problem and is not asked again', async (status, body, problem) => {
		const refuse = () => httpAnswer(status, body, ['Retry-After: 7']);
		const { result } = await visit({ refuse });
		expect(result).toMatchObject({ ok: false, error: problem });
		expect(double.asked).toHaveLength(1);
	});

	test.each([
		[
			"a date by the service's own clock",
			['Date: Sun, 01 Jan 2034 00:00:00 GMT', 'Retry-After: Sun, 01 Jan 2034 00:00:09 GMT'],
			9000,
		],
		[
			'a date in the past',
			['Date: Sun, 01 Jan 2034 00:00:00 GMT', 'Retry-After: Sat, 31 Dec 2033 23:59:59 GMT'],
			0,
		],
		['nothing that can be read', ['Retry-After: soon'], 0],
		['nothing', [], 0],
	])('how long to wait is read from %s', async (_, headers, retryAfterMs) => {
		const { result } = await visit({ refuse: () => httpAnswer(429, '', headers) });
		expect(result).toMatchObject({ ok: false, error: { kind: 'rate-limited', retryAfterMs } });
	});

	test('a redirect is not followed: the key goes to no other host', async () => {
		const other = await startSocketDouble();
		const to = `Location: ${other.address.replace('{hash}', 'x')}`;
		const { result } = await visit({ refuse: () => httpAnswer(302, '', [to]) });
		expect(result).toMatchObject({ ok: false, error: { kind: 'unexpected-answer' } });
		expect(other.asked).toEqual([]);
		await other.close();
	});

	test('a service that never answers the upgrade is given 10 s', async () => {
		const { result } = await visit({ refuse: () => 'hang' }, socketsWith(createFastClock(50)));
		expect(result).toEqual({ ok: false, error: { kind: 'timed-out', what: 'open-socket', afterMs: 10_000 } });
	});

	test('nobody there is a problem with a code and of the address the host alone', async () => {
		const host = await hostOfNobody();
		const { result } = await again(socketsWith(), undefined, `ws://${host}/`);
		expect(result).toEqual({
			ok: false,
			error: { kind: 'service-unreachable', cause: 'ECONNREFUSED', host },
		});
	});

	test('can be cancelled, and then nothing is left', async () => {
		const control = new AbortController();
		const visited = visit({ refuse: () => 'hang' }, socketsWith(), control.signal);
		await expect.poll(() => double?.asked.length).toBe(1);
		control.abort();
		expect((await visited).result).toEqual({ ok: false, error: { kind: 'cancelled' } });
	});

	test('without a key nothing is sent', async () => {
		const { result } = await visit({}, socketsWith(createFastClock(1), null));
		expect(result).toEqual({ ok: false, error: { kind: 'api-key-missing' } });
		expect(double.asked).toEqual([]);
	});

	test.each(['http://127.0.0.1/', 'wss://a.example/?token=x', 'nonsense', 'file:///etc/passwd'])(
		'%s is no address of a socket',
		async (address) => {
			const heard = { frame() {}, dropped() {}, ended() {} };
			const result = await socketsWith().open({ address }, heard, new AbortController().signal);
			expect(result).toMatchObject({ ok: false, error: { kind: 'address-refused' } });
		},
	);

	test('makes at most 20 connections a minute, the next one when the minute is over', async () => {
		const clock = createFastClock(40);
		const sockets = socketsWith(clock);
		const before = clock.now();
		await visit({ refuse: () => httpAnswer(503) }, sockets);
		for (let count = 1; count < 20; count += 1) await again(sockets);
		await again(sockets);
		expect(double.asked).toHaveLength(21);
		expect(clock.now() - before).toBeGreaterThanOrEqual(60_000);
	});
});

test('a key that the service repeats is in no message about an error and in no reason of a close', async () => {
	const { result, frames, ends } = await visit({
		serve(ws) {
			ws.send(JSON.stringify({ message_type: 'error', data: { desc: `bad key ${KEY}`, [KEY]: 1 } }));
			ws.send(JSON.stringify({ message_type: 'transcript', data: { text: `I say ${KEY}` } }));
			ws.close(1008, `bad key ${KEY}`);
		},
	});
	expect(result.ok).toBe(true);
	await expect.poll(() => ends).toHaveLength(1);
	expect(JSON.parse(frames[0] ?? '')).toMatchObject({ data: { desc: 'bad key [redacted]' } });
	// Transcripts of speech are not secret, and are left as they are.
	expect(frames[1]).toContain(KEY);
	expect(holds(`${frames[0]}${JSON.stringify(ends)}`, KEY)).toBe(false);
});

describe('an open socket', () => {
	test('gives text and binary frames as text', async () => {
		const { frames } = await visit({
			serve(ws) {
				ws.send('{"a":1}');
				ws.send(Buffer.from('{"b":2}'), { binary: true });
			},
		});
		await expect.poll(() => frames).toEqual(['{"a":1}', '{"b":2}']);
	});

	test('tells how it was closed', async () => {
		const { ends } = await visit({ serve: (ws) => ws.close(1008, 'too many connections') });
		await expect.poll(() => ends).toEqual([{ by: 'peer', code: 1008, reason: 'too many connections' }]);
	});

	test('a frame of more than 2 MiB ends it', async () => {
		const { ends, frames } = await visit({ serve: (ws) => ws.send('x'.repeat(3_000_000)) });
		await expect.poll(() => ends).toEqual([{ by: 'failure', cause: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' }]);
		expect(frames).toEqual([]);
	});

	test('that answers no ping is given up after 10 s', async () => {
		const clock = createManualClock();
		const { ends } = await visit({ autoPong: false }, socketsWith(clock));
		clock.advance(9999);
		expect(ends).toEqual([]);
		clock.advance(1);
		expect(ends).toEqual([{ by: 'silence' }]);
	});

	test('that fell silent may not have had what it was given since it was last heard', async () => {
		const clock = createManualClock();
		const { result, ends, dropped } = await visit({ autoPong: false }, socketsWith(clock));
		if (!result.ok) throw new Error(result.error.kind);
		for (let at = 0; at < 3; at += 1) result.value.sendAudio('x', 320);
		clock.advance(10_000);
		expect([ends, dropped]).toEqual([[{ by: 'silence' }], [960]]);
	});

	test('that fell silent has had what it was given before it was last heard', async () => {
		const clock = createManualClock();
		const serve = (ws: WebSocket) => void ws.once('message', () => ws.send('{"a":1}'));
		const { result, frames, ends, dropped } = await visit({ autoPong: false, serve }, socketsWith(clock));
		if (!result.ok) throw new Error(result.error.kind);
		result.value.sendAudio('x', 320);
		await expect.poll(() => frames).toHaveLength(1);
		result.value.sendAudio('x', 640);
		clock.advance(10_000);
		expect([ends, dropped]).toEqual([[{ by: 'silence' }], [640]]);
	});

	test('that breaks off may not have had what it was given since it was last heard', async () => {
		const serve = (ws: WebSocket) => void ws.once('message', () => ws.terminate());
		const { result, ends, dropped } = await visit({ autoPong: false, serve });
		if (!result.ok) throw new Error(result.error.kind);
		result.value.sendAudio('x', 320);
		await expect.poll(() => ends).toMatchObject([{ by: 'peer', code: 1006 }]);
		expect(dropped).toEqual([320]);
	});

	test('that is closed has had what it was given, except for what never left', async () => {
		const serve = (ws: WebSocket) => void ws.once('message', () => ws.close(1011));
		const { result, ends, dropped } = await visit({ autoPong: false, serve });
		if (!result.ok) throw new Error(result.error.kind);
		result.value.sendAudio('x', 320);
		await expect.poll(() => ends).toHaveLength(1);
		expect(dropped).toEqual([]);
		await double.close();
		const stuck = await visit({ serve: (ws) => ws.pause() });
		if (!stuck.result.ok) throw new Error(stuck.result.error.kind);
		const { value } = stuck.result;
		// More than the system takes for a peer that does not read.
		value.sendAudio(new Uint8Array(32_000_000), 320);
		value.sendAudio('x', 640);
		for (const ws of double.open) ws.close(1011);
		await expect.poll(() => value.send('x')).toBe(false);
		for (const ws of double.open) ws.terminate();
		await expect.poll(() => stuck.ends).toMatchObject([{ by: 'peer', code: 1011 }]);
		expect(stuck.dropped).toEqual([960]);
	});

	test('says whenever the system has taken a frame, but not after it was closed', async () => {
		double = await startSocketDouble({});
		let drained = 0;
		const heard = { frame() {}, dropped() {}, ended() {}, drained: () => (drained += 1) };
		const result = await socketsWith().open({ address: double.address }, heard, new AbortController().signal);
		if (!result.ok) throw new Error(result.error.kind);
		held = result.value;
		held.sendAudio(new Uint8Array(1000), 320);
		await expect.poll(() => drained).toBe(1);
		expect(held.waitingMs).toBe(0);
		held.sendAudio(new Uint8Array(1000), 320);
		await held.close();
		expect(drained).toBe(1);
	});

	test('tells how long a ping takes there and back, whatever other answers come', async () => {
		const { result } = await visit({
			autoPong: false,
			serve(ws) {
				ws.pong('nobody asked');
				ws.once('ping', (data) => setTimeout(() => ws.pong(data), 50));
			},
		});
		if (!result.ok) throw new Error(result.error.kind);
		const { value } = result;
		expect(value.roundTripMs).toBe(0);
		await expect.poll(() => value.roundTripMs, { timeout: 4000, interval: 5 }).toBeGreaterThanOrEqual(45);
	});

	test('that answers its pings stays', async () => {
		let pings = 0;
		const serve = (ws: WebSocket) => void ws.on('ping', () => (pings += 1));
		// Half a second for an answer: even a busy machine manages that.
		const { ends } = await visit({ serve }, socketsWith(createFastClock(10)));
		await expect.poll(() => pings, { timeout: 4000, interval: 5 }).toBeGreaterThanOrEqual(4);
		expect(ends).toEqual([]);
	});

	test('is closed within 2 s although the other end never finishes', async () => {
		const clock = createManualClock();
		const serve = (ws: WebSocket) => void ws.pause();
		await visit({ serve }, socketsWith(clock));
		let isClosed = false;
		const closing = held?.close().then(() => {
			isClosed = true;
		});
		clock.advance(1999);
		await new Promise((done) => setTimeout(done, 20));
		expect(isClosed).toBe(false);
		clock.advance(1);
		await closing;
	});

	test('ends, and nothing else does, with a frame that its reader does not survive', async () => {
		double = await startSocketDouble({ serve: (ws) => void ws.once('message', () => ws.send('a frame')) });
		const ends: SocketEnd[] = [];
		const frame = () => {
			throw new RangeError('Maximum call stack size exceeded');
		};
		const heard = { frame, dropped() {}, ended: (end: SocketEnd) => ends.push(end) };
		const { signal } = new AbortController();
		const opened = await socketsWith().open({ address: double.address }, heard, signal);
		if (opened.ok) held = opened.value;
		held?.send('now');
		await expect.poll(() => ends).toEqual([{ by: 'failure', cause: 'unreadable' }]);
		expect(held?.send('x')).toBe(false);
	});

	test('hears nothing more after its own close', async () => {
		const { frames, ends } = await visit({
			serve(ws) {
				ws.on('message', () => ws.send('late'));
			},
		});
		// Sent before the close is answered: sound of a connection that is no longer wanted.
		held?.send('now');
		await held?.close();
		await held?.close();
		expect([frames, ends]).toEqual([[], []]);
		expect(held?.send('x')).toBe(false);
	});
});

/** A socket that takes a frame only when told to. */
function stage() {
	const written: string[] = [];
	const leaving: (() => void)[] = [];
	let droppedMs = 0;
	const queue = createSendQueue({
		write(data, left) {
			written.push(String(data));
			leaving.push(left);
		},
		dropped: (ms) => {
			droppedMs += ms;
		},
	});
	return { queue, written, leave: () => leaving.shift()?.(), droppedMs: () => droppedMs };
}

describe('frames on their way out', () => {
	test('go straight to a socket that takes them', () => {
		const { queue, written, leave, droppedMs } = stage();
		for (let count = 0; count < 20; count += 1) {
			queue.offer(`a${count}`, 320);
			leave();
		}
		expect(written).toHaveLength(20);
		expect(droppedMs()).toBe(0);
	});

	test('wait once half a second is on its way, and the oldest sound goes beyond two', () => {
		const { queue, written, droppedMs } = stage();
		for (let count = 0; count < 10; count += 1) queue.offer(`a${count}`, 320);
		expect(written).toEqual(['a0', 'a1']);
		expect(queue.audioMs).toBe(1920);
		expect(droppedMs()).toBe(1280);
	});

	test('leave at once below half a second, and wait from there', () => {
		const rig = stage();
		for (const [name, ms] of [
			['a', 499],
			['b', 1],
			['c', 1],
			['d', 0],
		] as const)
			rig.queue.offer(name, ms);
		expect(rig.written).toEqual(['a', 'b']);
		rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a', 'b', 'c', 'd'], 2]);
	});

	test('of sound two seconds wait and not a ms more: the oldest of what waits goes, and no command', () => {
		const rig = stage();
		const offer = (name: string, ms: number) => rig.queue.offer(name, ms);
		for (const [name, ms] of [
			['a', 500],
			['stay', 0],
			['b', 700],
			['c', 800],
		] as const)
			offer(name, ms);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([2000, 0]);
		offer('d', 1);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([1301, 700]);
		offer('e', 1400);
		expect([rig.queue.audioMs, rig.droppedMs()]).toEqual([1901, 1500]);
		for (let count = 0; count < 3; count += 1) rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a', 'stay', 'd', 'e'], 1400]);
	});

	test('with nothing left to drop there is no end without one', () => {
		const rig = stage();
		rig.queue.offer('a', 3000);
		rig.queue.offer('b', 1);
		expect([rig.written, rig.queue.audioMs, rig.droppedMs()]).toEqual([['a'], 3000, 1]);
	});

	test('of commands 256 wait; sound has a place all the same', () => {
		const rig = stage();
		rig.queue.offer('a', 500);
		const taken = Array.from({ length: 257 }, (_, at) => rig.queue.offer(`c${at}`, 0));
		expect(taken.filter(Boolean)).toHaveLength(256);
		expect(taken.at(-1)).toBe(false);
		expect(rig.queue.offer('b', 1)).toBe(true);
	});

	test('are forgotten when it is cleared; what was given is still on its way', () => {
		const rig = stage();
		rig.queue.offer('a', 500);
		rig.queue.offer('b', 100);
		rig.queue.clear();
		expect(rig.queue.audioMs).toBe(500);
		rig.leave();
		expect([rig.written, rig.queue.audioMs]).toEqual([['a'], 0]);
	});

	test('commands are never dropped and keep their place', () => {
		const { queue, written, leave } = stage();
		for (let count = 0; count < 4; count += 1) queue.offer(`a${count}`, 320);
		queue.offer('end', 0);
		for (let count = 4; count < 20; count += 1) queue.offer(`a${count}`, 320);
		for (let count = 0; count < 30; count += 1) leave();
		expect(written.filter((frame) => frame === 'end')).toHaveLength(1);
		expect(written.indexOf('end')).toBeLessThan(written.indexOf('a19'));
	});

	test('a socket that never takes anything holds no more than two seconds and 256 commands', () => {
		const seldom = fc.nat(9).map((number) => number === 0);
		const moves = fc.array(fc.record({ audio: fc.boolean(), leave: seldom }), {
			minLength: 600,
			maxLength: 900,
		});
		fc.assert(
			fc.property(moves, (list) => {
				const { queue, leave, droppedMs } = stage();
				let offeredMs = 0;
				for (const move of list) {
					queue.offer('x', move.audio ? 100 : 0);
					offeredMs += move.audio ? 100 : 0;
					if (move.leave) leave();
					expect(queue.audioMs).toBeLessThanOrEqual(2000);
				}
				expect(droppedMs()).toBeLessThanOrEqual(offeredMs);
			}),
			{ numRuns: 30 },
		);
	});
});
