import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { RoomServiceClient } from 'livekit-server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readArguments, warnOfOthers } from '#sandbox/command-line.ts';
import { faultTable } from '#sandbox/faults.ts';
import { startLivekitServer } from '#test/support/livekit-server.ts';
import { notRun } from '#test/support/not-run.ts';

/** A process of its own takes a while to start on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const children = new Set<ChildProcess>();

afterEach(() => {
	for (const child of children) child.kill('SIGKILL');
	children.clear();
});

function run(...args: string[]): ChildProcess {
	return runWith({}, ...args);
}

function runWith(env: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
	const child = spawn(process.execPath, ['src/sandbox/main.ts', ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, ...env },
	});
	children.add(child);
	return child;
}

function firstLine(child: ChildProcess): Promise<string> {
	const { stdout } = child;
	if (!stdout) throw new Error('no output');
	return new Promise((read) => createInterface({ input: stdout }).once('line', read));
}

/** Exit status, and everything written to one stream. */
function outcome(child: ChildProcess, stream: 'stdout' | 'stderr'): Promise<[number | null, string]> {
	return new Promise((done) => {
		let text = '';
		child[stream]?.on('data', (chunk) => {
			text += chunk;
		});
		child.on('close', (status) => done([status, text]));
	});
}

describe('npm run sandbox', () => {
	it.each(['SIGINT', 'SIGTERM'] as const)(
		'says its addresses in one line of JSON, serves, and ends clean on %s',
		async (signal) => {
			const child = run('--key', 'my-key-of-16-ch.', '--generation', 'older', '--livekit', 'older');
			const ended = outcome(child, 'stderr');
			const said = JSON.parse(await firstLine(child));
			expect(said).toEqual({
				api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
				key: 'my-key-of-16-ch.',
				voice_token: expect.stringMatching(/^eyJ/),
				s2s: expect.stringMatching(/^ws:.*\{hash\}/),
				stt: expect.stringMatching(/^ws:/),
				tts: expect.stringMatching(/^ws:/),
				webrtc: expect.stringMatching(/^ws:.*\/livekit\/$/),
			});
			const listed = await fetch(`${said.api}/session-storage/sessions`, {
				headers: { Authorization: 'Bearer my-key-of-16-ch.' },
			});
			expect(listed.status).toBe(200);
			child.kill(signal);
			expect(await ended).toEqual([0, '']);
		},
	);

	it('names every fault in its help', async () => {
		const [status, text] = await outcome(run('--help'), 'stdout');
		expect(status).toBe(0);
		for (const name of Object.keys(faultTable)) expect(text).toContain(`  ${name} `);
	});

	it.each([
		[['--fault', 'nonsense'], 'unknown fault'],
		[['--port', '99999'], '--port'],
		[['--generation', 'newest'], '--generation'],
		[['--colour', 'red'], '--colour'],
		[['--key', 'fifteen-letters'], '--key must have 16 characters or more'],
	])('ends with status 2 and a sentence for %j', async (args, sentence) => {
		const [status, text] = await outcome(run(...args), 'stderr');
		expect(status).toBe(2);
		expect(text).toContain(sentence);
	});

	it('says that other computers may reach it when it does not listen on loopback alone', async () => {
		const child = run('--host', '0.0.0.0');
		const ended = outcome(child, 'stderr');
		await firstLine(child);
		child.kill('SIGTERM');
		expect(await ended).toEqual([0, expect.stringContaining('It listens on 0.0.0.0: other computers may')]);
	});

	it('fails with status 1 when its port is taken', async () => {
		const first = run();
		const { api } = JSON.parse(await firstLine(first));
		const [status, text] = await outcome(run('--port', new URL(api).port), 'stderr');
		expect(status).toBe(1);
		expect(text).toContain('could not start');
	});
});

it('has its rooms on the LiveKit deployment that the variables name', async ({ skip }) => {
	const server = await startLivekitServer('v1.8.4');
	if ('missing' in server) {
		notRun('npm run sandbox on a LiveKit deployment', server.missing);
		return skip('no LiveKit server here');
	}
	try {
		const { url, key, secret } = server;
		const child = runWith({ LIVEKIT_URL: url, LIVEKIT_API_KEY: key, LIVEKIT_API_SECRET: secret });
		const ended = outcome(child, 'stderr');
		const said = JSON.parse(await firstLine(child));
		expect(said.webrtc).toBe(url);
		const headers = { authorization: `Bearer ${said.key}`, 'content-type': 'application/json' };
		const body = JSON.stringify({ data: { subscriber_count: 0, publisher_can_subscribe: true } });
		const sessions = `${said.api}/session-storage`;
		const created = await fetch(`${sessions}/session`, { method: 'POST', headers, body });
		const { data } = (await created.json()) as { data: { id: string; webrtc_url: string } };
		expect(data.webrtc_url).toBe(url);
		const rooms = new RoomServiceClient(url.replace('ws:', 'http:'), key, secret);
		const [room] = await rooms.listRooms();
		const present = await rooms.listParticipants(room?.name ?? '');
		expect(present.map(({ identity }) => identity)).toEqual([expect.stringMatching(/^palabra_translator_/)]);
		await fetch(`${sessions}/sessions/${data.id}`, { method: 'DELETE', headers });
		await expect.poll(() => rooms.listRooms(), { timeout: 5000 }).toEqual([]);
		child.kill('SIGTERM');
		expect(await ended).toEqual([0, '']);
	} finally {
		await server.stop();
	}
});

describe('arguments of the sandbox', () => {
	it('warn of addresses that are not loopback, names below localhost among them', () => {
		expect([undefined, 'localhost', '127.0.0.1', '127.9.9.9', '::1'].map((it) => warnOfOthers(it))).toEqual(
			Array.from({ length: 5 }, () => null),
		);
		for (const host of ['0.0.0.0', '::', '192.168.1.2', 'x.localhost', 'my-computer', '127.evil.example'])
			expect(warnOfOthers(host)).toContain(host);
	});

	it('take a key of 16 characters, not one of 15', () => {
		expect(readArguments(['--key', 'k'.repeat(16)])).toMatchObject({ key: 'k'.repeat(16) });
		expect(readArguments(['--key', 'k'.repeat(15)])).toEqual({ wrong: expect.stringContaining('16') });
	});

	it('are read into options', () => {
		expect(
			readArguments(['--port', '7000', '--interpreter', 'echo', '--fault', 'slow', '--fault', '500@list:2']),
		).toEqual({
			port: 7000,
			interpreter: 'echo',
			faults: ['slow', '500@list:2'],
		});
	});
});
