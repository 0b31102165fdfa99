import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readArguments } from '#sandbox/command-line.ts';
import { faultTable } from '#sandbox/faults.ts';

/** A process of its own takes a while to start on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const children = new Set<ChildProcess>();

afterEach(() => {
	for (const child of children) child.kill('SIGKILL');
	children.clear();
});

function run(...args: string[]): ChildProcess {
	const child = spawn(process.execPath, ['src/sandbox/main.ts', ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	children.add(child);
	return child;
}

/** Exit status and all of one stream. */
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
			const child = run('--key', 'my-key', '--generation', 'older', '--livekit', 'older');
			const ended = outcome(child, 'stderr');
			if (!child.stdout) throw new Error('no output');
			const line = await new Promise<string>((read) =>
				createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', read),
			);
			const said = JSON.parse(line);
			expect(said).toEqual({
				api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
				key: 'my-key',
				voice_token: expect.stringMatching(/^eyJ/),
				s2s: expect.stringMatching(/^ws:.*\{hash\}/),
				stt: expect.stringMatching(/^ws:/),
				tts: expect.stringMatching(/^ws:/),
				webrtc: expect.stringMatching(/^ws:.*\/livekit\/$/),
			});
			const listed = await fetch(`${said.api}/session-storage/sessions`, {
				headers: { Authorization: 'Bearer my-key' },
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
	])('ends with status 2 and a sentence for %j', async (args, sentence) => {
		const [status, text] = await outcome(run(...args), 'stderr');
		expect(status).toBe(2);
		expect(text).toContain(sentence);
	});

	it('fails with status 1 when its port is taken', async () => {
		const first = run();
		const line = await new Promise<string>((read) =>
			createInterface({ input: first.stdout as NodeJS.ReadableStream }).once('line', read),
		);
		const [status, text] = await outcome(run('--port', new URL(JSON.parse(line).api).port), 'stderr');
		expect(status).toBe(1);
		expect(text).toContain('could not start');
	});
});

describe('arguments of the sandbox', () => {
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
