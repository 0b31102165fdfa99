import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { launchApp } from '#stand-in/drive/launch-app.ts';
import { startLive, until } from '#test/support/app-steps.ts';
import { startConnectProxy } from '#test/support/connect-proxy.ts';
import { notRun } from '#test/support/not-run.ts';

/** Long enough for the requests a browser makes to its vendor after starting. */
const WATCHED_MS = 15_000;

test('the window of the stand-in contacts nobody but the service, in 15 s with a conversation', async () => {
	const proxy = await startConnectProxy();
	const sandbox = await startSandbox();
	const { api, key } = sandbox.addresses;
	const app = await launchApp({
		host: 'chromium',
		headless: true,
		args: [`--proxy-server=${proxy.address}`, '--disable-features=SomethingOfTheUsers'],
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		settings: { interfaceLanguage: 'en' },
	});
	try {
		const { page } = app;
		await startLive(page);
		await page.waitForTimeout(WATCHED_MS);
		// The browser's own requests do go through the proxy: this one is heard.
		const browser = await page.context().browser()?.newBrowserCDPSession();
		await browser?.send('Target.createTarget', { url: 'http://canary.invalid/' });
		await until('the canary is heard', () => proxy.asked.includes('http://canary.invalid/'));
		expect(proxy.asked.filter((one) => !one.includes('canary.invalid'))).toEqual([]);
	} finally {
		await app.close();
		await sandbox.close();
		await proxy.close();
	}
}, 120_000);

/** A certificate for `host`, trusted by any program that is given it; null without openssl. */
function certificate(folder: string, host: string): { key: Buffer; cert: Buffer; path: string } | null {
	const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
	const files = ['-keyout', key, '-out', cert];
	const made = spawnSync('openssl', [
		'req',
		'-x509',
		'-newkey',
		'rsa:2048',
		'-nodes',
		'-days',
		'2',
		...subject,
		...files,
	]);
	return made.status === 0 ? { key: readFileSync(key), cert: readFileSync(cert), path: cert } : null;
}

/** The sandbox behind TLS, as a service on the Internet is. */
async function behindTls(
	sandbox: Sandbox,
	tls: { key: Buffer; cert: Buffer },
): Promise<{ port: number; close(): void }> {
	const server = createServer(tls, (incoming, outgoing) => {
		const { method, url = '', headers } = incoming;
		const onward = request(sandbox.addresses.api + url, { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		incoming.pipe(onward);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		port: (server.address() as AddressInfo).port,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

const HOST = 'service.dragoman-test.org';

test('command line, demo and app reach the service through HTTPS_PROXY, and this computer without it', async ({
	skip,
}) => {
	const folder = mkdtempSync(join(tmpdir(), 'proxy-test-'));
	const made = certificate(folder, HOST);
	if (!made) {
		const why = 'there is no openssl to make a certificate with';
		notRun('programs behind a proxy', why);
		return skip(why);
	}
	const sandbox = await startSandbox();
	const tls = await behindTls(sandbox, made);
	const proxy = await startConnectProxy({ [HOST]: tls.port });
	const env = {
		...process.env,
		HTTPS_PROXY: proxy.address,
		HTTP_PROXY: proxy.address,
		NODE_EXTRA_CA_CERTS: made.path,
		DRAGOMAN_API_URL: `https://${HOST}`,
		DRAGOMAN_API_KEY: sandbox.addresses.key,
		DRAGOMAN_USER_DATA: join(folder, 'data'),
		DISPLAY: '',
		TMPDIR: folder,
	};
	const run = (...args: string[]) =>
		new Promise<{ status: number | null; said: string }>((done) => {
			const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
			let said = '';
			child.stdout.on('data', (chunk) => (said += chunk));
			child.stderr.on('data', (chunk) => (said += chunk));
			child.once('exit', (status) => done({ status, said }));
		});
	try {
		const listed = await run('src/main/cli/index.ts', 'sessions', 'list', '--json');
		expect(listed.status, listed.said).toBe(0);
		expect(proxy.asked).toEqual([`${HOST}:443`]);

		// The session is opened by the app; its room on this computer is then refused, as it must be.
		const held = await run('src/demo/main.ts', '--headless', '--out', join(folder, 'out'));
		expect(held.status, held.said).toBe(1);
		expect(held.said).toContain(`Talking to https://${HOST}.`);
		// After the failure the pointer rests on Start, so another session may be prepared by then; it is deleted as well.
		const { created, deleted } = sandbox.counts();
		expect(created).toBeGreaterThan(0);
		expect(deleted).toBe(created);
		expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
	} finally {
		await proxy.close();
		tls.close();
		await sandbox.close();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}, 120_000);
