import { spawnSync } from 'node:child_process';
import { linkSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostOfNobody } from '#test/support/nobody-there.ts';
import { notRun } from '#test/support/not-run.ts';
import { runInProcess } from '#test/support/run-command.ts';
import type { TopicName } from './command-list.ts';
import { levelPassedOver } from './line.ts';
import { runCommand } from './run.ts';
import type { Terminal } from './terminal.ts';

const ENV = {
	DRAGOMAN_API_URL: 'http://127.0.0.1:1',
	DRAGOMAN_API_KEY: 'usage-test-key',
	DRAGOMAN_USER_DATA: join(tmpdir(), 'dragoman-usage-nothing-here'),
};

async function run(command: TopicName, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
	let error = '';
	const terminal: Terminal = {
		env: { ...ENV, ...env },
		out() {},
		error(text) {
			error += text;
		},
		readInput: async () => '',
		confirm: null,
		signal: new AbortController().signal,
	};
	return { status: await runCommand(command, args, terminal), error };
}

test.each([
	['history', ['delete', '--all', '--yes', '--user-data-dir', ''], /^--user-data-dir needs a value/],
	['sessions', ['list', '--api-url='], /^--api-url needs a value/],
	['translate', ['x.wav', '--from', 'en', '--to', 'es', '--to', ''], /^--to needs a value/],
	['speak', ['Hi', '--lang', 'xx'], /^--lang: .*"xx".*\ben\b/],
	['transcribe', ['x.wav', '--from', 'xx'], /^--from: .*"xx".*\bauto\b.*\ben\b/],
	['transcribe', ['x.wav', '--to', 'es,xx'], /^--to: .*"xx".*\bes\b/],
	['transcribe', ['x.wav', '--to', 'xx', '--to', 'es'], /^--to: .*"xx".*\bes\b/],
	['translate', ['x.wav', '--from', 'en', '--to', 'xx', '--to', 'es'], /^--to: "xx" is not/],
	['translate', ['x.wav', '--from', 'en', '--to', 'en'], /the same language: en/],
	[
		'translate',
		['x.wav', '--from', 'en', '--to', 'es', '--out', 'y.mp3'],
		/^--out needs a name that ends in \.wav/,
	],
	['sessions', ['show'], /^"sessions show" needs one argument\./],
	['history', ['list', 'one', 'two'], /^"history list" takes no argument: one two/],
	['history', ['delete', '--all', 'one'], /^"history delete --all" takes no argument: one/],
	['voices', ['status', 'one', 'two'], /^"voices status" takes one argument, not 2\./],
	['speak', ['Hi', '--lang', 'en'], /\(tts\).* Give it with --tts-url or DRAGOMAN_TTS_URL\./],
	['speak', ['Hi', '--lang', 'en', '--tts-url', 'foo'], /this address: foo\. It must start with/],
	[
		'speak',
		['Hi', '--lang', 'en', '--tts-url', 'ws://127.0.0.1:6000/x'],
		/port 6000 of 127\.0\.0\.1: .*browsers/,
	],
	['sessions', ['list', '--api-url', 'http://127.0.0.1:6000'], /port 6000 of 127\.0\.0\.1: /],
	['speak', ['', '--lang', 'en'], /^There is nothing to say: the text is empty\./],
	['speak', [' \n\u200b\ufe0f', '--lang', 'en'], /^There is nothing to say/],
	['speak', ['Ma\uFFFDana', '--lang', 'es'], /^The text has a character that could not be read/],
	['speak', ['-', '--lang', 'en'], /^There is nothing to say: the text on standard input is empty\./],
	...(
		[
			['speak', ['Hi', '--lang', 'en']],
			['transcribe', ['x.wav']],
			['translate', ['x.wav', '--from', 'en', '--to', 'es']],
			['sessions', ['list']],
			['voices', ['list']],
			['doctor', []],
		] as const
	).map(
		([command, args]) =>
			[
				command,
				[...args, '--log-level', 'loud'],
				/^--log-level: "loud" is none of error, warn, info, debug\.\nTry: /,
			] as const,
	),
	['speak', ['Hi', '--lang', 'en', '--tts-url', 'http://127.0.0.1:4321'], /this address: 127\.0\.0\.1\. /],
] as const)('%s %j is a usage error that names what is wrong', async (command, args, words) => {
	expect(await run(command, args)).toEqual({ status: 2, error: expect.stringMatching(words) });
});

test.each([
	['nosuch.raw', 'it does not exist'],
	['docs', 'it is not a file'],
])('raw sound from %s is refused as any other file is, before anything is sent', async (file, words) => {
	const refused = await run('transcribe', [file, '--raw']);
	expect(refused).toEqual({ status: 7, error: expect.stringContaining(words) });
});

test('another name of the file itself is no place for its translation', async ({ onTestFinished }) => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-usage-'));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const [talk, link] = [join(folder, 'talk.wav'), join(folder, 'link.wav')];
	writeFileSync(talk, '');
	linkSync(talk, link);
	const refused = await run('translate', [talk, '--from', 'en', '--to', 'es', '--out', link]);
	expect(refused).toEqual({ status: 2, error: expect.stringMatching(/^--out is the file itself\./) });
});

