import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createAppProxy } from './app-proxy.ts';

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
