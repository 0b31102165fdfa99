import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAudio } from '#main/cli/audio-input.ts';
import type { Terminal } from '#main/cli/terminal.ts';
import { phrases } from '#sandbox/canned/phrases.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { treeOf } from '#test/support/canary.ts';
import { notRun } from '#test/support/not-run.ts';
import { runInProcess } from '#test/support/run-command.ts';
import { startSocketDouble } from '#test/support/socket-double.ts';
import {
	conversationPcm,
	durationMs,
	KEY,
	lines,
	streamingCommands,
	writeSound,
} from '#test/support/streaming-rig.ts';

let sandbox: Sandbox;
let folder: string;
let input: string;
const { start, run } = streamingCommands((world) => {
	({ sandbox, folder, input } = world);
});

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
		const translate = async (name: string, more: readonly string[], env: Record<string, string> = {}) => {
			const words = ['translate', input, '--from', 'en', '--to', 'es', '--out', join(folder, name), '--json'];
			const ran = await run([...words, ...more], env);
			expect(ran.status).toBe(0);
			const said = lines(ran.out).filter(({ type }) => type === 'translation');
			return { ...ran, said: said.map(({ text }) => text).join(' ') };
		};
		try {
			const [applied, without, refused] = await Promise.all([
				translate('applied.wav', []),
				translate('without.wav', ['--no-glossaries']),
				// A service that does not support the choice translates all the same, and the command says so.
				translate('refused.wav', ['--no-glossaries'], { DRAGOMAN_API_KEY: `${KEY}+refuse-glossaries` }),
			]);
			expect(applied.said).toContain('(Muy buenas)');
			expect(without.said).toContain('Buenos días');
			expect(without.said).not.toContain('Muy buenas');
			expect(refused.said).toContain('(Muy buenas)');
			expect(refused.error).toContain('This service cannot leave glossaries out: they apply.');
		} finally {
			await run(['glossaries', 'delete', added.out.trim(), '--yes']);
		}
	});

	test('the pauses of a file are kept: each sentence for itself, where it was spoken', {
		timeout: 60_000,
	}, async () => {
		// Two sentences with 5 s between them.
		const pcm = new Int16Array(24_000 * 9);
		pcm.set(conversationPcm(2.2), 12_000);
		pcm.set(conversationPcm(2.2), 24_000 * 6);
		await writeSound(input, pcm);
		const captions = join(folder, 'captions.srt');
		const ran = await Promise.all([
			run(['translate', input, '--from', 'en', '--to', 'es', '--out', join(folder, 'out')]),
			run(['transcribe', input, '--from', 'en', '--out', captions]),
		]);
		expect(ran).toMatchObject([{ status: 0 }, { status: 0 }]);
		for (const name of [join(folder, 'out', 'talk.en.srt'), captions]) {
			const begins = [...(await readFile(name, 'utf8')).matchAll(/^00:00:(\d\d),(\d{3}) -->/gm)].map(
				([, seconds, ms]) => Number(seconds) + Number(ms) / 1000,
			);
			expect(begins).toHaveLength(2);
			expect(begins[0]).toBeLessThan(1.5);
			expect(Math.abs((begins[1] ?? 0) - (begins[0] ?? 0) - 5.5)).toBeLessThan(0.5);
		}
	});

	test('transcribe writes text to standard output', { timeout: 60_000 }, async () => {
		const ran = await run(['transcribe', input, '--from', 'en', '--to', 'es']);
		expect(ran).toMatchObject({ status: 0, out: expect.stringMatching(/\w+.*\n\[es\] \w/) });
	});

	test('transcribe has the last words when the file ends, and nothing empty, doubled or of the protocol', {
		timeout: 60_000,
	}, async () => {
		const out = join(folder, 'talk.srt');
		const only = { DRAGOMAN_API_KEY: `${KEY}+only-finalize` };
		const longer = join(folder, 'longer.wav');
		await writeSound(longer, conversationPcm(7));
		const [open, ran] = await Promise.all([
			run(['transcribe', input, '--from', 'en', '--out', out], only),
			run(['transcribe', longer, '--from', 'en'], {
				DRAGOMAN_API_KEY: `${KEY}+empty-segments+repeated-finals`,
			}),
		]);
		expect(open.status).toBe(0);
		const srt = await readFile(out, 'utf8');
		expect(srt.match(/-->/g)).toHaveLength(1);
		expect(srt.replaceAll('\n', ' ')).toContain(phrases[0]?.text.en);
		expect(srt).not.toMatch(/fin>|…|\.\.\./);
		const [first = '', second = '', ...more] = ran.out.trimEnd().split('\n');
		expect([ran.status, first, more]).toEqual([0, phrases[0]?.text.en, []]);
		// Its final text was empty: what was heard until then stays.
		expect(second).toMatch(/\w/);
	});

	test('transcribe closes its connection at its end, and on Ctrl-C at once', {
		timeout: 60_000,
	}, async () => {
		const { api, stt } = sandbox.addresses;
		const env = { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: KEY, DRAGOMAN_USER_DATA: folder };
		const transcribe = (address: string, signal: AbortSignal) =>
			runInProcess('transcribe', [input, '--from', 'en'], {
				env: { ...env, DRAGOMAN_STT_URL: address },
				signal,
			});
		expect(await transcribe(stt, new AbortController().signal)).toMatchObject({ status: 0 });
		await expect.poll(() => sandbox.openSessions(), { timeout: 2000 }).toEqual([]);
		const pressed = new AbortController();
		const double = await startSocketDouble({ serve: (ws) => void ws.once('message', () => pressed.abort()) });
		onTestFinished(() => double.close());
		expect(await transcribe(double.address, pressed.signal)).toMatchObject({ status: 130 });
		await expect.poll(() => double.open.size, { timeout: 2000 }).toBe(0);
		// Nobody waits for the last words.
		expect(JSON.stringify(double.heard)).not.toContain('finalize');
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
		const [transcribed, translated] = await Promise.all([
			run(['transcribe', cut, '--from', 'en', '--out', join(folder, 'cut.srt')]),
			run(['translate', cut, '--from', 'en', '--to', 'es', '--out', join(folder, 'es.wav')]),
		]);
		expect(transcribed).toMatchObject({ status: 0, out: '' });
		expect(transcribed.error).toMatch(/cut short: of the 3\.6 s .* 0\.02 s\.\n.*No captions were written/);
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

	test('--version says which it is', { timeout: 30_000 }, async () => {
		const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
		expect(await run(['--version'])).toMatchObject({ status: 0, out: `${version}\n`, error: '' });
	});

	test('speaks UTF-16, and sends nothing of a text in another encoding', { timeout: 30_000 }, async () => {
		const speak = (bytes: Uint8Array, env = {}) =>
			run(['speak', '-', '--lang', 'es', '--out', join(folder, 'x.wav')], env, bytes);
		expect(await speak(Buffer.from('\uFEFFBuenos días.', 'utf16le'))).toMatchObject({ status: 0 });
		for (const bytes of [Buffer.from('Mañana, señor', 'latin1'), Buffer.from('Ma\uFFFDana')]) {
			// A connection would fail with 6.
			const ran = await speak(bytes, { DRAGOMAN_TTS_URL: 'ws://127.0.0.1:4599/' });
			expect(ran.status).toBe(7);
			expect(ran.error).toContain('The file standard input cannot be used');
			expect(ran.error).toContain('not UTF-8');
		}
	});

	const speak = ['speak', 'Hi', '--lang', 'en', '--out', '/dev/null/x.wav'];
	const translate = ['translate', 'x.wav', '--from', 'en', '--to'];
	test.each<[string, readonly string[], Record<string, string>, number]>([
		['a missing file', ['translate', 'none.wav', '--from', 'en', '--to', 'es'], {}, 7],
		['a file without sound', ['transcribe', 'package.json'], {}, 7],
		['a refused key', speak, { DRAGOMAN_API_KEY: 'wrong' }, 3],
		['no key', speak, { DRAGOMAN_API_KEY: '' }, 3],
		['nobody there', speak, { DRAGOMAN_TTS_URL: 'ws://127.0.0.1:4599/' }, 6],
		['a socket nobody named', speak, { DRAGOMAN_TTS_URL: '' }, 2],
		['a private address', speak, { DRAGOMAN_TTS_URL: 'ws://10.0.0.1/' }, 2],
		['an unknown language', [...translate, 'qq'], {}, 2],
		['a WAV for two languages', [...translate, 'es,fr', '--out', 'a.wav'], {}, 2],
		['a file in place of itself', [...translate, 'es', '--out', 'x.wav'], {}, 2],
	])('%s has its exit status', { timeout: 30_000 }, async (_, args, env, status) => {
		expect(await run(args, env)).toMatchObject({ status });
	});

	test('speak with a voice nobody has: 4, in a sentence, and no file', { timeout: 30_000 }, async () => {
		const out = join(folder, 'voice.wav');
		const ran = await run(['speak', 'Hi', '--lang', 'en', '--voice', 'nobody', '--out', out]);
		expect(ran).toMatchObject({ status: 4, out: '', error: expect.stringContaining('no voice "nobody".') });
		expect((await readdir(folder)).filter((name) => /^voice|\.part$/.test(name))).toEqual([]);
	});

	test('translate says that a voice is not available, and translates with another', {
		timeout: 30_000,
	}, async () => {
		const out = join(folder, 'out.wav');
		const words = ['translate', input, '--from', 'en', '--to', 'es', '--voice', 'nobody', '--out', out];
		const ran = await run(words);
		expect(ran).toMatchObject({ status: 0, error: expect.stringContaining('The voice is not available: ') });
		expect(await durationMs(out)).toBeGreaterThan(1000);
	});

	test.skipIf(process.platform === 'win32').each([
		['its own file by another name', 'is the file itself', (out: string) => symlinkSync(input, out)],
		['a pipe', 'is a pipe or a device', (out: string) => void spawnSync('mkfifo', [out])],
	])('translate into %s: 2, and nothing is sent', { timeout: 30_000 }, async (_, words, make) => {
		const out = join(folder, 'out.wav');
		make(out);
		const before = sandbox.counts();
		const ran = await run(['translate', input, '--from', 'en', '--to', 'es', '--out', out]);
		expect(ran).toMatchObject({ status: 2, out: '', error: expect.stringContaining(words) });
		expect(sandbox.counts()).toEqual(before);
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
