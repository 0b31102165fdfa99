import { createHash } from 'node:crypto';
import type { RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import words from '#shared/i18n/guest-page.json' with { type: 'json' };
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import { VOICE_BLOCK } from '#shared/sound/voice-block.ts';
import { askAsGuest, type GuestAnswer } from '#test/support/guest-client.ts';
import { createManualClock, type ManualClock } from '#test/support/manual-clock.ts';
import { GUEST_LIMITS, type GuestServer, openGuestServer } from './guest-server.ts';
import type { GuestFrame } from './guests.ts';

let clock: ManualClock;
let server: GuestServer;
let address: string;
let changes = 0;
let joined = 0;
const sockets = new Set<Socket>();

beforeEach(async () => {
	clock = createManualClock();
	changes = 0;
	joined = 0;
	server = await openGuestServer({
		clock,
		changed() {
			changes += 1;
		},
	});
	address = server.address('127.0.0.1');
});
afterEach(async () => {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
	await end();
});

/** Also connections that nobody ends. */
async function end(): Promise<void> {
	const ended = server.close();
	clock.advance(1000);
	await ended;
	expect(clock.pending).toBe(0);
}

/** Joins, as another guest each time unless `id` says who. */
function join(localAddress = '127.0.0.1', id = `guest${joined}`): Promise<GuestAnswer> {
	joined += 1;
	return askAsGuest(`${address}captions/${id}`, { localAddress });
}

/** An address of this computer for the connection of this number: as many from each as are allowed. */
const fromAddress = (n: number) => `127.0.0.${1 + Math.floor(n / GUEST_LIMITS.connectionsOfOne)}`;
const port = () => Number(new URL(address).port);

/** A browser's request for the captions. */
function wish(): string {
	return `GET ${new URL(address).pathname}captions/raw HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`;
}

function frame(text: string): GuestFrame {
	return { part: 0, rows: [{ key: 1, pieces: [{ kind: 'source', language: 'en', text, final: true }] }] };
}

/** A connection whose other end reads nothing unless told to. */
function open(localAddress = '127.0.0.1', to = server): Promise<Socket> {
	return new Promise((done, fail) => {
		const at = Number(new URL(to.address('x')).port);
		const socket = connect({ port: at, host: '127.0.0.1', localAddress }, () => done(socket));
		sockets.add(socket);
		socket.on('error', fail);
		socket.pause();
	});
}

const openMany = (length: number) => Promise.all(Array.from({ length }, (_, n) => open(fromAddress(n))));

/** The page's status; 0 = no answer. */
const again = () =>
	askAsGuest(address).then(
		({ status }) => status,
		() => 0,
	);

const closed = (socket: Socket) => new Promise<void>((done) => socket.resume().once('close', () => done()));

test('the page is one answer whose policy allows its own script and style and nothing else', async () => {
	const page = await askAsGuest(address);
	await page.gone;
	expect(page.status).toBe(200);
	expect(page.headers).toMatchObject({
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
	});
	const hashOf = (tag: string) => {
		const [, text = ''] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page.text()) ?? [];
		expect(text).not.toBe('');
		return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
	};
	expect(page.headers['content-security-policy']).toBe(
		`default-src 'none'; connect-src 'self'; script-src ${hashOf('script')}; style-src ${hashOf('style')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
	);
	expect(page.text().match(/<script/g)).toHaveLength(1);
	expect(page.text()).not.toMatch(/ (src|href|style|on\w+)=/);
	// In Arabic, too, the sign stands behind the letter.
	expect(page.text().match(/ dir="ltr">A[−+]</g)).toHaveLength(2);
});

test('its words are in every language of the interface', () => {
	expect(Object.keys(words).sort()).toEqual([...interfaceLanguages].sort());
	for (const own of Object.values(words)) {
		expect(Object.keys(own)).toEqual(Object.keys(words.en));
		expect(Object.values(own).every((text) => text.trim() !== '')).toBe(true);
	}
});

test('guests learn whether a conversation runs, also those who come later', async () => {
	const one = await join();
	server.live(true);
	const two = await join();
	server.live(true);
	server.live(false);
	const told = (guest: GuestAnswer) =>
		[...guest.text().matchAll(/^event: live\ndata: (.*)$/gm)].map(([, is]) => is);
	await expect.poll(() => told(one)).toEqual(['no', 'yes', 'no']);
	await expect.poll(() => told(two)).toEqual(['yes', 'no']);
});

const listen = (id: string, language: string, localAddress = '127.0.0.1') =>
	askAsGuest(`${address}voice/${id}/${language}`, { localAddress });
const block = (n: number) => new Uint8Array(VOICE_BLOCK.bytes).fill(n);

test('guests learn which languages are spoken, also those who come later', async () => {
	const one = await join();
	server.voices(['de', 'zh-Hans']);
	server.voices(['de', 'zh-Hans']);
	const two = await join();
	server.voices([]);
	const told = (guest: GuestAnswer) =>
		[...guest.text().matchAll(/^event: voices\ndata: (.*)$/gm)].map(([, which = '']): unknown =>
			JSON.parse(which),
		);
	await expect.poll(() => told(one)).toEqual([[], ['de', 'zh-Hans'], []]);
	await expect.poll(() => told(two)).toEqual([['de', 'zh-Hans'], []]);
});

test('all who listen in a language get the same blocks, others get theirs', async () => {
	for (const id of ['a', 'b', 'c']) await join('127.0.0.1', id);
	const [one, two, other] = await Promise.all([listen('a', 'de'), listen('b', 'de'), listen('c', 'zh-Hans')]);
	expect(one.headers).toMatchObject({
		'content-type': 'application/octet-stream',
		'cache-control': 'no-store',
	});
	expect([...server.listening()].sort()).toEqual(['de', 'zh-Hans']);
	for (const [language, n] of [
		['de', 1],
		['zh-Hans', 2],
		['fr', 3],
		['de', 4],
	] as const)
		server.speak(language, block(n));
	const heard = Buffer.concat([block(1), block(4)]);
	await expect.poll(() => one.sound()).toEqual(heard);
	await expect.poll(() => two.sound()).toEqual(heard);
	await expect.poll(() => other.sound()).toEqual(Buffer.from(block(2)));
});

test('a guest hears one voice at a time, and none after leaving', async () => {
	const reader = await join('127.0.0.1', 'a');
	const before = changes;
	const first = await listen('a', 'de');
	expect([server.listening(), changes]).toEqual([['de'], before + 1]);
	const second = await listen('a', 'fr');
	await first.gone;
	expect(server.listening()).toEqual(['fr']);
	const told = changes;
	second.leave();
	await expect.poll(() => [server.listening(), changes]).toEqual([[], told + 1]);
	const third = await listen('a', 'de');
	reader.leave();
	await third.gone;
	expect([server.listening(), server.count()]).toEqual([[], 0]);
});

test('every guest may listen, and who does not read along may not', async () => {
	const ids = Array.from({ length: GUEST_LIMITS.guests }, (_, n) => `g${n}`);
	// The voices come from other addresses: each may have so many connections.
	for (const [n, id] of ids.entries()) await join(fromAddress(n), id);
	const all = await Promise.all(ids.map((id, n) => listen(id, 'de', `127.0.1.${1 + Math.floor(n / 20)}`)));
	const more = await join('127.0.0.99', 'more');
	await more.gone;
	for (const id of ['more', 'nobody']) expect((await listen(id, 'de', '127.0.0.99')).status).toBe(404);
	server.speak('de', block(7));
	for (const one of all) await expect.poll(() => one.sound()).toEqual(Buffer.from(block(7)));
});

test('for a guest who is too slow blocks are left out, for others none is', async () => {
	for (const id of ['a', 'b']) await join('127.0.0.1', id);
	const reader = await listen('a', 'de');
	const slow = await open();
	slow.write(`GET ${new URL(address).pathname}voice/b/de HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`);
	// Both: the system's own buffers of a connection hold some megabytes.
	await expect.poll(() => server.count()).toBe(2);
	const sent = 30_000;
	for (let n = 0; n < sent; n += 1) {
		server.speak('de', block(n % 250));
		if (n % 10 === 0) await new Promise(setImmediate);
	}
	await expect.poll(() => reader.sound().length, { timeout: 10_000 }).toBe(sent * VOICE_BLOCK.bytes);
	let got = 0;
	slow.on('data', (more: Buffer) => {
		got += more.length;
	});
	slow.resume();
	await expect.poll(() => got, { timeout: 10_000 }).toBeGreaterThan(VOICE_BLOCK.bytes);
	await new Promise((done) => setTimeout(done, 300));
	expect(got).toBeLessThan(sent * VOICE_BLOCK.bytes);
	// Its line is free again.
	const before = got;
	server.speak('de', block(1));
	await expect.poll(() => got).toBeGreaterThan(before + VOICE_BLOCK.bytes - 1);
}, 30_000);

test('anything but the paths below the token is 404, without a word', async () => {
	const { origin, pathname } = new URL(address);
	const token = pathname.slice(1, -1);
	expect(Buffer.from(token, 'base64url')).toHaveLength(16);
	const other = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
	const paths = [
		...['/', '//', '/favicon.ico', '/captions/a', '/__proto__/', `/${other}/`, `/${other}/captions/a`],
		...[`/${token}`, `/${token}x/`, `/${token}/x`, `/${token}/?x`],
		...['', '/', '/A', '/a/', '/a?x', 'a', `/${'a'.repeat(25)}`].map((id) => `/${token}/captions${id}`),
		// Nobody of this name reads along, and these are no languages.
		...['', '/', '/a', '/a/', '/a/de', '/a/d', '/a/de-DE', '/a/de/x'].map((rest) => `/${token}/voice${rest}`),
		...[`/${token}/../${token}/`, `/${token.slice(1)}/`, `//${token}/`, `/${token.toUpperCase()}X/`],
		`/${encodeURIComponent('/')}${token}/`,
	];
	const hosts = [
		...['example.com', `localhost:${port()}`, '127.0.0.1', `127.0.0.1:${port() + 1}`],
		...[`evil.127.0.0.1:${port()}`, `999.0.0.1:${port()}`, `[::1]:${port()}`, `127.0.0.1:${port()}@x`],
	];
	const questions: (readonly [string, RequestOptions])[] = [
		// The path as it is: an address would be tidied first.
		...paths.map((path) => [origin, { path }] as const),
		...['POST', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'].map((method) => [address, { method }] as const),
		...hosts.map((host) => [address, { headers: { host } }] as const),
		...hosts.map((host) => [`${address}captions/a`, { headers: { host } }] as const),
		...['100-continue', 'more'].map((more) => [origin, { headers: { expect: more } }] as const),
	];
	for (const [to, options] of questions) {
		const answer = await askAsGuest(to, options);
		await answer.gone;
		expect([answer.status, answer.text()]).toEqual([404, '']);
		expect(Object.keys(answer.headers).sort()).toEqual(['connection', 'content-length', 'date']);
	}
	expect([server.count(), changes]).toEqual([0, 0]);
});

test('a request that names no host is 404, without a word', async () => {
	const raw = await open();
	let got = '';
	raw.on('data', (more) => {
		got += String(more);
	});
	raw.write(`GET ${new URL(address).pathname} HTTP/1.1\r\n\r\n`);
	await closed(raw);
	expect(got).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\n\r\n$/);
	expect(got).toContain('Content-Length: 0');
});

