import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { type Ran, runInProcess } from '#test/support/run-command.ts';
import { newFolder, writeSample } from '#test/support/voices.ts';

const KEY = 'cli-voice-key';
const sandbox = await startSandbox({ key: KEY });
let folder = '';
let sample = '';
afterAll(() => sandbox.close());
beforeEach(() => {
	folder = newFolder();
	sample = writeSample(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One command in this process; `faults` are those of its key. */
async function run(args: readonly string[], faults = '', fields: Partial<Terminal> = {}): Promise<Ran> {
	const ran = await runInProcess('voices', args, {
		env: {
			DRAGOMAN_API_URL: sandbox.addresses.api,
			DRAGOMAN_API_KEY: faults === '' ? KEY : `${KEY}+${faults}`,
			DRAGOMAN_USER_DATA: folder,
		},
		...fields,
	});
	return ran;
}

const clone = (...more: string[]) => ['clone', sample, '--name', 'Ana', '--lang', 'es', ...more];
const CONSENT = '--i-have-consent';

test('clones with progress on standard error, then status and list know the voice', async () => {
	const words = ['--label', 'gender=female', '--attribute', 'warm', '--wait', '--json'];
	const cloned = await run(clone(CONSENT, ...words), 'voice-pending:20');
	expect(cloned.error).toContain('Sending 100 % (0.2 of 0.2 MB');
	expect(cloned.error).toContain('30 seconds or more give a better voice.');
	expect(cloned.error.match(/The sample is there/g)).toHaveLength(1);
	expect(cloned.status).toBe(0);
	const voice = JSON.parse(cloned.out);
	expect(voice).toMatchObject({ name: 'Ana', language: 'es', status: 'ready', problem: null });
	const asked = await run(['status', voice.voice_id, '--json']);
	expect(JSON.parse(asked.out)).toMatchObject({ voice_id: voice.voice_id, status: 'ready' });
	const listed = await run(['list'], 'voice-pending:20');
	expect(listed.out).toMatch(new RegExp(`${voice.voice_id}  Ana +es +ready`));
	// The register's rows belong to the account.
	expect((await run(['list'])).out).toBe('No voices were made on this computer with this key.\n');
});

test('without --wait it ends when the sample is there; status --wait follows it', {
	timeout: 30_000,
}, async () => {
	const faults = 'voice-pending:3300';
	const cloned = await run(clone(CONSENT, '--json'), faults);
	const voice = JSON.parse(cloned.out);
	expect([cloned.status, voice.status]).toEqual([0, 'pending']);
	const before = sandbox.counts().requests;
	const followed = await run(['status', voice.voice_id, '--wait'], faults);
	// It says once what it waits for, and asks at once, after two seconds and after five; the first command asks no more.
	const error = 'The sample is there; the service makes the voice.\n';
	expect(followed).toEqual({ status: 0, out: expect.stringContaining('status    ready'), error });
	expect(sandbox.counts().requests - before).toBeLessThanOrEqual(3);
	expect((await run(['list'], faults)).out).toContain('ready');
});

test('every option of a clone is in what is sent', async () => {
	let sent = '';
	const service = createServer(async (request, answer) => {
		sent = await text(request);
		answer.writeHead(422).end('{}');
	});
	await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
	onTestFinished(() => void service.close());
	const api = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
	const env = { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: KEY, DRAGOMAN_USER_DATA: folder };
	const labels = ['gender=female', 'age_group=young', 'mood=calm'].flatMap((label) => ['--label', label]);
	const about = ['--description', 'From home', '--attribute', 'warm', '--attribute', 'low', ...labels];
	const usual = {
		filename: 'me.wav',
		display_name: 'me.wav',
		mime_type: 'audio/wav',
		lang_code: 'es',
		item_id: expect.any(String),
	};
	const words = {
		description: 'From home',
		labels: { gender: 'female', age_group: 'young', mood: 'calm' },
		attributes: ['warm', 'low'],
	};
	for (const [options, data, ofSample] of [
		[[], {}, {}],
		[about, words, {}],
		[['--denoise'], {}, { denoise: true }],
		[['--normalize'], {}, { speech_normalization: true }],
		[['--skip-external'], { skip_external_voice: true }, {}],
	] as const) {
		await run(['clone', sample, '--name', 'Ana', '--lang', 'ES', CONSENT, ...options], '', { env });
		expect(JSON.parse(sent)).toEqual({
			data: { name: 'Ana', ...data, samples: [{ ...usual, ...ofSample }] },
		});
	}
});

test('with --wait it gives up after a quarter of an hour, as status does, and never as if the voice were there', async () => {
	const later = vi.spyOn(Date, 'now');
	onTestFinished(() => later.mockRestore());
	const said: string[] = [];
	const error = (text: string) => {
		said.push(text);
		// The sample is there, and the voice is being made.
		if (text.includes('the service makes the voice')) later.mockReturnValue(Date.now() + 15 * 60_000);
	};
	const cloned = await run(clone(CONSENT, '--wait', '--json'), 'voice-pending:60000', { error });
	expect(cloned.status).toBe(6);
	expect(JSON.parse(cloned.out).error).toMatchObject({ kind: 'timed-out', code: 6 });
	expect(said.join('')).toContain('ask again later with "voices status"');
	expect((await run(['list'], 'voice-pending:60000')).out).toContain('pending');
	later.mockRestore();
	const id = JSON.parse(readFileSync(join(folder, 'voices.json'), 'utf8')).voices[0].voiceId;
	const tick = vi.spyOn(performance, 'now');
	onTestFinished(() => tick.mockRestore());
	const now = performance.now();
	const followed = await run(['status', id, '--wait', '--json'], 'voice-pending:60000', {
		error: () => void tick.mockReturnValue(now + 15 * 60_000),
	});
	expect(JSON.parse(followed.out).error).toMatchObject({ kind: 'timed-out', code: 6 });
});

test.each([
	['voice-fails', 1, 'error  ', 'The sample holds more than one speaker.'],
	['voice-warns', 0, 'warning', 'The sample is noisy; the voice may be too.'],
])(
	'a voice with %s ends with %i and its reasons, also when its status is asked',
	async (fault, status, what, why) => {
		const faults = `${fault}+voice-pending:20`;
		const cloned = await run(clone(CONSENT, '--wait'), faults);
		const [, id = ''] = /^voice +(\S+)$/m.exec(cloned.out) ?? [];
		for (const ran of [cloned, await run(['status', id], faults)])
			expect(ran).toMatchObject({ status, out: expect.stringMatching(new RegExp(`^${what} +${why}$`, 'm')) });
		for (const ran of [await run(['status', id, '--json'], faults), await run(['list', '--json'], faults)])
			expect(ran.out).toContain(`"${why}"`);
	},
);

test('an upload that is refused says why, with the code for support, and stays in the list', async () => {
	const cloned = await run(clone(CONSENT), 'upload-403');
	expect(cloned.status).toBe(1);
	expect(cloned.out).toContain('did not accept the sample (403). (Access Denied; code AccessDenied)');
	expect((await run(['list'], 'upload-403')).out).toContain('created (upload-refused)');
	const { voices } = JSON.parse((await run(['list', '--json'], 'upload-403')).out);
	expect(voices).toMatchObject([{ sent_at: null, problem: { kind: 'upload-refused', code: 1 } }]);
});

test('the newest voice is the first of the list; a list that was damaged is said to be kept', async () => {
	for (const name of ['Ana', 'Bea']) await run(['clone', sample, '--name', name, '--lang', 'es', CONSENT]);
	expect((await run(['list'])).out).toMatch(/ Bea [\s\S]* Ana /);
	writeFileSync(join(folder, 'voices.json'), 'no list');
	expect(await run(['list'])).toMatchObject({
		status: 0,
		error: expect.stringContaining('voices.json.broken-'),
	});
});

test('a sample given by a path from here is found again from anywhere', async () => {
	const path = relative(process.cwd(), sample);
	await run(['clone', path, '--name', 'Ana', '--lang', 'es', CONSENT], 'upload-403');
	expect(readFileSync(join(folder, 'voices.json'), 'utf8')).toContain(JSON.stringify(sample));
});

test('consent is asked for on a terminal and demanded without one', async () => {
	const before = sandbox.counts().requests;
	const silent = await run(clone());
	expect([silent.status, silent.error]).toEqual([2, expect.stringContaining('add --i-have-consent')]);
	const questions: string[] = [];
	const confirm = async (question: string) => {
		questions.push(question);
		return false;
	};
	expect((await run(clone(), '', { confirm })).status).toBe(1);
	const declined = await run(clone('--json'), '', { confirm: async () => false });
	expect(JSON.parse(declined.out).error).toMatchObject({ kind: 'declined', code: 1 });
	const cancelled = await run(clone(), '', { confirm: async () => false, signal: AbortSignal.abort() });
	expect(cancelled.status).toBe(130);
	expect(questions).toEqual([expect.stringContaining('The voice in this sample is mine')]);
	expect(sandbox.counts().requests).toBe(before);
	expect((await run(clone(), '', { confirm: async () => true })).status).toBe(0);
});

test.each([
	[['clone', 'FILE', '--name', 'A', '--lang', 'es', CONSENT], 2, 'at least 3 characters'],
	[['clone', 'FILE', '--name', 'Ana', '--lang', 'tlh', CONSENT], 2, 'does not know this language'],
	[['clone', 'FILE', '--name', 'Ana', CONSENT], 2, '--lang is missing'],
	[['clone', 'FILE', '--name', 'Ana', '--lang', 'es', '--label', 'hat=red', CONSENT], 2, 'no label "hat"'],
	[['clone', 'NONE', '--name', 'Ana', '--lang', 'es', CONSENT], 7, 'it does not exist'],
	[['clone', 'TEXT', '--name', 'Ana', '--lang', 'es', CONSENT], 7, 'does not accept this kind of file'],
	[['status', 'x', '--name', 'Ana'], 2, 'has no option --name'],
	[['status', 'nobody'], 4, 'does not exist'],
	[['list', '--key-stdin', '--voice-token-stdin'], 2, 'one secret'],
	[['hum'], 2, 'no command "voices hum"'],
])('%j ends with %i: %s', async (args, status, words) => {
	const noSound = join(folder, 'words.wav');
	writeFileSync(noSound, 'only words');
	const files: Readonly<Record<string, string>> = {
		FILE: sample,
		NONE: join(folder, 'none.wav'),
		TEXT: noSound,
	};
	const ran = await run(args.map((arg) => files[arg] ?? arg));
	expect([ran.status, ran.error]).toEqual([status, expect.stringContaining(words)]);
});

test('a refused credential is named, and nothing is without one', async () => {
	const env = { DRAGOMAN_API_URL: sandbox.addresses.api, DRAGOMAN_USER_DATA: folder };
	const wrong = { env: { ...env, DRAGOMAN_API_KEY: KEY, DRAGOMAN_VOICE_TOKEN: 'wrong' } };
	const token = await run(clone(CONSENT, '--json'), '', wrong);
	expect([token.status, JSON.parse(token.out).error.kind]).toEqual([3, 'voice-token-rejected']);
	const key = await run(clone(CONSENT), '', { env: { ...env, DRAGOMAN_API_KEY: 'wrong' } });
	expect([key.status, key.error]).toEqual([3, expect.stringContaining('does not accept this API key')]);
	const none = await run(['list'], '', { env });
	expect([none.status, none.error]).toEqual([3, expect.stringContaining('DRAGOMAN_API_KEY')]);
	const piped = await run(['list', '--voice-token-stdin'], '', {
		env: { ...env },
		readInput: async () => `${sandbox.addresses.voice_token}\n`,
	});
	expect(piped.status).toBe(0);
});

test('Ctrl-C ends the upload, and the entry can be tried again in the app', async () => {
	const interrupted = new AbortController();
	const long = writeSample(folder, 'long.wav', 300);
	const args = ['clone', long, '--name', 'Ana', '--lang', 'es', CONSENT];
	let seen = '';
	const ran = await run(args, 'upload-slow:100', {
		signal: interrupted.signal,
		error(text) {
			seen += text;
			if (text.includes('is being sent')) interrupted.abort();
		},
	});
	expect(seen).toContain('is being sent');
	expect(ran.status).toBe(130);
	expect((await run(['list'], 'upload-slow:100')).out).toContain('created (cancelled)');
});

test('sentences of the service about a voice do not repeat the key', async () => {
	const service = createServer((request, answer) => {
		const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
		const data = {
			voice_id: 'v1',
			name: 'Ana',
			status: 'failed',
			processing_result: { errors: [`key ${key}`], warnings: [`for ${key}`] },
		};
		answer.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
		answer.end(JSON.stringify({ ok: true, data }));
	});
	await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
	const api = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
	const ran = await run(['status', 'v1', '--json'], '', {
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: KEY, DRAGOMAN_USER_DATA: folder },
	});
	service.close();
	expect(ran.out).toContain('key [redacted]');
	expect(ran.out + ran.error).not.toContain(KEY);
});
