import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { NOWHERE, type ProxyRoute } from '#shared/settings/proxy.ts';
import { type ConnectProxy, startConnectProxy } from '#test/support/connect-proxy.ts';
import { createFastClock, createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';
import { startTlsFront } from '#test/support/tls-front.ts';
import { createSocketAgents, namedProxy, proxyAgentOf, takeProxyOf } from './proxy.ts';

describe('proxy', () => {
	const closing: (() => Promise<unknown>)[] = [];
	afterEach(async () => {
		for (const close of closing.splice(0)) await close();
	});

	async function aProxy() {
		const proxy = await startConnectProxy();
		closing.push(() => proxy.close());
		return proxy;
	}

	/** What a program of ours gets from these addresses: one line each, `status` or `failed`. */
	async function fetchInProgram(
		env: Record<string, string>,
		addresses: readonly string[],
	): Promise<string[]> {
		const script = `
		const { takeProxyOf } = await import(${JSON.stringify(join(import.meta.dirname, 'proxy.ts'))});
		console.log(takeProxyOf(process.env));
		for (const address of ${JSON.stringify(addresses)}) {
			await fetch(address).then((it) => console.log(it.status), () => console.log('failed'));
		}`;
		const clean = {
			HTTPS_PROXY: '',
			https_proxy: '',
			HTTP_PROXY: '',
			http_proxy: '',
			NO_PROXY: '',
			no_proxy: '',
		};
		const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
			env: { ...process.env, ...clean, ...env },
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		let output = '';
		child.stdout.on('data', (chunk) => {
			output += chunk;
		});
		await new Promise((done) => child.once('exit', done));
		return output.trim().split('\n');
	}

	test('calls go through HTTPS_PROXY, but not to this computer and not to what NO_PROXY names', async () => {
		const proxy = await aProxy();
		const server = createServer((_request, response) => response.end('here'));
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		closing.push(async () => server.close());
		const { port } = server.address() as AddressInfo;
		const outcome = await fetchInProgram(
			{ HTTPS_PROXY: proxy.address, HTTP_PROXY: proxy.address, NO_PROXY: 'direct.invalid' },
			[
				'https://through.invalid/',
				'https://direct.invalid/',
				`http://127.0.0.1:${port}/`,
				`https://127.0.0.1:${port}/`,
				`https://localhost:${port}/`,
				`https://[::1]:${port}/`,
			],
		);
		expect(outcome).toEqual(['null', 'failed', 'failed', '200', 'failed', 'failed', 'failed']);
		expect(new Set(proxy.asked)).toEqual(new Set(['through.invalid:443']));
	});

	test('past a proxy that cannot be used nothing is sent; that is told, without its password', {
		timeout: 30_000,
	}, async () => {
		const listens = await new Promise<Server>((done) => {
			const server = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1', () => done(server));
		});
		let reached = 0;
		listens.on('connection', () => {
			reached += 1;
		});
		closing.push(async () => listens.close());
		const { port } = listens.address() as AddressInfo;
		// No name of this computer: those never go through a proxy.
		const address = `https://0.0.0.0:${port}/`;
		expect(await fetchInProgram({}, [address])).toEqual(['null', 'failed']);
		expect(reached).toBe(1);
		const [told, outcome] = await fetchInProgram({ HTTPS_PROXY: 'socks5://me:secret@127.0.0.1:1' }, [
			address,
		]);
		expect(told).toMatch(/^HTTPS_PROXY names no http: or https: proxy, so nothing is sent/);
		expect(told).not.toContain('secret');
		expect([outcome, reached]).toEqual(['failed', 1]);
		for (const HTTPS_PROXY of ['http://', 'ftp://x', 'http://me:secret@:80'])
			expect(proxyAgentOf({ HTTPS_PROXY })).toMatchObject({
				options: { proxyEnv: { HTTPS_PROXY: NOWHERE } },
			});
		expect(takeProxyOf({})).toBeNull();
		expect(proxyAgentOf({})).toBeUndefined();
		expect(proxyAgentOf({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' })).toBeUndefined();
	});

	test('a proxy without a scheme is used, whichever variable names it', { timeout: 30_000 }, async () => {
		const proxy = await aProxy();
		const place = new URL(proxy.address).host;
		const named = [{ HTTPS_PROXY: place }, { ALL_PROXY: ` ${place} `, HTTPS_PROXY: ' ' }];
		for (const env of named)
			expect(await fetchInProgram(env, ['https://through.invalid/'])).toEqual(['null', 'failed']);
		expect(proxy.asked).toEqual(named.map(() => 'through.invalid:443'));
	});

	test.each([
		['proxy:3128', 'http://proxy:3128'],
		['proxy', 'http://proxy'],
		['me:secret@proxy:3128', 'http://me:secret@proxy:3128'],
		['http://CORP\\me:p#s/s?%@proxy:3128', 'http://CORP%5Cme:p%23s%2Fs%3F%25@proxy:3128'],
		['http://me:p%40ss@proxy:3128', 'http://me:p%40ss@proxy:3128'],
		['http://me@corp.example:p@ss@proxy:3128', 'http://me%40corp.example:p%40ss@proxy:3128'],
		['https://proxy', 'https://proxy'],
		[' //proxy:80 ', 'http://proxy:80'],
		['HTTP://proxy/', 'http://proxy/'],
		['socks5h://proxy', NOWHERE],
		['http://proxy:99999', NOWHERE],
		['two words', NOWHERE],
	])('%s names %s', (HTTPS_PROXY, address) => {
		expect(namedProxy({ HTTPS_PROXY })).toBe(address);
	});

	test('a socket goes through the proxy with the agent, with its password; loopback and NO_PROXY do not', async () => {
		const proxy = await aProxy();
		const agent = proxyAgentOf({
			https_proxy: proxy.address.replace('//', '//me:secret@'),
			NO_PROXY: '.direct.invalid',
		});
		const { port } = new URL((await aProxy()).address);
		const open = (url: string) =>
			new Promise<string>((done) => {
				const ws = new WebSocket(url, agent ? { agent } : {});
				ws.once('open', () => done('open'));
				ws.once('error', () => done('failed'));
			});
		for (const host of ['through.invalid', 'a.direct.invalid', `127.0.0.1:${port}`, `localhost:${port}`]) {
			expect(await open(`wss://${host}/`)).toBe('failed');
		}
		expect(proxy.asked).toEqual(['through.invalid:443']);
		expect(proxy.credentials).toEqual([`Basic ${Buffer.from('me:secret').toString('base64')}`]);
	});
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

async function aProxy(): Promise<ConnectProxy> {
	const proxy = await startConnectProxy();
	closing.push(() => proxy.close());
	return proxy;
}

const place = (proxy: ConnectProxy) => new URL(proxy.address).host;
const ADDRESS = 'wss://speech.invalid/socket?token=a-key';

/** Tries to open a socket to nobody; the requests at the proxies tell the route it took. */
async function dial(agents: ReturnType<typeof createSocketAgents>, address = ADDRESS): Promise<void> {
	const agent = await agents(address);
	const ws = new WebSocket(address, agent ? { agent } : {});
	await new Promise((done) => ws.once('error', done));
}

test('the environment’s proxy is taken before the system’s, which is not even asked', async () => {
	const proxy = await aProxy();
	let asked = 0;
	const agents = createSocketAgents({
		env: { HTTPS_PROXY: proxy.address },
		clock: createFastClock(1),
		system: async () => {
			asked += 1;
			return 'DIRECT';
		},
	});
	await dial(agents);
	expect([proxy.asked, asked]).toEqual([['speech.invalid:443'], 0]);
	expect(
		await createSocketAgents({ env: { HTTPS_PROXY: 'x', NO_PROXY: '*' }, clock: createFastClock(1) })(
			ADDRESS,
		),
	).toBe(undefined);
});

test('the first of the system’s proxies that can carry a tunnel is used; it is asked for the origin only', async () => {
	const proxy = await aProxy();
	const asked: string[] = [];
	const agents = createSocketAgents({
		env: {},
		clock: createFastClock(1),
		system: async (address) => {
			asked.push(address);
			return `SOCKS5 127.0.0.1:1; PROXY ${place(proxy)}; DIRECT`;
		},
	});
	await dial(agents);
	await dial(agents, 'wss://speech.invalid:8443/other');
	expect(proxy.asked).toEqual(['speech.invalid:443', 'speech.invalid:8443']);
	expect(asked).toEqual(['https://speech.invalid/', 'https://speech.invalid:8443/']);
});

test('the system may change its mind: a computer moves from network to network', async () => {
	const proxy = await aProxy();
	const answers = [`PROXY ${place(proxy)}`, 'DIRECT', `PROXY ${place(proxy)}`];
	const agents = createSocketAgents({
		env: {},
		clock: createFastClock(1),
		system: async () => answers.shift() ?? '',
	});
	const first = await agents(ADDRESS);
	expect(first).toBeDefined();
	expect(await agents(ADDRESS)).toBeUndefined();
	expect(await agents(ADDRESS)).toBe(first);
});

test.each(['DIRECT', 'DIRECT; PROXY 127.0.0.1:1', '', 'PROXY', 'PROXY :::', 'nonsense;;'])(
	'"%s" means no proxy',
	async (answer) => {
		const agents = createSocketAgents({ env: {}, clock: createFastClock(1), system: async () => answer });
		expect(await agents(ADDRESS)).toBeUndefined();
	},
);

test('past a system proxy that cannot carry a tunnel nothing is sent', async () => {
	for (const answer of ['SOCKS 127.0.0.1:1', 'SOCKS5 socks.invalid:1080; nonsense']) {
		const agent = await createSocketAgents({
			env: {},
			clock: createFastClock(1),
			system: async () => answer,
		})(ADDRESS);
		expect(agent).toMatchObject({ options: { proxyEnv: { HTTPS_PROXY: NOWHERE } } });
	}
	const first = { env: {}, clock: createFastClock(1), system: async () => 'SOCKS5 127.0.0.1:1; DIRECT' };
	expect(await createSocketAgents(first)(ADDRESS)).toBeUndefined();
});

test('a system that fails or never answers costs three seconds at most', async () => {
	const failing = createSocketAgents({
		env: {},
		clock: createFastClock(1),
		system: () => Promise.reject(new Error('no script')),
	});
	expect(await failing(ADDRESS)).toBeUndefined();
	const clock = createManualClock();
	let answered: unknown = 'nothing yet';
	void createSocketAgents({ env: {}, clock, system: () => new Promise(() => {}) })(ADDRESS).then((agent) => {
		answered = agent;
	});
	await clock.run(2900);
	expect(answered).toBe('nothing yet');
	await clock.run(200);
	expect(answered).toBeUndefined();
});

test('what is to be done before the first encrypted connection is done once, and for no other', async () => {
	let prepared = 0;
	const agents = createSocketAgents({
		env: {},
		clock: createFastClock(1),
		prepare: () => {
			prepared += 1;
		},
	});
	await agents('ws://127.0.0.1:9/');
	expect(prepared).toBe(0);
	await agents(ADDRESS);
	await agents('https://upload.invalid/');
	expect(prepared).toBe(1);
});

test('unencrypted sockets stay on this computer and ask nobody', async () => {
	const proxy = await aProxy();
	const agents = createSocketAgents({
		env: { HTTPS_PROXY: proxy.address },
		clock: createFastClock(1),
		system: () => Promise.reject(new Error('asked')),
	});
	expect(await agents('ws://127.0.0.1:9/')).toBeUndefined();
	expect(await agents('nonsense')).toBeUndefined();
});

test('the person’s own address goes before the system, and "none" before both; the environment before all', async () => {
	const [own, systems, variables] = [await aProxy(), await aProxy(), await aProxy()];
	let route: ProxyRoute = { by: 'address', address: own.address };
	const parts = {
		clock: createFastClock(1),
		system: async () => `PROXY ${place(systems)}`,
		route: () => route,
	};
	const agents = createSocketAgents({ ...parts, env: {} });
	await dial(agents);
	expect([own.asked.length, systems.asked.length]).toEqual([1, 0]);
	route = { by: 'none' };
	expect(await agents(ADDRESS)).toBeUndefined();
	await dial(createSocketAgents({ ...parts, env: { HTTPS_PROXY: variables.address } }));
	expect([own.asked.length, variables.asked.length]).toEqual([1, 1]);
});

describe('system trust', () => {
	const closing: (() => Promise<unknown>)[] = [];
	afterEach(async () => {
		for (const close of closing.splice(0)) await close();
	});

	/** What a program of ours reports that connects; `env` may name a certificate store, `trust` turns on the system's. */
	async function connectInProgram(
		port: number,
		env: Record<string, string>,
		trust: boolean,
	): Promise<string> {
		const script = `
		import tls from 'node:tls';
		const { trustSystem } = await import(${JSON.stringify(join(import.meta.dirname, 'proxy.ts'))});
		if (${trust}) console.log(trustSystem());
		const socket = tls.connect({ host: 'localhost', port: ${port} });
		socket.once('secureConnect', () => { console.log('trusted'); socket.destroy(); });
		socket.once('error', ({ code }) => console.log(code));`;
		const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
			env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...env },
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		let output = '';
		child.stdout.on('data', (chunk) => {
			output += chunk;
		});
		await new Promise((done) => child.once('close', done));
		return output.trim().replace('\n', ' ');
	}

	test('an authority of the system’s store is trusted once it was asked for, and others no less', async ({
		skip,
	}) => {
		const front =
			process.platform === 'linux' ? await startTlsFront({ browser: false }) : { missing: 'not Linux' };
		if ('missing' in front) {
			notRun('the system’s authorities', front.missing);
			return skip(front.missing);
		}
		closing.push(() => front.close());
		// Here the store of the system is one file.
		const system = { SSL_CERT_FILE: front.authority };
		const [before, after, extra, unknown] = await Promise.all([
			connectInProgram(front.port, system, false),
			connectInProgram(front.port, system, true),
			connectInProgram(front.port, { NODE_EXTRA_CA_CERTS: front.authority }, true),
			connectInProgram(front.port, {}, true),
		]);
		expect([before, after, extra, unknown]).toEqual([
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
			'true trusted',
			'true trusted',
			'true UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		]);
	});
});
