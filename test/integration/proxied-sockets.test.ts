import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { wavHead } from '#shared/sound/wav.ts';
import { type ConnectProxy, startConnectProxy } from '#test/support/connect-proxy.ts';
import { notRun } from '#test/support/not-run.ts';
import { conversationPcm } from '#test/support/streaming-rig.ts';
import { startTlsFront, type TlsFront } from '#test/support/tls-front.ts';

/* A network whose only way out is its proxy: the service has a name that only the proxy can resolve. */

const HOST = 'speech.dragoman-test.example';
const [USER, PASSWORD] = ['clerk', 'proxy-pass-4711'];

let sandbox: Sandbox;
let front: TlsFront | { readonly missing: string };
let proxy: ConnectProxy;
let folder: string;
let input: string;
beforeAll(async () => {
	sandbox = await startSandbox();
	front = await startTlsFront({ name: HOST, browser: false });
	const port = 'missing' in front ? 0 : front.port;
	if (!('missing' in front)) front.leadTo(Number(new URL(sandbox.addresses.api).port));
	proxy = await startConnectProxy({ [HOST]: port });
	folder = await mkdtemp(join(tmpdir(), 'dragoman-proxied-'));
	input = join(folder, 'talk.wav');
	const pcm = conversationPcm(3.6);
	await writeFile(
		input,
		Buffer.concat([wavHead({ rateHz: 24_000, channels: 1, bytes: pcm.length * 2 }), s16ToBytes(pcm)]),
	);
});
afterAll(async () => {
	await proxy.close();
	if (!('missing' in front)) await front.close();
	await sandbox.close();
	await rm(folder, { recursive: true, force: true });
});

/** A command in a program of its own, the service at its public name. */
async function run(args: readonly string[], env: Record<string, string>) {
	const { api, s2s, stt, tts, key } = sandbox.addresses;
	const named = (address: string) => `wss://${HOST}${address.slice(address.indexOf('/', 6))}`;
	const child = spawn(process.execPath, ['src/main/cli/index.ts', ...args], {
		env: {
			...process.env,
			DRAGOMAN_API_URL: `https://${HOST}${new URL(api).pathname}`.replace(/\/$/, ''),
			DRAGOMAN_API_KEY: key,
			DRAGOMAN_S2S_URL: named(s2s),
			DRAGOMAN_STT_URL: named(stt),
			DRAGOMAN_TTS_URL: named(tts),
			DRAGOMAN_USER_DATA: folder,
			DRAGOMAN_LOG_LEVEL: 'debug',
			NO_PROXY: '',
			...env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => {
			said += text;
		});
	}
	const status = await new Promise<number | null>((done) => child.once('close', done));
	const secrets = [key, PASSWORD, Buffer.from(`${USER}:${PASSWORD}`).toString('base64')];
	for (const secret of secrets) expect(said).not.toContain(secret);
	return { status, said };
}

const through = () => ({ HTTPS_PROXY: proxy.address.replace('//', `//${USER}:${PASSWORD}@`) });

test('a conversation, captions and speech go through the proxy, which is shown its password', {
	timeout: 90_000,
}, async ({ skip }) => {
	if ('missing' in front) {
		notRun('sockets through a proxy', front.missing);
		return skip(front.missing);
	}
	const env = { ...through(), NODE_EXTRA_CA_CERTS: front.authority };
	const spoken = join(folder, 'spoken.wav');
	const [translated, transcribed, said] = await Promise.all([
		run(['translate', input, '--from', 'en', '--to', 'es', '--out', join(folder, 'out'), '--json'], env),
		run(['transcribe', input, '--from', 'en'], env),
		run(['speak', 'Buenos días.', '--lang', 'es', '--out', spoken], env),
	]);
	expect([translated.status, transcribed.status, said.status]).toEqual([0, 0, 0]);
	expect(await readdir(join(folder, 'out'))).toContain('talk.es.wav');
	expect((await readFile(spoken)).length).toBeGreaterThan(10_000);
	expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
	expect(proxy.asked.length).toBeGreaterThanOrEqual(3);
	expect(proxy.credentials).toHaveLength(proxy.asked.length);
	expect(new Set(proxy.credentials)).toEqual(
		new Set([`Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`]),
	);
});

test.for<[string, Record<string, string>]>([
	['as it is', {}],
	['although the environment wishes that certificates be not checked', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
])(
	'without the authority nothing is sent through it, %s: 6, and the key has not left',
	{
		timeout: 60_000,
	},
	async ([, wish], { skip }) => {
		if ('missing' in front) return skip(front.missing);
		const received = front.received();
		for (const args of [
			['speak', 'Hola.', '--lang', 'es', '--out', join(folder, 'no.wav')],
			['sessions', 'list'],
		]) {
			const { status, said } = await run(args, { ...through(), ...wish });
			expect(status).toBe(6);
			expect(said).toMatch(/does not trust the certificate.*NODE_EXTRA_CA_CERTS/);
		}
		expect(front.received()).toBe(received);
	},
);

test('a proxy that knows no way, or is not there, is told in words: 6', { timeout: 30_000 }, async () => {
	const elsewhere = { DRAGOMAN_TTS_URL: 'wss://unknown.dragoman-test.example/tts' };
	const args = ['speak', 'Hola.', '--lang', 'es', '--out', join(folder, 'no.wav')];
	const [noWay, nobody] = await Promise.all([
		run(args, { ...through(), ...elsewhere }),
		run(args, { HTTPS_PROXY: `http://${USER}:${PASSWORD}@127.0.0.1:9` }),
	]);
	expect([noWay.status, nobody.status]).toEqual([6, 6]);
});
