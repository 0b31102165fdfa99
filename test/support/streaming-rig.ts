import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, type TestContext } from 'vitest';
import { socketAddress } from '#main/service/addresses.ts';
import { createSockets, type Sockets } from '#main/streaming/socket.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, type SandboxAddresses, type SandboxOptions, startSandbox } from '#sandbox/sandbox.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { floatToS16, s16ToBytes } from '#shared/sound/pcm.ts';
import { readWavHead, wavHead } from '#shared/sound/wav.ts';
import { eventually } from './eventually.ts';
import { resample } from './inspect-sound.ts';
import { readWav } from './recordings.ts';

/** A log that keeps every line, to look for what must not be there. */
export interface KeptLog extends Logger {
	readonly lines: string[];
}

export function keepLog(): KeptLog {
	const lines: string[] = [];
	const write = (message: string, facts?: object) =>
		void lines.push(`${message} ${JSON.stringify(facts ?? {})}`);
	return { lines, error: write, warn: write, info: write, debug: write };
}

/** The dependencies of the streaming engines, for a sandbox. */
export function streamingParts(
	addresses: SandboxAddresses,
	options: { key?: string; clock?: Clock; log?: Logger } = {},
) {
	const clock = options.clock ?? createSystemClock();
	const log = options.log ?? keepLog();
	const sockets: Sockets = createSockets({
		clock,
		log,
		key: () => options.key ?? addresses.key,
		checkAddress: () => null,
		randomHash: () => randomBytes(16).toString('hex'),
	});
	const places = { restBase: addresses.api, publicBase: 'https://example.com', named: addresses };
	const address = (product: 's2s' | 'stt' | 'tts') => () => socketAddress(product, places);
	return { sockets, clock, log, random: Math.random, address };
}

export interface EngineOptions {
	readonly fault?: string;
	readonly key?: string;
	readonly clock?: Clock;
}

/**
 * Starts an engine on a sandbox of its own; `fault` is what the sandbox is to do wrong. After the test the engine is closed with
 * its session, and the key is in no line of its log.
 */
export async function startEngine<Engine extends { close(): Promise<void> }>(
	{ onTestFinished }: Pick<TestContext, 'onTestFinished'>,
	make: (parts: ReturnType<typeof streamingParts>) => Engine,
	{ fault = '', key = KEY, clock, ...options }: SandboxOptions & EngineOptions = {},
): Promise<{ readonly engine: Engine; readonly sandbox: Sandbox }> {
	const sandbox = await startSandbox({ key: KEY, ...options });
	const log = keepLog();
	const engine = make(streamingParts(sandbox.addresses, { key: key + fault, log, ...(clock && { clock }) }));
	onTestFinished(async () => {
		await engine.close();
		await eventually(
			() => sandbox.openSessions(),
			(seen) => expect(seen).toEqual([]),
		);
		await sandbox.close();
		expect(log.lines.join('\n')).not.toContain(KEY);
	});
	return { engine, sandbox };
}

/** The first `seconds` of the English conversation, 24 kHz mono. */
export function conversationPcm(seconds: number): Int16Array {
	const sound = readWav(readFileSync('resources/speech/en-conversation.wav'));
	const cut = resample(sound.samples.subarray(0, Math.round(seconds * sound.rate)), sound.rate, 24_000);
	const samples = new Int16Array(cut.length);
	floatToS16(cut, samples);
	return samples;
}

/** Gives sound to an engine as a microphone would: 20 ms at a time, in real time. Resolves when all was given. */
export async function speakInto(to: { audio(pcm: Int16Array): void }, pcm: Int16Array): Promise<void> {
	const startMs = performance.now();
	for (let given = 0; given < pcm.length; ) {
		await new Promise((done) => setTimeout(done, 20));
		const dueSamples = Math.min(pcm.length, Math.floor((performance.now() - startMs) * 24));
		to.audio(pcm.subarray(given, dueSamples));
		given = dueSamples;
	}
}

export const KEY = 'plbr_stream-test-key';

/** The world of a test of the streaming commands. */
interface CommandWorld {
	readonly sandbox: Sandbox;
	/** The commands' folder, new for each test. */
	readonly folder: string;
	/** A short recording in it. */
	readonly input: string;
}

/**
 * Runs the streaming commands as programs of their own against a sandbox. Call it once in a test file; `each` is told
 * the world of each test. After each test no session may be open.
 */
export function streamingCommands(each: (world: CommandWorld) => void) {
	let sandbox: Sandbox;
	let folder: string;
	let input: string;
	beforeAll(async () => {
		sandbox = await startSandbox({ key: KEY });
	});
	afterAll(() => sandbox.close());
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'dragoman-stream-'));
		input = join(folder, 'talk.wav');
		await writeSound(input, conversationPcm(3.6));
		each({ sandbox, folder, input });
	});
	afterEach(async () => {
		await expect.poll(() => sandbox.openSessions()).toEqual([]);
		await rm(folder, { recursive: true, force: true });
	});

	function environment(fields: Record<string, string> = {}): NodeJS.ProcessEnv {
		const { api, s2s, stt, tts } = sandbox.addresses;
		return {
			...process.env,
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: KEY,
			DRAGOMAN_S2S_URL: s2s,
			DRAGOMAN_STT_URL: stt,
			DRAGOMAN_TTS_URL: tts,
			DRAGOMAN_LOG_LEVEL: 'debug',
			DRAGOMAN_USER_DATA: folder,
			...fields,
		};
	}

	/** A sentence, and then more than anybody waits for. */
	async function writeLongTalk(): Promise<string> {
		const pcm = new Int16Array(24_000 * 40);
		pcm.set(conversationPcm(2.2), 12_000);
		await writeSound(input, pcm);
		return input;
	}

	/** `through`: a program that starts the command. */
	function start(args: readonly string[], env: Record<string, string> = {}, through: readonly string[] = []) {
		const [program = '', ...words] = [...through, process.execPath, 'src/main/cli/index.ts', ...args];
		const child = spawn(program, words, { env: environment(env) });
		const out: Buffer[] = [];
		let error = '';
		child.stdout.on('data', (data: Buffer) => out.push(data));
		child.stderr.setEncoding('utf8').on('data', (data: string) => {
			error += data;
		});
		const ended = new Promise<number | null>((done) => child.on('close', done)).then((status) => {
			const bytes = Buffer.concat(out);
			// The key is in nothing that a command says, at the most talkative level.
			expect(`${bytes.toString('latin1')}${error}`).not.toContain(KEY);
			return { status, bytes, out: bytes.toString('utf8'), error };
		});
		return { child, ended, errorSoFar: () => error };
	}

	const run = (
		args: readonly string[],
		env?: Record<string, string>,
		stdin: string | Uint8Array = '',
		through?: readonly string[],
	) => {
		const { child, ended } = start(args, env, through);
		child.stdin.end(stdin);
		return ended;
	};

	return { environment, writeLongTalk, start, run };
}

/** 24 kHz mono. */
export async function writeSound(path: string, pcm: Int16Array): Promise<void> {
	const head = wavHead({ rateHz: 24_000, channels: 1, bytes: pcm.length * 2 });
	await writeFile(path, Buffer.concat([head, s16ToBytes(pcm)]));
}

/** The documents of a command with `--json`. */
export const lines = (text: string) =>
	text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));

export async function durationMs(path: string): Promise<number> {
	const read = readWavHead(await readFile(path));
	if (!read.ok || !read.value) throw new Error(`${path} is no WAV`);
	const { bytes, frameBytes, rateHz } = read.value;
	return ((bytes ?? 0) / frameBytes / rateHz) * 1000;
}
