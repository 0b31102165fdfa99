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
const { createOutbound } = await import('./outbound.ts');

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
