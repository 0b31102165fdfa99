import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { notRun } from '#test/support/not-run.ts';

/*
 * The service vendor's Python clients, unchanged but for their addresses, hold whole conversations
 * with the sandbox on all three sockets: the newest, and the one of the generation before. The vendor's server for
 * Home Assistant asks the two text sockets for what these clients do not: `finalize`, and several texts at once.
 */

interface Translated {
	readonly kinds: readonly string[];
	readonly sources: readonly string[];
	readonly translations: readonly string[];
	readonly lasts: number;
	readonly problems: readonly string[];
	readonly ids: Readonly<Record<string, readonly string[]>>;
	readonly loudest: Readonly<Record<string, number>>;
	readonly seconds: Readonly<Record<string, number>>;
}

interface Seen {
	readonly translate: Translated;
	readonly zlib: Translated;
	readonly transcribe: {
		readonly partials: number;
		readonly finals: readonly string[];
		readonly translations: readonly (readonly [string, string])[];
	};
	readonly speak: {
		readonly first: { readonly seconds: number; readonly loudest: number };
		readonly other: { readonly seconds: number; readonly loudest: number };
		readonly wav: string;
	};
	readonly 'bad key': string;
}

const clients = [
	{ version: '2.2.1', generation: 'current', end: 'end_of_stream', ready: 'task_status' },
	{ version: '2.0.2', generation: 'older', end: 'eos', ready: 'current_task' },
] as const;

/** Pacing on a busy machine; tones where espeak-ng is missing. */
const harmless = /^(AUDIO_STREAM_|PLACEHOLDER_VOICE$)/;
const OWN_TEXT = 'Una frase que no está en ninguna tabla.';
const said = (language: 'en' | 'es' | 'fr' | 'de', count: number) =>
	phrases.slice(0, count).map(({ text }) => text[language]);

/** Where what tests fetch is kept between runs. */
const CACHE = join(homedir(), '.cache/dragoman-tests');
const PACKAGE = 'palabra-ai';
const INSTALL_LIMIT_MS = 180_000;

for (const { version, generation, end, ready } of clients) {
	const client = pythonClient(version);
	const missing = 'missing' in client ? client.missing : null;

	describe.skipIf(missing !== null && notRun(`vendor Python client ${version}`, missing))(
		`the vendor’s Python client ${version}`,
		() => {
			it('translates, transcribes and speaks', async () => {
				if (!('python' in client)) return;
				const sandbox = await startSandbox({ generation });
				const { s2s, stt, tts, key } = sandbox.addresses;
				const env = { S2S: s2s, STT: stt, TTS: tts, KEY: key, WAV: 'resources/speech/en-conversation.wav' };
				try {
					const seen = (await runScript(client.python, 'conversation.py', env)) as Seen;
					for (const translated of [seen.translate, seen.zlib]) {
						expect(translated.sources).toEqual(said('en', 2));
						expect([...translated.translations].sort()).toEqual(
							[...said('es', 2), ...said('fr', 2), OWN_TEXT].sort(),
						);
						expect(translated.kinds).toEqual(
							expect.arrayContaining([ready, end, 'partial_translated_transcription']),
						);
						// Two sentences in two languages, and the text of its own.
						expect(translated.lasts).toBe(5);
						expect(
							Object.values(translated.ids)
								.map((languages) => languages.length)
								.sort(),
						).toEqual([1, 3, 3]);
						for (const language of ['es', 'fr']) {
							expect(translated.loudest[language]).toBeGreaterThan(0.1);
							expect(translated.seconds[language]).toBeGreaterThan(3);
						}
						expect(translated.problems.filter((code) => !harmless.test(code))).toEqual([]);
					}
					expect(seen.transcribe.partials).toBeGreaterThan(3);
					expect(seen.transcribe.finals).toEqual(said('en', 2));
					expect(seen.transcribe.translations).toHaveLength(4);
					expect(seen.transcribe.translations.map(([, text]) => text).sort()).toEqual(
						[...said('es', 2), ...said('de', 2)].sort(),
					);
					for (const spoken of [seen.speak.first, seen.speak.other]) {
						expect(spoken.seconds).toBeGreaterThan(1.5);
						expect(spoken.loudest).toBeGreaterThan(0.1);
					}
					expect(seen.speak.wav).toBe('RIFF');
					expect(seen['bad key']).toBe('SessionError');
					expect(sandbox.openSessions()).toEqual([]);
					expect(sandbox.counts()).toEqual({ created: 5, deleted: 5, requests: 0 });
				} finally {
					await sandbox.close();
				}
			}, 150_000);
		},
	);
}