test('a token is new each time', async () => {
	const second = await openGuestServer({ clock, changed() {} });
	expect(new URL(second.address('x')).pathname).not.toBe(new URL(address).pathname);
	await second.close();
});

test('a guest has the newest captions at once and each that follows; coming and going is counted', async () => {
	server.show(frame('before'));
	const guest = await join();
	expect(guest.headers['content-type']).toBe('text/event-stream; charset=utf-8');
	await expect.poll(() => guest.frames()).toEqual([frame('before')]);
	expect([server.count(), changes]).toEqual([1, 1]);
	const more = [frame('one\r\n\r\ndata: forged'), frame('two')];
	for (const one of more) {
		clock.advance(200);
		server.show(one);
	}
	await expect.poll(() => guest.frames()).toEqual([frame('before'), ...more]);
	guest.leave();
	await expect.poll(() => [server.count(), changes]).toEqual([0, 2]);
	server.show(frame('to nobody'));
});

test('a line over which nothing is said is kept open', async () => {
	const guest = await join();
	clock.advance(14_999);
	server.show(frame('x'));
	await expect.poll(() => guest.frames()).toHaveLength(2);
	expect(guest.text()).not.toContain('event: here');
	clock.advance(1);
	await expect.poll(() => guest.text()).toMatch(/\n\nevent: here\ndata:\n\n$/);
});

