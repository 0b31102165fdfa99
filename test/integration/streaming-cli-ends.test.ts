import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { notRun } from '#test/support/not-run.ts';
import { startSocketDouble } from '#test/support/socket-double.ts';
import { durationMs, lines, streamingCommands } from '#test/support/streaming-rig.ts';

let sandbox: Sandbox;
let folder: string;
let input: string;
const { environment, writeLongTalk, start, run } = streamingCommands((world) => {
	({ sandbox, folder, input } = world);
});

/** No file can become longer than so many blocks of 512 bytes: what a full disk does, to one program. */
const onFullDisk = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`];

describe('the streaming commands, cut off or without room', () => {
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

	/** Speaks a second of each text and leaves the rest open. */
	async function startSpeaker(after: (ws: { close(code: number): void }) => void = () => {}) {
		const audio = Buffer.from(new Int16Array(24_000).fill(1000).buffer).toString('base64');
		const double = await startSocketDouble({
			serve(ws) {
				ws.on('message', (data: Buffer) => {
					if (JSON.parse(data.toString('utf8')).type !== 'text') return;
					ws.send(JSON.stringify({ message_type: 'audio_chunk', data: { audio, last_chunk: false } }));
					after(ws);
				});
			},
		});
		onTestFinished(() => double.close());
		return double;
	}

	test.skipIf(unlimited !== '' && notRun('speech on a full disk', unlimited))(
		'speech that the disk does not hold is not spoken to its end, and nothing is left of it',
		{ timeout: 60_000 },
		async () => {
			const double = await startSpeaker();
			const out = join(folder, 'out', 'hi.wav');
			const words = ['speak', 'Hi there.', '--lang', 'en', '--out', out];
			const ran = await run(words, { DRAGOMAN_TTS_URL: double.address }, '', onFullDisk(16));
			expect(ran).toMatchObject({ status: 1, out: '', error: expect.stringContaining('hi.wav (EFBIG)') });
			await expect.poll(() => double.heard).toContainEqual(expect.objectContaining({ type: 'cancel' }));
			expect(await readdir(folder)).not.toContain('out');
		},
	);

	test('nothing is spoken into a file that cannot be made', { timeout: 30_000 }, async () => {
		const double = await startSpeaker();
		const words = ['speak', 'Hi there.', '--lang', 'en', '--out', `${nowhere}/hi.wav`];
		expect(await run(words, { DRAGOMAN_TTS_URL: double.address })).toMatchObject({ status: 1 });
		expect(double.heard.filter((message) => 'type' in message && message.type === 'text')).toEqual([]);
	});

	test.for([
		['speak', 'Hi there.', '--lang', 'en', '--out'],
		['transcribe', 'talk.wav', '--out'],
		['translate', 'talk.wav', '--from', 'en', '--to', 'es', '--out'],
	])('Ctrl-C ends %s while it connects, and it leaves nothing', { timeout: 30_000 }, async (words) => {
		const double = await startSocketDouble({ refuse: () => 'hang' });
		onTestFinished(() => double.close());
		const { address } = double;
		const out = join(folder, 'new', words[0] === 'transcribe' ? 'x.txt' : 'x.wav');
		const given = words.map((one) => (one === 'talk.wav' ? input : one));
		const { child, ended } = start([...given, out], {
			DRAGOMAN_S2S_URL: address,
			DRAGOMAN_STT_URL: address,
			DRAGOMAN_TTS_URL: address,
			DRAGOMAN_LOG_LEVEL: 'error',
		});
		await expect.poll(() => double.asked.length, { timeout: 15_000 }).toBe(1);
		child.kill('SIGINT');
		expect(await ended).toMatchObject({ status: 130, out: '', error: 'Cancelled.\n' });
		expect(await readdir(folder)).not.toContain('new');
	});

	test('speech of a lost connection is kept under a name of its own', { timeout: 30_000 }, async () => {
		const double = await startSpeaker((ws) => ws.close(1011));
		const out = join(folder, 'hi.wav');
		const kept = join(folder, 'hi.cut.wav');
		const ran = await run(['speak', 'Hi there.', '--lang', 'en', '--out', out], {
			DRAGOMAN_TTS_URL: double.address,
		});
		expect(ran).toMatchObject({ out: `${kept}\n`, error: expect.stringContaining('cut off') });
		expect(ran.status).not.toBe(0);
		expect((await readdir(folder)).filter((name) => name.startsWith('hi'))).toEqual(['hi.cut.wav']);
		expect(await durationMs(kept)).toBe(1000);
	});

	test('Ctrl-C keeps what was spoken until then', { timeout: 30_000 }, async () => {
		const double = await startSpeaker();
		const words = ['speak', 'Hi there.', '--lang', 'en', '--out', join(folder, 'hi.wav')];
		const { child, ended } = start(words, { DRAGOMAN_TTS_URL: double.address });
		const written = async () => {
			const part = (await readdir(folder)).find((name) => name.endsWith('.part'));
			return part === undefined ? 0 : (await stat(join(folder, part))).size;
		};
		await expect.poll(written, { timeout: 15_000 }).toBeGreaterThan(10_000);
		child.kill('SIGINT');
		expect((await ended).status).toBe(130);
		expect((await readdir(folder)).filter((name) => name.startsWith('hi'))).toEqual(['hi.cut.wav']);
	});

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

	test('half a sentence of a lost connection is heard where it was said, not at the end', {
		timeout: 60_000,
	}, async () => {
		const piece = (value: number, id: string, last: boolean) => ({
			message_type: 'output_audio_data',
			data: {
				transcription_id: id,
				translation_part_id: '0',
				language: 'es',
				last_chunk: last,
				data: Buffer.from(new Int16Array(4800).fill(value).buffer).toString('base64'),
			},
		});
		const double = await startSocketDouble({
			serve(ws, connection) {
				const say = (message: object) => ws.send(JSON.stringify(message));
				let isHeard = false;
				ws.on('message', (data: Buffer) => {
					const { message_type: type } = JSON.parse(data.toString('utf8'));
					if (type === 'set_task')
						say({
							message_type: 'task_status',
							data: { command: 'set_task', event: 'started', task_status: 'running' },
						});
					if (type === 'end_task') say({ message_type: 'end_of_stream', data: {} });
					if (type !== 'input_audio_data' || isHeard) return;
					isHeard = true;
					say(piece(1000 * connection, `s${connection}`, connection > 1));
					if (connection === 1) ws.close(1011);
				});
			},
		});
		onTestFinished(() => double.close());
		const out = join(folder, 'out');
		const words = ['translate', input, '--from', 'en', '--to', 'es', '--out', out];
		expect((await run(words, { DRAGOMAN_S2S_URL: double.address })).status).toBe(0);
		const bytes = await readFile(join(out, 'talk.es.wav'));
		const samples = new Int16Array(
			bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length - (bytes.length % 2)),
		);
		const [first, second] = [samples.indexOf(1000), samples.indexOf(2000)];
		expect(first).toBeGreaterThanOrEqual(0);
		expect(second).toBeGreaterThan(first);
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

	test('cut off by signals, what was finished is kept, marked as cut, and under a name of its own', {
		timeout: 60_000,
	}, async () => {
		const file = await writeLongTalk();
		async function cutOff(command: 'translate' | 'transcribe', ...signals: NodeJS.Signals[]) {
			const out = join(folder, `${command}-${signals}`);
			const to = command === 'translate' ? ['--to', 'es', '--out', out] : ['--out', join(out, 'talk.srt')];
			const { child, ended } = start([command, file, '--from', 'en', '--json', ...to], {
				DRAGOMAN_USER_DATA: `${out}-data`,
			});
			let said = '';
			child.stdout.on('data', (data: Buffer) => {
				said += data.toString('utf8');
			});
			const last = command === 'translate' ? 'translation' : 'source';
			await expect.poll(() => said, { timeout: 30_000 }).toContain(`"type":"${last}"`);
			for (const signal of signals) {
				child.kill(signal);
				// Two that come at once would be one to the program.
				await new Promise((done) => setTimeout(done, 5));
			}
			const { status, error } = await ended;
			expect([command, signals, status]).toEqual([command, signals, 130]);
			expect(error).toContain('cut off');
			const names = (await readdir(out)).sort();
			const captions = command === 'translate' ? 'talk.cut.en.srt' : 'talk.cut.srt';
			expect(names).toContain(captions);
			expect(names.filter((name) => !name.startsWith('talk.cut.'))).toEqual([]);
			expect(await readFile(join(out, captions), 'utf8')).toMatch(
				/^1\n.*\n\w.*\n\n2\n.*\n\[cut off here\]\n$/,
			);
			if (command === 'translate') expect(names).toContain('talk.cut.captions.json');
		}
		/** The service takes one of these at a time. */
		async function cutOffTranscribing(): Promise<void> {
			await cutOff('transcribe', 'SIGINT');
			await cutOff('transcribe', 'SIGINT', 'SIGINT');
		}
		await Promise.all([
			cutOff('translate', 'SIGINT'),
			// A terminal that is closed, and then the end of npm.
			cutOff('translate', 'SIGHUP', 'SIGTERM'),
			// The end of the whole group, and then that of npm, or npm's own signal.
			cutOff('translate', 'SIGTERM', 'SIGTERM'),
			cutOffTranscribing(),
		]);
	});

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

	test('translate goes on when its readers have seen enough: its files are the result', {
		timeout: 60_000,
	}, async () => {
		async function translate(...names: ('stdout' | 'stderr')[]) {
			const out = join(folder, `${names}`);
			const { child, ended } = start(
				['translate', input, '--from', 'en', '--to', 'es', '--out', out, '--json'],
				{ DRAGOMAN_USER_DATA: `${out}-data` },
			);
			child.stdout.once('data', () => {
				for (const name of names) child[name].destroy();
			});
			expect((await ended).status).toBe(0);
			expect((await readdir(out)).filter((name) => /\.(wav|part)$/.test(name))).toEqual(['talk.es.wav']);
			expect(await durationMs(join(out, 'talk.es.wav'))).toBeGreaterThan(1000);
		}
		await Promise.all([translate('stdout'), translate('stdout', 'stderr')]);
	});

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

	test('Ctrl-C does not promise files that could not be written', { timeout: 60_000 }, async () => {
		const file = await writeLongTalk();
		async function cutOff(command: 'translate' | 'transcribe') {
			const out = join(folder, command);
			const to = command === 'translate' ? ['--to', 'es', '--out', out] : ['--out', join(out, 'talk.srt')];
			const taken = join(out, command === 'translate' ? 'talk.cut.en.srt' : 'talk.cut.srt');
			await mkdir(taken, { recursive: true });
			const { child, ended } = start([command, file, '--from', 'en', '--json', ...to], {
				DRAGOMAN_USER_DATA: `${out}-data`,
			});
			await once(child.stdout, 'data');
			child.kill('SIGINT');
			const { status, error } = await ended;
			expect(status).toBe(130);
			expect(error).toContain(`${taken} (EISDIR)`);
			expect(error).not.toContain('in the files called .cut');
		}
		await Promise.all([cutOff('translate'), cutOff('transcribe')]);
	});

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
});