const server = pythonWith(
	{ 'wyoming-palabra': '0.1.0', 'palabra-ai': '2.2.1', wyoming: '1.10.2' },
	'python-wyoming-0.1.0',
);
const missing = 'missing' in server ? server.missing : null;

test.skipIf(missing !== null && notRun('vendor server for Home Assistant', missing))(
	'the vendor’s server for Home Assistant has the words of a command at once, and speaks texts in their order',
	async () => {
		if (!('python' in server)) return;
		// Silence makes nothing final here: the words of a command come because they are asked for.
		const sandbox = await startSandbox({ faults: ['only-finalize'] });
		const { stt, tts, key } = sandbox.addresses;
		const env = { STT: stt, TTS: tts, KEY: key, WAV: 'resources/speech/en-conversation.wav' };
		try {
			const seen = (await runScript(server.python, 'home_assistant.py', env)) as HomeAssistant;
			const [command] = said('en', 1);
			expect(seen.languages).toBe(13);
			// It would wait ten seconds for an answer that does not come.
			expect(seen.heard.map(([text]) => text)).toEqual([command, command]);
			for (const [, seconds] of seen.heard) expect(seconds).toBeLessThan(10);
			expect(seen.silence).toBe('');
			expect(seen.whole).toBeGreaterThan(1);
			expect(seen.streamed).toBeGreaterThan(1.5);
			await expect.poll(() => sandbox.openSessions()).toEqual([]);
		} finally {
			await sandbox.close();
		}
	},
	150_000,
);

interface HomeAssistant {
	readonly languages: number;
	/** Each with the seconds it took. */
	readonly heard: readonly (readonly [string, number])[];
	readonly silence: string;
	/** Seconds of speech. */
	readonly whole: number;
	readonly streamed: number;
}

type PythonClient = { readonly python: string } | { readonly missing: string };

/**
 * A Python that has the vendor's client of that version, in a virtual environment of its own that is
 * made once. `missing` says why there is none: no Python, no venv module, or no package index.
 */
function pythonClient(version: string): PythonClient {
	return pythonWith({ [PACKAGE]: version }, `python-${version}`);
}

/** A Python that has these versions of these packages. */
function pythonWith(packages: Readonly<Record<string, string>>, name: string): PythonClient {
	const folder = join(CACHE, name);
	const wanted = Object.entries(packages).map(([one, version]) => `${one}==${version}`);
	const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
	if (installed(python, packages)) return { python };
	const system = ['python3', 'python'].find((name) => isNewEnough(name));
	if (!system) return { missing: 'no Python 3.10 or later' };
	// An environment left by an interrupted run is useless.
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(CACHE, { recursive: true });
	const made = run(system, ['-m', 'venv', folder]);
	if (made !== null) return { missing: `no virtual environment: ${made}` };
	const fetched = run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted]);
	const named = wanted.join(', ').replaceAll('==', ' ');
	if (fetched !== null) return { missing: `the package ${named} could not be installed: ${fetched}` };
	return installed(python, packages) ? { python } : { missing: `the package ${named} is broken` };
}

function isNewEnough(program: string): boolean {
	return spawnSync(program, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;
}

function installed(python: string, packages: Readonly<Record<string, string>>): boolean {
	const wanted = JSON.stringify(packages);
	const check = `import importlib.metadata as m, palabra_ai, sys; sys.exit(any(m.version(n) != v for n, v in ${wanted}.items()))`;
	return existsSync(python) && spawnSync(python, ['-c', check]).status === 0;
}

/** Null when it went well, else the last line it wrote. */
function run(program: string, args: readonly string[]): string | null {
	const done = spawnSync(program, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS });
	if (done.status === 0) return null;
	return `${done.stderr ?? ''}${done.error?.message ?? ''}`.trim().split('\n').at(-1) || 'no reason given';
}

/** Runs a script of `test/vendor-python`; returns its standard output as JSON, or its error output. */
function runScript(python: string, script: string, env: Readonly<Record<string, string>>): Promise<unknown> {
	return new Promise((done, failed) => {
		const child = spawn(python, [join('test/vendor-python', script)], {
			env: { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: '1' },
			stdio: ['ignore', 'pipe', 'pipe'],
			timeout: 120_000,
		});
		let out = '';
		let complaint = '';
		child.stdout.on('data', (chunk) => (out += chunk));
		child.stderr.on('data', (chunk) => (complaint += chunk));
		child.on('error', failed);
		child.on('close', (code) => {
			if (code === 0) done(JSON.parse(out));
			else failed(new Error(`${script} ended with ${code}: ${complaint.slice(-2000)}`));
		});
	});
}
