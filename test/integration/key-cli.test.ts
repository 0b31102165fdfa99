import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { wavHead } from '#shared/sound/wav.ts';
import { filesHolding, holds, type Seen, watchTree } from '#test/support/canary.ts';
import { notRun } from '#test/support/not-run.ts';
import { conversationPcm } from '#test/support/streaming-rig.ts';

/* A recognisable key is in nothing that a command leaves behind or shows, whatever goes wrong. */

/** Not shaped like a key, so that nothing finds it by its looks. */
const KEY = 'Canary7MossyLanternQuiet';
const missing =
	process.platform !== 'linux'
		? 'needs /proc'
		: spawnSync('ffmpeg', ['-version']).error
			? 'ffmpeg is not installed'
			: null;

let sandbox: Sandbox;
let folder: string;
let flac: string;
beforeAll(async () => {
	sandbox = await startSandbox({ key: KEY });
	folder = await mkdtemp(join(tmpdir(), 'dragoman-canary-'));
	const pcm = conversationPcm(6);
	const wav = join(folder, 'talk.wav');
	await writeFile(
		wav,
		Buffer.concat([wavHead({ rateHz: 24_000, channels: 1, bytes: pcm.length * 2 }), s16ToBytes(pcm)]),
	);
	flac = join(folder, 'talk.flac');
	if (missing === null) spawnSync('ffmpeg', ['-v', 'error', '-i', wav, flac]);
});
afterAll(async () => {
	await sandbox.close();
	await rm(folder, { recursive: true, force: true });
});

let count = 0;
interface Ran {
	readonly status: number | null;
	readonly said: string;
	readonly seen: readonly Seen[];
	/** For this run alone: data, results, crash reports. */
	readonly folder: string;
}

async function run(
	args: (out: string) => readonly string[],
	options: { fault?: string; env?: Record<string, string>; input?: string; failOn?: RegExp } = {},
): Promise<Ran> {
	count += 1;
	const own = await mkdtemp(join(folder, `run-${count}-`));
	const { api, s2s, stt, tts } = sandbox.addresses;
	const trap = join(folder, 'message.txt');
	await writeFile(trap, `a bug that quotes ${KEY} and wss://host/?token=${KEY}`);
	const child = spawn(process.execPath, [resolve('src/main/cli/index.ts'), ...args(own)], {
		cwd: resolve('.'),
		env: {
			...process.env,
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: KEY + (options.fault ? `+${options.fault}` : ''),
			DRAGOMAN_VOICE_TOKEN: `${KEY}Voice`,
			DRAGOMAN_S2S_URL: s2s,
			DRAGOMAN_STT_URL: stt,
			DRAGOMAN_TTS_URL: tts,
			DRAGOMAN_LOG_LEVEL: 'debug',
			DRAGOMAN_USER_DATA: own,
			FAIL_WITH: trap,
			NODE_OPTIONS: `--import=${resolve('test/support/failing-child.ts')} --report-uncaught-exception --report-on-fatalerror --report-directory=${own}`,
			...options.env,
		},
	});
	const tree = watchTree(child.pid ?? 0);
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('latin1').on('data', (text: string) => {
			said += text;
			if (options.failOn?.test(said)) child.kill('SIGUSR2');
		});
	}
	child.stdin.end(options.input ?? '');
	const status = await new Promise<number | null>((done) => child.once('close', done));
	return { status, said, seen: tree.stop(), folder: own };
}

/** The key is in nothing that was seen; programs other than ours do not even inherit it. */
function expectNoKey({ said, seen, folder: own }: Ran): void {
	expect(holds(said, KEY)).toBe(false);
	expect(seen.filter((one) => holds(one.commandLine + one.title, KEY))).toEqual([]);
	const others = seen.filter(({ program }) => program !== 'node');
	expect(others.filter((one) => holds(one.environment, KEY)).map(({ program }) => program)).toEqual([]);
	expect(filesHolding([own], KEY)).toEqual([]);
}

const commands: Readonly<Record<string, (out: string) => readonly string[]>> = {
	translate: (out) => ['translate', flac, '--from', 'en', '--to', 'es', '--out', join(out, 'es.wav')],
	transcribe: (out) => ['transcribe', flac, '--from', 'en', '--out', join(out, 'talk.json')],
	sessions: () => ['sessions', 'list'],
	voices: () => ['voices', 'list'],
	speak: (out) => ['speak', 'Buenos días.', '--lang', 'es', '--out', join(out, 'hello.wav')],
};