const pipeless = process.platform === 'win32' ? 'Windows has none' : '';
test.skipIf(pipeless !== '' && notRun('a named pipe in place of a file', pipeless))(
	'a named pipe is not replaced by a WAV, and the service is not asked for one',
	async ({ onTestFinished }) => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-usage-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const [talk, pipe] = [join(folder, 'talk.wav'), join(folder, 'pipe.wav')];
		writeFileSync(talk, '');
		spawnSync('sh', ['-c', 'mkfifo "$0"', pipe]);
		const refused = { status: 2, error: expect.stringMatching(/^--out: .*pipe\.wav is a pipe or a device/) };
		expect(await run('speak', ['Hi', '--lang', 'en', '--out', pipe])).toEqual(refused);
		expect(await run('translate', [talk, '--from', 'en', '--to', 'es', '--out', pipe])).toEqual(refused);
		expect(lstatSync(pipe).isFIFO()).toBe(true);
	},
);

test('an address that cannot be used is shown without what may be a secret', async () => {
	for (const address of ['wss://user:hidden@/x', 'foo?token=hidden', 'wss:// x@y/?token=hidden#hidden']) {
		const { status, error } = await run('speak', ['Hi', '--lang', 'en', '--tts-url', address]);
		expect(status).toBe(2);
		expect(error).not.toContain('hidden');
	}
});

test('names the unreachable host; on this computer it hints that the sandbox may not be running', async () => {
	const host = await hostOfNobody();
	const words = `at ${host} (ECONNREFUSED). Check that the sandbox (npm run sandbox) is running`;
	const list = await run('sessions', ['list', '--api-url', `http://${host}`]);
	expect(list).toEqual({ status: 6, error: expect.stringContaining(words) });
	const speak = await run('speak', ['Hi', '--lang', 'en', '--tts-url', `ws://${host}/x?`]);
	expect(speak).toEqual({ status: 6, error: expect.stringContaining(words) });
});

test('where https: finds what does not encrypt, http: is suggested', async () => {
	const server = createServer((_, answer) => answer.end('{}'));
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const words = /\(ERR_SSL_WRONG_VERSION_NUMBER\)\. .*begins with http:/;
	const list = await run('sessions', ['list', '--api-url', `https://${host}`]);
	expect(list).toEqual({ status: 6, error: expect.stringMatching(words) });
	const speak = await run('speak', ['Hi', '--lang', 'en', '--tts-url', `wss://${host}/x`]);
	expect(speak).toEqual({ status: 6, error: expect.stringMatching(words) });
	await new Promise((done) => server.close(done));
});

test.each([
	['speak', ['Hi', '--langg', 'en'], /^Unknown option '--langg'\.\nTry: /],
	['speak', ['Hi', '--lang'], /^--lang needs a value\.\nTry: /],
	['speak', ['Hi', '--key', 'hidden-1'], /DRAGOMAN_API_KEY or --key-stdin/],
	['sessions', ['list', '--key', 'hidden-1'], /DRAGOMAN_API_KEY or --key-stdin/],
	['voices', ['list', '--voice-token=hidden-1'], /DRAGOMAN_VOICE_TOKEN, .*--voice-token-stdin/],
	['doctor', ['--api-key', 'hidden-1'], /DRAGOMAN_API_KEY or --key-stdin/],
	['history', ['list', '--serch', 'x'], /^Unknown option '--serch'\.\nTry: /],
] as const)('%s %j: what is wrong in one sentence, and no key repeated', async (command, args, words) => {
	const { status, error } = await run(command, args);
	expect(status).toBe(2);
	expect(error).toMatch(words);
	expect(error).not.toMatch(/hidden|positional/);
});

test.each([
	['speak', ['Hi', '--json', '--langg', 'en'], /^Unknown option '--langg'\.$/],
	['speak', ['Hi', '--lang', '--json'], /^--lang needs a value\.$/],
	['sessions', ['show', '--json'], /^"sessions show" needs one argument\.$/],
	['sessions', ['delete', 'x', '--json'], /add --yes to delete\.$/],
	['history', ['delete', '--all', '--json'], /add --yes to delete\.$/],
	['history', ['export', 'x', '--format', 'doc', '--json'], /^--format must be /],
	['speak', ['-', '--lang', 'en', '--json'], /the text on standard input is empty\.$/],
	['translate', ['x.wav', '--to', 'es', '--json'], /--from needs a code/],
] as const)('%s %j: with --json what is wrong is a document', async (command, args, words) => {
	const { status, out, error } = await runInProcess(command, args, { env: ENV });
	expect({ status, error }).toEqual({ status: 2, error: '' });
	const message = expect.stringMatching(words);
	expect(JSON.parse(out)).toEqual({ error: { kind: 'usage', message, code: 2 } });
});

test('ignores an invalid log level of the environment, and reports it', () => {
	const words = 'DRAGOMAN_LOG_LEVEL: "loud" is none of error, warn, info, debug and is not used.';
	expect(levelPassedOver({ DRAGOMAN_LOG_LEVEL: 'loud' })).toBe(words);
	for (const level of ['debug', '', undefined])
		expect(levelPassedOver({ DRAGOMAN_LOG_LEVEL: level })).toBe('');
});