test('captions are handed out at once, then at most every 200 ms and the newest only; what is the same is not', async () => {
	const guest = await join();
	const seen = () => guest.frames().slice(1);
	server.show(frame('one'));
	server.show(frame('one'));
	await expect.poll(seen).toEqual([frame('one')]);
	server.show(frame('two'));
	server.show(frame('three'));
	// A guest who joins now gets the same captions as the others, and the following ones.
	const late = await join();
	await expect.poll(() => late.frames()).toEqual([frame('one')]);
	clock.advance(199);
	server.show(frame('four'));
	clock.advance(1);
	await expect.poll(seen).toEqual([frame('one'), frame('four')]);
	await expect.poll(() => late.frames()).toEqual([frame('one'), frame('four')]);
	server.show(frame('four'));
	server.show(frame('five'));
	server.show(frame('four'));
	clock.advance(1000);
	server.show(frame('six'));
	await expect.poll(seen).toEqual([frame('one'), frame('four'), frame('six')]);
});

test('that the captions were cleared is told at once, whatever follows', async () => {
	const guest = await join();
	const frames = [frame('one'), { part: 1, rows: [] }, frame('two')];
	for (const one of frames) server.show(one);
	clock.advance(200);
	await expect.poll(() => guest.frames().slice(1)).toEqual(frames);
});

