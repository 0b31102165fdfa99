import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { NOWHERE, type ProxyRoute } from '#shared/settings/proxy.ts';
import { type ConnectProxy, startConnectProxy } from '#test/support/connect-proxy.ts';
import { createFastClock } from '#test/support/fast-clock.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createSocketAgents } from './proxy-agents.ts';

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
