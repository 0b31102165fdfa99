import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openAudio } from '#main/cli/audio-input.ts';
import type { Terminal } from '#main/cli/terminal.ts';
import { readWavStream } from '#main/cli/wav-stream.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { s16ToBytes } from '#shared/audio/s16le.ts';
import { wavHead } from '#shared/audio/wav.ts';
import { treeOf } from '#test/support/canary.ts';
import { notRun } from '#test/support/not-run.ts';
import { runInProcess } from '#test/support/run-command.ts';
import { startSocketDouble } from '#test/support/socket-double.ts';
import { conversationPcm } from '#test/support/streaming-rig.ts';

const KEY = 'plbr_cli-stream-test-key';
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

async function writeSound(path: string, pcm: Int16Array): Promise<void> {
	const head = wavHead({ rateHz: 24_000, channels: 1, bytes: pcm.length * 2 });
	await writeFile(path, Buffer.concat([head, s16ToBytes(pcm)]));
}

/** A sentence, and then more than anybody waits for. */
async function writeLongTalk(): Promise<string> {
	const pcm = new Int16Array(24_000 * 40);
	pcm.set(conversationPcm(2.2), 12_000);
	await writeSound(input, pcm);
	return input;
}

/** No file can become longer than so many blocks of 512 bytes: what a full disk does, to one program. */
const onFullDisk = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`];

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
	stdin = '',
	through?: readonly string[],
) => {
	const { child, ended } = start(args, env, through);
	child.stdin.end(stdin);
	return ended;
};
const lines = (text: string) =>
	text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));

async function durationMs(path: string): Promise<number> {
	async function* whole() {
		yield await readFile(path);
	}
	const wav = await readWavStream(whole());
	if (!wav.ok) throw new Error(wav.error);
	return wav.value.format.durationMs ?? 0;
}

describe('the streaming commands', () => {
	test('translate writes a WAV for each language and captions beside them', { timeout: 60_000 }, async () => {
		const out = join(folder, 'out');
		const ran = await run(['translate', input, '--from', 'en', '--to', 'es,fr', '--out', out, '--json']);
		expect(ran.status).toBe(0);
		const events = lines(ran.out);
		expect(events.filter(({ type }) => type === 'source').length).toBeGreaterThan(0);
		expect(events.at(-1)).toMatchObject({ type: 'done', complete: true, lost_ms: 0 });
		const names = [
			'captions.json',
			...['en', 'es', 'fr'].flatMap((code) => [`${code}.srt`, `${code}.vtt`]),
			'es.wav',
			'fr.wav',
		];
		expect((await readdir(out)).sort()).toEqual(names.map((name) => `talk.${name}`).sort());
		expect(await durationMs(join(out, 'talk.es.wav'))).toBeGreaterThan(1000);
		expect(await readFile(join(out, 'talk.es.srt'), 'utf8')).toMatch(/^1\n00:00:0\d,\d{3} --> .*\n\S/);
	});

	test('translate says the words of the glossaries, and on request does without', {
		timeout: 60_000,
	}, async () => {
		const file = join(folder, 'words.csv');
		await writeFile(file, 'good morning,Muy buenas\n');
		const added = await run([
			'glossaries',
			'add',
			file,
			...['--name', 'Words', '--from', 'en', '--to', 'es'],
		]);
		const translate = async (more: readonly string[], env: Record<string, string> = {}) => {
			const words = [
				'translate',
				input,
				'--from',
				'en',
				'--to',
				'es',
				'--out',
				join(folder, 'out.wav'),
				'--json',
			];
			const ran = await run([...words, ...more], env);
			expect(ran.status).toBe(0);
			const said = lines(ran.out).filter(({ type }) => type === 'translation');
			return { ...ran, said: said.map(({ text }) => text).join(' ') };
		};
		try {
			expect((await translate([])).said).toContain('(Muy buenas)');
			const without = await translate(['--no-glossaries']);
			expect(without.said).toContain('Buenos días');
			expect(without.said).not.toContain('Muy buenas');
			// A service that does not support the choice translates all the same, and the command says so.
			const refusing = { DRAGOMAN_API_KEY: `${KEY}+refuse-glossaries` };
			const refused = await translate(['--no-glossaries'], refusing);
			expect(refused.said).toContain('(Muy buenas)');
			expect(refused.error).toContain('This service cannot leave glossaries out: they apply.');
		} finally {
			await run(['glossaries', 'delete', added.out.trim(), '--yes']);
		}
	});

	test.for(['translate', 'transcribe'])(
		'%s keeps the pauses of a file: each sentence for itself, where it was spoken',
		{ timeout: 60_000 },
		async (command) => {
			// Two sentences with 5 s between them.
			const pcm = new Int16Array(24_000 * 9);
			pcm.set(conversationPcm(2.2), 12_000);
			pcm.set(conversationPcm(2.2), 24_000 * 6);
			const file = join(folder, `${command}.wav`);
			await writeSound(file, pcm);
			const out = join(folder, command);
			const to = command === 'translate' ? ['--to', 'es', '--out', out] : ['--out', `${out}.en.srt`];
			expect((await run([command, file, '--from', 'en', ...to])).status).toBe(0);
			const name = command === 'translate' ? join(out, `${command}.en.srt`) : `${out}.en.srt`;
			const begins = [...(await readFile(name, 'utf8')).matchAll(/^00:00:(\d\d),(\d{3}) -->/gm)].map(
				([, seconds, ms]) => Number(seconds) + Number(ms) / 1000,
			);
			expect(begins).toHaveLength(2);
			expect(begins[0]).toBeLessThan(1.5);
			expect(Math.abs((begins[1] ?? 0) - (begins[0] ?? 0) - 5.5)).toBeLessThan(0.5);
		},
	);

	test('transcribe writes text to standard output', { timeout: 60_000 }, async () => {
		const ran = await run(['transcribe', input, '--from', 'en', '--to', 'es']);
		expect(ran).toMatchObject({ status: 0, out: expect.stringMatching(/\w+.*\n\[es\] \w/) });
	});

	test('sound that fails in the middle: what was understood is saved, then it is said why', {
		timeout: 60_000,
	}, async () => {
		async function* failing() {
			yield s16ToBytes(conversationPcm(3.6));
			throw Object.assign(new Error('read failed'), { code: 'EIO' });
		}
		const { api, stt } = sandbox.addresses;
		const places = { DRAGOMAN_API_URL: api, DRAGOMAN_STT_URL: stt, DRAGOMAN_USER_DATA: folder };
		const out = join(folder, 'talk.txt');
		const ran = await runInProcess('transcribe', ['-', '--raw', '--from', 'en', '--out', out], {
			env: { ...places, DRAGOMAN_API_KEY: KEY },
			input: failing,
		});
		const why = 'standard input cannot be used. (it could not be read to its end: EIO)';
		expect(ran).toEqual({ status: 7, out: `${out}\n`, error: expect.stringContaining(why) });
		expect(await readFile(out, 'utf8')).toMatch(/\w/);
	});

	test('a WAV that is cut to nearly nothing: 0, and it is said', { timeout: 60_000 }, async () => {
		const cut = join(folder, 'cut.wav');
		await writeFile(cut, (await readFile(input)).subarray(0, 1000));
		const transcribed = await run(['transcribe', cut, '--from', 'en', '--out', join(folder, 'cut.srt')]);
		expect(transcribed).toMatchObject({ status: 0, out: '' });
		expect(transcribed.error).toMatch(/cut short: of the 3\.6 s .* 0\.02 s\.\n.*No captions were written/);
		const translated = await run([
			'translate',
			cut,
			'--from',
			'en',
			'--to',
			'es',
			'--out',
			join(folder, 'es.wav'),
		]);
		expect(translated.status).toBe(0);
		expect(translated.error).toMatch(/cut short: .*\nNothing was understood\. Check/);
	});

	test('speak writes a WAV', { timeout: 30_000 }, async () => {
		const out = join(folder, 'hello.wav');
		expect(await run(['speak', '-', '--lang', 'es', '--out', out], {}, 'Buenos días.')).toMatchObject({
			status: 0,
			out: `${out}\n`,
		});
		expect(await durationMs(out)).toBeGreaterThan(300);
	});

	test.each([
		['a missing file', ['translate', 'none.wav', '--from', 'en', '--to', 'es'], {}, 7],
		['a file without sound', ['transcribe', 'package.json'], {}, 7],
		[
			'a refused key',
			['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'],
			{ DRAGOMAN_API_KEY: 'wrong' },
			3,
		],
		['no key', ['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'], { DRAGOMAN_API_KEY: '' }, 3],
		[
			'nobody there',
			['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'],
			{ DRAGOMAN_TTS_URL: 'ws://127.0.0.1:4599/' },
			6,
		],
		[
			'a socket nobody named',
			['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'],
			{ DRAGOMAN_TTS_URL: '' },
			2,
		],
		[
			'a private address',
			['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'],
			{ DRAGOMAN_TTS_URL: 'ws://10.0.0.1/' },
			2,
		],
		['an unknown language', ['translate', 'x.wav', '--from', 'en', '--to', 'qq'], {}, 2],
		[
			'a WAV for two languages',
			['translate', 'x.wav', '--from', 'en', '--to', 'es,fr', '--out', 'a.wav'],
			{},
			2,
		],
		[
			'a file in place of itself',
			['translate', 'x.wav', '--from', 'en', '--to', 'es', '--out', 'x.wav'],
			{},
			2,
		],
	] as const)('%s has its exit status', { timeout: 30_000 }, async (_, args, env, status) => {
		expect(await run(args, env)).toMatchObject({ status });
	});

	test('speak with a voice nobody has: 4, in a sentence, and no file', { timeout: 30_000 }, async () => {
		const out = join(folder, 'voice.wav');
		const ran = await run(['speak', 'Hi', '--lang', 'en', '--voice', 'nobody', '--out', out]);
		expect(ran).toMatchObject({ status: 4, out: '', error: expect.stringContaining('no voice "nobody".') });
		expect((await readdir(folder)).filter((name) => name.startsWith('voice'))).toEqual([]);
	});

	const nowhere = process.platform === 'linux' ? '/proc/nobody/x' : '/dev/null/x';
	test.each([
		['speak', ['speak', 'Hi', '--lang', 'en', '--out', `${nowhere}/x.wav`]],
		['translate', ['translate', 'talk.wav', '--from', 'en', '--to', 'es', '--out', `${nowhere}/x.wav`]],
		['translate', ['translate', 'talk.wav', '--from', 'en', '--to', 'es,fr', '--out', nowhere]],
		['transcribe', ['transcribe', 'talk.wav', '--from', 'en', '--out', `${nowhere}/x.srt`]],
		['sessions create', ['sessions', 'create', '--user-data-dir', nowhere]],
	])(
		'%s into a folder that can never be made ends at once with a sentence: 1',
		{ timeout: 30_000 },
		async (_, args) => {
			const given = args.map((one) => (one === 'talk.wav' ? input : one));
			const ran = await run(given, { DRAGOMAN_LOG_LEVEL: 'error' });
			expect(ran).toMatchObject({ status: 1, out: '' });
			expect(ran.error.trim().split('\n').at(-1)).toMatch(/^[A-Z].*\(.*(ENOENT|ENOTDIR).*\)$/);
		},
	);

	test.each([
		['where it goes', []],
		['where a translation goes', ['--to', 'es']],
	])('transcribe with a folder %s ends before anything is sent: 1', { timeout: 30_000 }, async (_, to) => {
		const out = join(folder, 'talk.srt');
		const taken = to.length === 0 ? out : join(folder, 'talk.es.srt');
		await mkdir(taken);
		const before = sandbox.counts();
		const ran = await run(['transcribe', input, '--from', 'en', '--out', out, ...to]);
		expect(ran).toMatchObject({ status: 1, out: '', error: expect.stringContaining(`${taken} (EISDIR)`) });
		expect(sandbox.counts()).toEqual(before);
		expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
	});

	const unlimited = process.platform === 'win32' ? 'Windows has no ulimit' : '';
	test.skipIf(unlimited !== '' && notRun('files on a full disk', unlimited))(
		'a full disk leaves the captions that were there before',
		{ timeout: 60_000 },
		async () => {
			const out = join(folder, 'talk.srt');
			await writeFile(out, 'of yesterday');
			const words = ['transcribe', input, '--from', 'en', '--out', out];
			const ran = await run(words, {}, '', onFullDisk(0));
			expect(ran).toMatchObject({ status: 1, out: '', error: expect.stringContaining('(EFBIG)') });
			expect(await readFile(out, 'utf8')).toBe('of yesterday');
			expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/\.part$/));
		},
	);

	test.skipIf(unlimited !== '' && notRun('a WAV on a full disk', unlimited))(
		'a WAV that the disk does not hold ends it, and what was understood is kept',
		{ timeout: 60_000 },
		async () => {
			const out = join(folder, 'out');
			const words = ['translate', await writeLongTalk(), '--from', 'en', '--to', 'es', '--out', out];
			const ran = await run(words, {}, '', onFullDisk(16));
			expect(ran.status).toBe(1);
			expect(ran.error).toContain('talk.es.wav (EFBIG)');
			const captions = ['captions.json', 'en.srt', 'en.vtt', 'es.srt', 'es.vtt'];
			expect((await readdir(out)).sort()).toEqual(captions.map((name) => `talk.cut.${name}`));
		},
	);

	test('a WAV that cannot take its place in the end leaves the captions', { timeout: 60_000 }, async () => {
		const out = join(folder, 'out');
		const ended = run(['translate', input, '--from', 'en', '--to', 'es', '--out', out]);
		const names = () => readdir(out).catch(() => []);
		await expect.poll(names, { timeout: 15_000 }).toContainEqual(expect.stringMatching(/\.part$/));
		await mkdir(join(out, 'talk.es.wav'));
		const { status, error } = await ended;
		expect(status).toBe(1);
		expect(error).toContain('talk.es.wav (EISDIR)');
		const captions = ['captions.json', 'en.srt', 'en.vtt', 'es.srt', 'es.vtt'];
		expect(await names()).toEqual(expect.arrayContaining(captions.map((name) => `talk.${name}`)));
	});

	test('a socket that only the settings name gets no key: 3, and what to do', {
		timeout: 30_000,
	}, async () => {
		const before = sandbox.counts();
		await writeFile(join(folder, 'settings.json'), JSON.stringify({ ttsUrl: sandbox.addresses.tts }));
		const args = ['speak', 'Hi', '--lang', 'en', '--out', join(folder, 'hi.wav')];
		const refused = await run(args, { DRAGOMAN_TTS_URL: '' });
		expect(refused).toMatchObject({
			status: 3,
			error: expect.stringMatching(/is not sent to 127\.0\.0\.1:\d+\. .*--tts-url/),
		});
		expect(sandbox.counts()).toEqual(before);
		expect(await run([...args, '--tts-url', sandbox.addresses.tts], { DRAGOMAN_TTS_URL: '' })).toMatchObject({
			status: 0,
		});
	});

	test('Ctrl-C ends with 130; before anything was finished it leaves no file, no folder and no session', {
		timeout: 30_000,
	}, async () => {
		const out = join(folder, 'cut');
		const { child, ended } = start(['translate', input, '--from', 'en', '--to', 'es', '--out', out]);
		await expect.poll(() => sandbox.openSessions().length, { timeout: 15_000 }).toBe(1);
		child.kill('SIGINT');
		expect((await ended).status).toBe(130);
		expect((await readdir(folder)).filter((name) => name.startsWith('cut'))).toEqual([]);
	});

	test.for([
		['translate', ['SIGINT']],
		['transcribe', ['SIGINT']],
		// A terminal that is closed, and then the end of npm.
		['translate', ['SIGHUP', 'SIGTERM']],
	] as const)(
		'%s cut off by %j keeps what was finished, marked as cut, and under a name of its own',
		{ timeout: 60_000 },
		async ([command, signals]) => {
			const file = await writeLongTalk();
			const out = join(folder, 'out');
			const to = command === 'translate' ? ['--to', 'es', '--out', out] : ['--out', join(out, 'talk.srt')];
			const { child, ended } = start([command, file, '--from', 'en', '--json', ...to]);
			let said = '';
			child.stdout.on('data', (data: Buffer) => {
				said += data.toString('utf8');
			});
			const last = command === 'translate' ? 'translation' : 'source';
			await expect.poll(() => said, { timeout: 30_000 }).toContain(`"type":"${last}"`);
			for (const signal of signals) child.kill(signal);
			const { status, error } = await ended;
			expect(status).toBe(130);
			expect(error).toContain('cut off');
			const names = (await readdir(out)).sort();
			const captions = command === 'translate' ? 'talk.cut.en.srt' : 'talk.cut.srt';
			expect(names).toContain(captions);
			expect(names.filter((name) => !name.startsWith('talk.cut.'))).toEqual([]);
			expect(await readFile(join(out, captions), 'utf8')).toMatch(
				/^1\n.*\n\w.*\n\n2\n.*\n\[cut off here\]\n$/,
			);
			if (command === 'translate') expect(names).toContain('talk.cut.captions.json');
		},
	);

	test.for([
		['speak - --lang es', 'loud', 'is not used'],
		['transcribe -', 'loud', 'is not used'],
		['sessions list --key-stdin', 'loud', 'is not used'],
		['transcribe - --raw --from en', 'debug', 'socket open'],
	] as const)(
		'SIGTERM ends "%s" with 130 while nothing comes on standard input',
		{ timeout: 30_000 },
		async ([line, level, words]) => {
			const { child, ended, errorSoFar } = start(line.split(' '), { DRAGOMAN_LOG_LEVEL: level });
			onTestFinished(() => void child.kill('SIGKILL'));
			await expect.poll(errorSoFar, { timeout: 15_000 }).toContain(words);
			child.kill('SIGTERM');
			const { status, error } = await ended;
			expect(status).toBe(130);
			expect(error).toContain('\nCancelled.\n');
		},
	);

	test.each([
		['standard output', ['stdout']],
		['standard output and standard error', ['stdout', 'stderr']],
	] as const)(
		'translate goes on when the reader of its %s has seen enough: its files are the result',
		{ timeout: 60_000 },
		async (_, names) => {
			const out = join(folder, 'out');
			const args = ['translate', input, '--from', 'en', '--to', 'es', '--out', out, '--json'];
			const { child, ended } = start(args);
			child.stdout.once('data', () => {
				for (const name of names) child[name].destroy();
			});
			expect((await ended).status).toBe(0);
			expect((await readdir(out)).filter((name) => /\.(wav|part)$/.test(name))).toEqual(['talk.es.wav']);
			expect(await durationMs(join(out, 'talk.es.wav'))).toBeGreaterThan(1000);
		},
	);

	test.skipIf(process.platform !== 'linux').each(['--help', 'translate'])(
		'%s with a standard output that cannot be written: 1, and the reason once',
		{ timeout: 60_000 },
		async (command) => {
			const out = join(folder, 'out');
			const more = ['--from', 'en', '--to', 'es', '--out', out, '--json'];
			const args = command === 'translate' ? [command, input, ...more] : [command];
			const full = openSync('/dev/full', 'w');
			const child = spawn(process.execPath, ['src/main/cli/index.ts', ...args], {
				env: environment(),
				stdio: ['ignore', full, 'pipe'],
			});
			closeSync(full);
			const [error, [status]] = await Promise.all([
				child.stderr ? text(child.stderr) : '',
				once(child, 'close'),
			]);
			expect(status).toBe(1);
			expect(error.match(/^Standard output could not be written \(ENOSPC\)\.$/gm)).toHaveLength(1);
			const left = await readdir(folder, { recursive: true });
			expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
		},
	);

	test.for(['translate', 'transcribe'])(
		'Ctrl-C in %s does not promise files that could not be written',
		{ timeout: 60_000 },
		async (command) => {
			const file = await writeLongTalk();
			const out = join(folder, 'out');
			const to = command === 'translate' ? ['--to', 'es', '--out', out] : ['--out', join(out, 'talk.srt')];
			const taken = join(out, command === 'translate' ? 'talk.cut.en.srt' : 'talk.cut.srt');
			await mkdir(taken, { recursive: true });
			const { child, ended } = start([command, file, '--from', 'en', '--json', ...to]);
			await once(child.stdout, 'data');
			child.kill('SIGINT');
			const { status, error } = await ended;
			expect(status).toBe(130);
			expect(error).toContain(`${taken} (EISDIR)`);
			expect(error).not.toContain('in the files called .cut');
		},
	);

	test('a text that a lost connection or the end cuts off is shown as the file has it', {
		timeout: 60_000,
	}, async () => {
		const out = join(folder, 'talk.txt');
		/** Two connections, each with the beginning of a text; the first is lost. */
		async function transcribe(more: readonly string[]) {
			const service = await startSocketDouble({
				serve(ws, count) {
					const segment = { text: count === 1 ? 'half a' : 'left open', start_time: 0, end_time: 0.1 };
					const text = { message_type: 'transcription', transcription_id: 'a', language: 'en', segment };
					ws.once('message', () => {
						ws.send(JSON.stringify({ ...text, is_eos: false }));
						if (count === 1) ws.close(1011);
					});
				},
			});
			const args = ['transcribe', input, '--from', 'en', '--to', 'es', '--to', 'de', ...more];
			const ran = await run(args, { DRAGOMAN_STT_URL: service.address });
			await service.close();
			// However often it is given, --to counts.
			expect(service.asked[0]?.url).toContain('translate_languages=es,de');
			expect(ran.status).toBe(0);
			return ran.out;
		}
		const [plain, json] = await Promise.all([transcribe([]), transcribe(['--json', '--out', out])]);
		expect(plain).toBe('half a\nleft open\n');
		expect(lines(json).filter(({ type }) => type === 'source')).toMatchObject([
			{ text: 'half a', final: false },
			{ text: 'left open', final: false },
		]);
		expect(await readFile(out, 'utf8')).toBe(plain);
	});

	test('the key is in no command line, not even of ffmpeg', { timeout: 30_000 }, async () => {
		const { child, ended } = start(['transcribe', input, '--from', 'en']);
		await expect.poll(() => sandbox.openSessions().length, { timeout: 15_000 }).toBe(1);
		expect(await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => '')).not.toContain(KEY);
		child.kill('SIGINT');
		await ended;
	});

	const missing = spawnSync('ffmpeg', ['-version']).error;
	test.skipIf(missing && notRun('other formats than WAV', 'ffmpeg is not installed'))(
		'what is not WAV is read by ffmpeg, and without it the message says so',
		{ timeout: 60_000 },
		async () => {
			const flac = join(folder, 'talk.flac');
			spawnSync('ffmpeg', ['-v', 'error', '-i', input, flac]);
			expect((await run(['transcribe', flac, '--from', 'en'])).out).toMatch(/\w/);
			const without = await run(['transcribe', flac, '--from', 'en'], { PATH: '/nowhere' });
			expect(without).toMatchObject({ status: 7, error: expect.stringContaining('ffmpeg is not installed') });
		},
	);

	const unseen = missing ? 'ffmpeg is not installed' : process.platform === 'linux' ? null : 'needs /proc';
	test.skipIf(unseen && notRun('the end of an ffmpeg nobody reads', unseen))(
		'an ffmpeg that waits to be read ends with the command all the same',
		{ timeout: 30_000 },
		async () => {
			const flac = join(folder, 'long.flac');
			spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=60', flac]);
			const opened = await openAudio({ file: flac, raw: false }, {} as Terminal);
			if (!opened.ok) throw new Error(opened.error.kind);
			const running = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
			const before = running();
			const program = treeOf(process.pid).find((one) => one.program === 'ffmpeg');
			const written = () =>
				Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${program?.pid}/io`, 'utf8'))?.[1]);
			// By then its pipe is practically full.
			await expect.poll(written, { timeout: 10_000 }).toBeGreaterThan(32_768);
			opened.value.close();
			await expect.poll(running, { timeout: 5000 }).toBe(before - 1);
		},
	);
});
