import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { modelById, neededFor } from '#shared/models/manifest.ts';
import { nobodyThere } from '#test/support/nobody-there.ts';
import { notRun } from '#test/support/not-run.ts';
import { checkService, localService } from './service.ts';

const servers: Server[] = [];
afterEach(async () => {
	for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
});

/** Answers as the service does and writes down who asked; a key that arrives here has leaked. */
async function canary(host: string, answer: { status: number; location?: string } = { status: 200 }) {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(`${request.url} ${request.headers.authorization ?? ''}`);
		response.writeHead(answer.status, {
			'content-type': 'application/json',
			connection: 'close',
			...(answer.location ? { location: answer.location } : {}),
		});
		response.end('{"ok":true,"data":{"sessions":[],"next_page_token":""}}');
	});
	servers.push(server);
	await new Promise<void>((done) => server.listen(0, host, done));
	return { asked, url: `http://${host}:${(server.address() as AddressInfo).port}` };
}

const foreign = Object.values(networkInterfaces())
	.flat()
	.find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test.skipIf(!foreign && notRun('a key over plain http', 'this computer has no address but loopback'))(
	'a key is never sent unencrypted to another host, and the address given is named',
	async () => {
		const { asked, url } = await canary(foreign ?? '');
		// The canary is alive and would be believed.
		expect((await fetch(url)).status).toBe(200);
		asked.length = 0;
		const outcome = await checkService({ DRAGOMAN_API_URL: `${url}/`, DRAGOMAN_API_KEY: 'secret-key' });
		expect(outcome).toEqual({ status: 2, words: expect.stringContaining(url) });
		expect(asked).toEqual([]);
	},
);

test.each([
	'http://service.example.org',
	'http://127.0.0.1.example.org',
	'ftp://127.0.0.1/',
	'https://user:pass@service.example.org',
	'https://service.example.org/?key=1',
	'no address',
])('%s is refused before any call, and no password is repeated', async (address) => {
	const outcome = await checkService({ DRAGOMAN_API_URL: address, DRAGOMAN_API_KEY: 'secret-key' });
	expect(outcome).toMatchObject({ status: 2 });
	expect(JSON.stringify(outcome)).not.toMatch(/pass@|secret-key/);
});

test('a redirect is not followed: the key stays with the host that was named', async () => {
	const other = await canary('127.0.0.1');
	const first = await canary('127.0.0.1', { status: 307, location: `${other.url}/caught` });
	const outcome = await checkService({ DRAGOMAN_API_URL: first.url, DRAGOMAN_API_KEY: 'secret-key' });
	expect(outcome).toMatchObject({ status: 6 });
	expect(first.asked).toHaveLength(1);
	expect(other.asked).toEqual([]);
});

test('the service that is named is asked once; a wrong key, a missing key and nobody there each have their status', async () => {
	const sandbox = await startSandbox();
	const { api, key } = sandbox.addresses;
	try {
		expect(await checkService({ DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key })).toMatchObject({
			kind: 'service',
			api,
		});
		expect(sandbox.counts()).toMatchObject({ created: 0, requests: 1 });
		const wrong = await checkService({ DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: 'wrong' });
		expect(wrong).toEqual({ status: 3, words: `${api} refuses the key (401).` });
		expect(await checkService({ DRAGOMAN_API_URL: api })).toMatchObject({ status: 3 });
	} finally {
		await sandbox.close();
	}
	const nobody = await nobodyThere();
	const gone = await checkService({ DRAGOMAN_API_URL: nobody, DRAGOMAN_API_KEY: key });
	expect(gone).toMatchObject({ status: 6, words: expect.stringContaining(nobody) });
	expect(await checkService({})).toBeNull();
});

const asked = {
	headless: true,
	holds: true,
	input: null,
	from: 'en',
	to: ['pt'],
	namesLanguages: true,
} as const;
const noPlace = { out: null, userData: null } as const;

/** A folder with what English to Portuguese needs; of `without` a file is missing, as while it is downloaded. */
function modelsFor(without = ''): string {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-demo-models-'));
	for (const id of neededFor('en', 'pt') ?? []) {
		mkdirSync(join(folder, id));
		const files = modelById(id)?.files ?? [];
		for (const { name } of id === without ? files.slice(1) : files)
			writeFileSync(join(folder, id, name), 'x');
	}
	return folder;
}

test('this computer interprets where the models for the languages are, and nobody else is asked', () => {
	const folder = modelsFor();
	const options = { ...asked, ...noPlace, local: false, models: folder };
	expect(localService(options, {})).toEqual({
		kind: 'local',
		api: '',
		env: { DRAGOMAN_SERVICE: 'local', DRAGOMAN_MODELS: folder },
	});
	expect(localService({ ...options, models: null }, { DRAGOMAN_MODELS: folder })).toMatchObject({
		kind: 'local',
	});
	expect(localService({ ...options, to: ['pt', 'es'] }, {})).toBeNull();
	rmSync(folder, { recursive: true });
});

test('with --local missing models are a refusal that names them and the command that adds them', () => {
	const folder = modelsFor('mozilla-en-pt');
	const options = { ...asked, ...noPlace, local: true, models: folder };
	expect(localService(options, {})).toEqual({
		status: 4,
		words: 'This computer lacks models for en-pt. Get them with: npm run cli -- models add en-pt',
	});
	expect(localService({ ...options, local: false }, {})).toBeNull();
	rmSync(folder, { recursive: true });
});