test('as many guests as are allowed read along, and one more only when one has left', async () => {
	const guests: GuestAnswer[] = [];
	for (let n = 0; n < GUEST_LIMITS.guests; n += 1) guests.push(await join(fromAddress(n), `g${n}`));
	for (const guest of guests) await expect.poll(() => guest.frames()).toHaveLength(1);
	const more = await join('127.0.0.99');
	await more.gone;
	expect([more.status, more.text()]).toEqual([200, 'event: full\ndata: full\n\n']);
	// One of them comes back, and takes nobody's place.
	const back = await join('127.0.0.99', 'g0');
	await expect.poll(() => back.frames()).toHaveLength(1);
	expect([server.count(), changes]).toEqual([GUEST_LIMITS.guests, GUEST_LIMITS.guests]);
	back.leave();
	await expect.poll(() => server.count()).toBe(GUEST_LIMITS.guests - 1);
	const next = await join();
	await expect.poll(() => next.frames()).toHaveLength(1);
});

test('a phone that comes back is the same guest, and its former connection is ended', async () => {
	const former = await join('127.0.0.1', 'phone');
	const other = await join();
	const back = await join('127.0.0.1', 'phone');
	await former.gone;
	expect([server.count(), changes]).toEqual([2, 2]);
	server.show(frame('here'));
	for (const one of [other, back]) await expect.poll(() => one.frames().at(-1)).toEqual(frame('here'));
	back.leave();
	await expect.poll(() => [server.count(), changes]).toEqual([1, 3]);
});

test('as many connections as are allowed are taken, and one more is closed', async () => {
	const all = await openMany(GUEST_LIMITS.connections);
	await closed(await open('127.0.0.99'));
	expect(all.filter(({ destroyed }) => destroyed)).toEqual([]);
	all[0]?.destroy();
	await expect.poll(again).toBe(200);
});

test('from one address as many connections are taken as are allowed, one more is closed, others come in', async () => {
	const all = await openMany(GUEST_LIMITS.connectionsOfOne);
	await closed(await open());
	expect(all.filter(({ destroyed }) => destroyed)).toEqual([]);
	expect((await join('127.0.0.2')).status).toBe(200);
	all[0]?.destroy();
	await expect.poll(again).toBe(200);
});

