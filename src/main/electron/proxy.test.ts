import { expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

const shell = vi.hoisted(() => ({ fetch: async (_: unknown): Promise<Response> => new Response() }));
vi.mock('electron', () => {
	const session = {
		setProxy: async () => {},
		closeAllConnections: async () => {},
		resolveProxy: async () => 'DIRECT',
		fetch: (input: unknown) => shell.fetch(input),
	};
	return { session: { fromPartition: () => session, defaultSession: session } };
});
const { createAppProxy, createOutbound } = await import('./proxy.ts');

const { fetch } = createOutbound({
	settings: { values: () => defaultSettings, listen: () => () => {} },
	env: {},
	clock: createManualClock(),
	log: silentLogger,
});

test('a redirect, which Electron gives as an error, is an answer; other errors stay errors', async () => {
	shell.fetch = async () => {
		throw new Error('Redirect was cancelled');
	};
	expect((await fetch(new URL('https://api.example.com/'))).status).toBe(302);
	shell.fetch = async () => {
		throw new Error('net::ERR_CONNECTION_REFUSED');
	};
	await expect(fetch('https://api.example.com/')).rejects.toThrow('ERR_CONNECTION_REFUSED');
});

test('sockets go through the proxy of the settings', async () => {
	const agentWith = (values: Partial<Settings>) =>
		createOutbound({
			settings: { values: () => ({ ...defaultSettings, ...values }), listen: () => () => {} },
			env: {},
			clock: createManualClock(),
			log: silentLogger,
		}).agent('wss://speech.example.com/');
	expect(await agentWith({ proxy: 'none' })).toBeUndefined();
	expect(await agentWith({ proxy: 'address', proxyAddress: 'proxy.example.com:3128' })).toBeDefined();
});

function rig(env: NodeJS.ProcessEnv = {}, fails = false) {
	const did: unknown[] = [];
	const session = {
		async setProxy(config: object) {
			if (fails) throw new Error('no');
			did.push(config);
		},
		async closeAllConnections() {
			did.push('closed');
		},
	};
	return { did, proxy: createAppProxy([session], env, silentLogger) };
}

test('the system is left alone until something else is wished', async () => {
	const { did, proxy } = rig();
	await proxy.follow({ proxy: 'system', proxyAddress: '' });
	expect(did).toEqual([]);
	await proxy.follow({ proxy: 'address', proxyAddress: 'proxy:3128' });
	expect(did).toEqual([
		{ mode: 'fixed_servers', proxyRules: 'http://proxy:3128', proxyBypassRules: '<local>' },
		'closed',
	]);
	await proxy.follow({ proxy: 'none', proxyAddress: 'proxy:3128' });
	await proxy.follow({ proxy: 'system', proxyAddress: 'proxy:3128' });
	expect(did.slice(2)).toEqual([{ mode: 'direct' }, 'closed', { mode: 'system' }, 'closed']);
});

test('a proxy of the environment goes before the setting', async () => {
	const { did, proxy } = rig({ HTTPS_PROXY: 'http://other:1' });
	await proxy.follow({ proxy: 'none', proxyAddress: '' });
	expect([did, proxy.route()]).toEqual([[], { by: 'system' }]);
});

test('what could not be carried out in one session is in the other, and is tried again with the next settings', async () => {
	const did: string[] = [];
	let fails = true;
	const session = (name: string) => ({
		async setProxy() {
			if (fails && name === 'first') throw new Error('no');
			did.push(name);
		},
		closeAllConnections: async () => {},
	});
	const proxy = createAppProxy([session('first'), session('second')], {}, silentLogger);
	const none = { proxy: 'none', proxyAddress: '' } as const;
	await proxy.follow(none);
	expect(did).toEqual(['second']);
	fails = false;
	await proxy.follow(none);
	expect(did).toEqual(['second', 'first', 'second']);
	await proxy.follow(none);
	expect(did).toHaveLength(3);
});

test('one failure does not keep the next wish from being followed', async () => {
	const { proxy } = rig({}, true);
	await proxy.follow({ proxy: 'none', proxyAddress: '' });
	expect(proxy.route()).toEqual({ by: 'none' });
});
