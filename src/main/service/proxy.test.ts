import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startConnectProxy } from '#test/support/connect-proxy.ts';
import { proxyAgentOf, takeProxyOf } from './proxy.ts';

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
async function fetchInProgram(env: Record<string, string>, addresses: readonly string[]): Promise<string[]> {
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

test('an address that is no proxy is told, without its password, and not used', () => {
	for (const HTTPS_PROXY of ['nonsense', 'socks5://me:secret@127.0.0.1:1']) {
		expect(takeProxyOf({ HTTPS_PROXY })).toMatch(/^HTTPS_PROXY names no/);
		expect(takeProxyOf({ HTTPS_PROXY })).not.toContain('secret');
		expect(proxyAgentOf({ HTTPS_PROXY })).toBeUndefined();
	}
	expect(takeProxyOf({})).toBeNull();
	expect(proxyAgentOf({})).toBeUndefined();
	expect(proxyAgentOf({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' })).toBeUndefined();
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