test('cuts off a request that is not complete in time, but not a guest who reads along', async () => {
	const hasty = await openGuestServer({ clock, changed() {}, requestMs: 200 });
	const guest = await askAsGuest(`${hasty.address('127.0.0.1')}captions/a`);
	const idle = await open('127.0.0.1', hasty);
	const slow = await open('127.0.0.1', hasty);
	slow.write(`GET ${new URL(address).pathname} HTTP/1.1\r\n`);
	await Promise.all([closed(idle), closed(slow)]);
	hasty.show(frame('still here'));
	await expect.poll(() => guest.frames().at(-1)).toEqual(frame('still here'));
	await hasty.close();
}, 8000);

test('requests in a row on one connection end it, and leave nobody behind', async () => {
	const rude = await open();
	rude.write(wish() + wish());
	await closed(rude);
	await expect.poll(() => server.count()).toBe(0);
	expect((await join()).status).toBe(200);
	expect(server.count()).toBe(1);
});

test('a request with more headers than are allowed has no answer', async () => {
	const long = (length: number) => askAsGuest(address, { headers: { 'x-long': 'x'.repeat(length) } });
	expect((await long(GUEST_LIMITS.headerBytes - 500)).status).toBe(200);
	await expect(long(GUEST_LIMITS.headerBytes + 1)).rejects.toThrow();
	await expect(askAsGuest(`${address}${'x'.repeat(GUEST_LIMITS.headerBytes + 1)}`)).rejects.toThrow();
});

test('a guest that does not read is dropped, one that reads is not', async () => {
	const reader = await join();
	const slow = await open();
	slow.write(wish());
	await expect.poll(() => server.count()).toBe(2);
	// The system's own buffers of a connection add some megabytes to our limit.
	const text = 'x'.repeat(GUEST_LIMITS.waitingBytes);
	let sent = 0;
	for (; server.count() === 2 && sent < 200; sent += 1) {
		clock.advance(200);
		server.show(frame(`${sent} ${text}`));
		const length = (sent + 1) * text.length;
		await expect.poll(() => reader.text().length, { interval: 5 }).toBeGreaterThan(length);
	}
	expect(server.count()).toBe(1);
	clock.advance(200);
	server.show(frame('the end'));
	await expect.poll(() => reader.frames().at(-1)).toEqual(frame('the end'));
}, 30_000);

test('at its end the guests are told, and nothing listens any more', async () => {
	const guest = await join('127.0.0.1', 'a');
	const listener = await listen('a', 'de');
	changes = 1;
	await server.close();
	await guest.gone;
	await listener.gone;
	expect(server.listening()).toEqual([]);
	expect(guest.text()).toMatch(/\n\nevent: over\ndata: over\n\n$/);
	expect([server.count(), changes, clock.pending]).toEqual([0, 1, 0]);
	await expect(join()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('sends waiting captions before the announcement that sharing is over', async () => {
	const guest = await join();
	server.show(frame('one'));
	server.show(frame('two'));
	await server.close();
	await guest.gone;
	expect(guest.frames().slice(1)).toEqual([frame('one'), frame('two')]);
	expect(guest.text()).toMatch(/\n\nevent: over\ndata: over\n\n$/);
});

test('whoever asks while it ends is not let in', async () => {
	const late = await open();
	// By now the connection before it has been accepted, too.
	const guest = await join();
	const ended = server.close();
	let got = '';
	late.on('data', (more) => {
		got += String(more);
	});
	late.write(wish());
	await closed(late);
	expect([got, server.count()]).toEqual(['', 0]);
	await Promise.all([ended, guest.gone]);
});

test('an open connection does not delay the end', async () => {
	const idle = await open();
	const slow = await open();
	slow.write(`GET ${new URL(address).pathname}captions/slow HTTP/1.1\r\n`);
	const gone = Promise.all([closed(idle), closed(slow)]);
	await expect(join().then(({ status }) => status)).resolves.toBe(200);
	await end();
	await gone;
});
