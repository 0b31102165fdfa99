import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { nobodyThere } from '#test/support/nobody-there.ts';
import { runInProcess } from '#test/support/run-command.ts';

const KEY = 'doctor-test-key-1234567890';
const sandbox = await startSandbox({ key: KEY });
let folder: string;
let pretended: Server | null = null;

afterAll(() => sandbox.close());
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dragoman-doctor-'));
});
afterEach(async () => {
	pretended?.close();
	pretended?.closeAllConnections();
	pretended = null;
	await rm(folder, { recursive: true, force: true });
});

async function run(line: string, env: NodeJS.ProcessEnv = {}, fields: Partial<Terminal> = {}) {
	const ran = await runInProcess('doctor', line.split(' ').filter(Boolean), {
		env: {
			DRAGOMAN_API_URL: sandbox.addresses.api,
			DRAGOMAN_API_KEY: KEY,
			DRAGOMAN_USER_DATA: folder,
			...env,
		},
		readInput: async () => KEY,
		...fields,
	});
	const found = (
		check: string,
	): { state: string; finding: string; message: string; next_step: string | null } =>
		JSON.parse(ran.out).findings.find((finding: { check: string }) => finding.check === check);
	return { ...ran, found };
}

/** A service that gives this answer to everything. */
async function pretend(status: number, headers: Record<string, string> = {}): Promise<string> {
	const server = createServer((_, answer) => answer.writeHead(status, headers).end('{}'));
	pretended = server;
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('doctor', () => {
	test.runIf(process.platform === 'linux')('the programs it asks inherit neither key nor token', async () => {
		const [tools, given] = [join(folder, 'tools'), join(folder, 'given')];
		await mkdir(tools);
		await writeFile(join(tools, 'pactl'), `#!/bin/sh\nenv >> '${given}'\nexit 1\n`, { mode: 0o755 });
		const path = `${tools}:${process.env.PATH}`;
		await run('--json', { PATH: path, DRAGOMAN_VOICE_TOKEN: `${KEY}-voice` });
		const env = await readFile(given, 'utf8');
		expect(env).toContain(`PATH=${path}`);
		expect(env).not.toContain(KEY);
	});

	test('with a service that is well: everything is found, no session stays, and nothing but the window is left out', async () => {
		const { s2s = '', stt = '', tts = '' } = sandbox.addresses;
		const sockets = { DRAGOMAN_S2S_URL: s2s, DRAGOMAN_STT_URL: stt, DRAGOMAN_TTS_URL: tts };
		const { status, found, out } = await run('--json', sockets);
		expect(status).toBe(0);
		for (const check of [
			'service',
			'clock',
			'key',
			'account',
			'room',
			's2s',
			'stt',
			'tts',
			'folder',
			'ledger',
		]) {
			expect([check, found(check).state]).toEqual([check, 'ok']);
		}
		expect(found('media')).toMatchObject({ state: 'skipped', finding: 'windowOnly' });
		expect(sandbox.openSessions()).toEqual([]);
		expect(out).not.toContain(KEY);
		expect((await readdir(folder)).filter((name) => name.startsWith('.doctor'))).toEqual([]);
	});

	test('as text: a line for each, and what to do about what failed', async () => {
		const { status, out } = await run('', { DRAGOMAN_API_KEY: 'another' });
		expect(status).toBe(3);
		expect(out).toMatch(/^ok +Service +127\.0\.0\.1:\d+ answers in \d+ ms\.$/m);
		expect(out).toMatch(/^FAILED +Account +The service does not accept this API key/m);
		expect(out).toMatch(/^- +Room +Skipped because of: Account$/m);
		const advice = out.slice(out.indexOf('What to do:')).trim().split('\n').slice(1);
		expect(advice.some((line) => /^Account\b.*: /.test(line))).toBe(true);
		const steps = advice.map((line) => line.slice(line.indexOf(': ')));
		expect(new Set(steps).size).toBe(steps.length);
		expect(out).not.toContain('another');
	});

	test('the key can come by standard input, and is read once', async () => {
		let reads = 0;
		const readInput = async () => {
			reads += 1;
			return `${KEY}\n`;
		};
		const { status } = await run('--json --key-stdin', { DRAGOMAN_API_KEY: undefined }, { readInput });
		expect([status, reads]).toEqual([0, 1]);
	});

	test('without a key, a network, or a name: each says so with the status of its own', async () => {
		const keyless = await run('--json', { DRAGOMAN_API_KEY: undefined });
		expect([keyless.status, keyless.found('key').finding]).toEqual([3, 'api-key-missing']);
		expect(keyless.found('service').state).toBe('ok');
		const closed = await nobodyThere();
		const refused = await run('--json', { DRAGOMAN_API_URL: closed });
		expect([refused.status, refused.found('service').finding]).toEqual([6, 'service-unreachable']);
		expect(refused.found('account')).toMatchObject({ state: 'skipped', finding: 'waitsFor' });
		expect(refused.found('service').message).toContain(closed.replace('http://', ''));
		const blocked = await run('--json', { DRAGOMAN_API_URL: 'http://127.0.0.1:1' });
		expect([blocked.status, blocked.found('service').finding]).toEqual([2, 'port-refused']);
		const nameless = await run('--json', { DRAGOMAN_API_URL: 'https://nobody.invalid' });
		expect([nameless.status, nameless.found('service').finding]).toEqual([6, 'service-unreachable']);
		expect(nameless.found('service').message).toContain('nobody.invalid (ENOTFOUND)');
		expect(nameless.found('certificate')).toMatchObject({ state: 'skipped', finding: 'waitsFor' });
	});

	test('a clock that is an hour off is a warning, and none is said where the service tells no time', async () => {
		const late = new Date(Date.now() - 3_600_000).toUTCString();
		const { found } = await run('--json', { DRAGOMAN_API_URL: await pretend(200, { date: late }) });
		expect(found('clock')).toMatchObject({ state: 'warning', finding: 'clockWrong' });
		expect(found('clock').message).toContain('60 min');
	});

	test('a room that cannot be reached is said, and its session is gone all the same', async () => {
		const { status, found } = await run('--json', { DRAGOMAN_ALLOWED_HOSTS: 'elsewhere.example' });
		expect([status, found('room').finding]).toEqual([1, 'address-refused']);
		expect(sandbox.openSessions()).toEqual([]);
	});

	test('a session that cannot be deleted is said, and left to prune', { timeout: 60_000 }, async () => {
		const env = { DRAGOMAN_API_KEY: `${KEY}+500@delete:4` };
		const { found } = await run('--json', env);
		expect(found('room')).toMatchObject({ state: 'warning', finding: 'roomLeft' });
		expect(sandbox.openSessions()).toHaveLength(1);
		const pruned = await runInProcess('sessions', ['prune', '--json'], {
			env: { DRAGOMAN_API_URL: sandbox.addresses.api, DRAGOMAN_USER_DATA: folder, ...env },
		});
		expect(JSON.parse(pruned.out)).toMatchObject({ deleted: 1, failed: 0 });
		expect(sandbox.openSessions()).toEqual([]);
	});

	test('a broken history and broken settings are warnings, and nothing is repaired by looking', async () => {
		await writeFile(join(folder, 'history.sqlite'), 'this is no database at all, but long enough to be one');
		await writeFile(join(folder, 'settings.json'), '{"version": 2,');
		const { found, status, error } = await run('--json');
		expect(found('history')).toMatchObject({ state: 'warning', finding: 'historyDamaged' });
		expect(found('settings')).toMatchObject({
			state: 'warning',
			finding: 'settings-unreadable',
			message: expect.stringContaining('The settings file (settings.json) cannot be read'),
		});
		// Once, among the findings.
		expect([status, error]).toEqual([0, '']);
		const names = await readdir(folder);
		expect(names).toEqual(expect.arrayContaining(['history.sqlite', 'settings.json']));
		expect(names.filter((name) => name.includes('broken'))).toEqual([]);
	});

	test('interrupted, it ends with 130 and leaves no session', async () => {
		const control = new AbortController();
		const running = run('--json', {}, { signal: control.signal });
		control.abort();
		const { status, found } = await running;
		expect(status).toBe(130);
		expect(found('room').state).toBe('skipped');
		await expect.poll(() => sandbox.openSessions()).toEqual([]);
	});

	test('an option that it does not have is a usage error', async () => {
		const { status, error } = await run('--nonsense');
		expect(status).toBe(2);
		expect(error).toContain('doctor --help');
	});
});