describe.skipIf(missing && notRun('the search for the key in commands', missing))('the key', () => {
	test.concurrent.for(['translate', 'transcribe', 'speak', 'sessions'])(
		'is nowhere after "%s", and ffmpeg does not inherit it',
		{ timeout: 60_000 },
		async (name) => {
			const ran = await run(commands[name] ?? (() => []));
			expect([name, ran.status, ran.said]).toEqual([name, 0, ran.said]);
			expectNoKey(ran);
			if (name.startsWith('trans')) expect(ran.seen.map(({ program }) => program)).toContain('ffmpeg');
		},
	);

	test.concurrent.for([
		['a refused key', 'translate', { env: { DRAGOMAN_API_KEY: `${KEY}Wrong` } }, 3],
		['a key in the query that is refused', 'speak', { fault: 'upgrade-401' }, 3],
		['a close for good', 'translate', { fault: 'close-1002:1' }, 6],
		['a close as unauthorized', 'transcribe', { fault: 'close-4001:1' }, 3],
		[
			'a key on standard input',
			'speak',
			{ env: { DRAGOMAN_API_KEY: '' }, args: ['--key-stdin'], input: KEY },
			0,
		],
		['the list of voices', 'voices', {}, 0],
		['an answer that is no JSON', 'sessions', { fault: 'malformed-json' }, 1],
		['a redirect', 'speak', { fault: 'upgrade-301' }, 1],
		[
			'an address with a secret in it',
			'speak',
			{ env: { DRAGOMAN_TTS_URL: `wss://x.example/?token=${KEY}` } },
			2,
		],
	] as const)('is nowhere after %s', { timeout: 60_000 }, async ([, name, options, status]) => {
		const more = 'args' in options ? options.args : [];
		const ran = await run((out) => [...(commands[name]?.(out) ?? []), ...more], options);
		expect(ran.status).toBe(status);
		expectNoKey(ran);
	});

	test.concurrent.for([
		['as it is', (key: string) => key],
		['in an address', (key: string) => encodeURIComponent(`a b ${key}`)],
		['in base64', (key: string) => Buffer.from(`user:${key}`).toString('base64')],
		['in capitals', (key: string) => key.toUpperCase()],
	] as const)(
		'is nowhere in what is said when the service repeats it %s',
		{
			timeout: 60_000,
		},
		async ([, write]) => {
			const echo = createServer((request, answer) => {
				const key =
					/(?:Bearer |token=)(\w+)/.exec(`${request.headers.authorization} ${request.url}`)?.[1] ?? '';
				const detail = `no such key: ${write(key)}`;
				answer.writeHead(422, { 'content-type': 'application/json', connection: 'close' });
				answer.end(JSON.stringify({ errors: [{ status: 422, detail, title: detail, error_code: detail }] }));
			});
			await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
			const at = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
			const env = { DRAGOMAN_API_URL: `http://${at}`, DRAGOMAN_TTS_URL: `ws://${at}/tts` };
			for (const name of ['sessions', 'voice', 'speak']) {
				const ran = await run(commands[name] ?? (() => ['voices', 'status', 'v1']), { env });
				expect([name, ran.status]).not.toEqual([name, 0]);
				expect(ran.said).toMatch(/no such key/i);
				expect(ran.said.toLowerCase()).not.toContain(KEY.toLowerCase());
				expectNoKey(ran);
			}
			await new Promise((done) => echo.close(done));
		},
	);

	test('is nowhere after a crash that quotes it: not in what is said, not in a report of the crash', {
		timeout: 60_000,
	}, async () => {
		const ran = await run(commands.translate ?? (() => []), { failOn: /socket open/ });
		expect(ran.status).toBe(1);
		expect(ran.said).toContain('a bug that quotes');
		expectNoKey(ran);
	});

	test('would be found if it were there', async () => {
		const secret = join(folder, 'secret');
		await writeFile(secret, Buffer.from(`xx${KEY}`).toString('base64'));
		expect(filesHolding([folder], KEY)).toContain(secret);
		expect(holds(encodeURIComponent(`a ${KEY}`), KEY)).toBe(true);
		expect(holds(Buffer.from(KEY, 'utf16le'), KEY)).toBe(true);
		expect(holds(await readFile(flac), KEY)).toBe(false);
	});
});
