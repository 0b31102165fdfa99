import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	unwatchFile,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { contentPolicy } from '#main/app/guards.ts';
import { takeInstanceLock } from './app.ts';
import * as standIn from './electron.ts';
import { serveLoopback } from './message-ports.ts';
import { readSwitches } from './program.ts';
import { strict } from './strict.ts';
import { StandInContents } from './web-contents.ts';

const watching = vi.hoisted(() => ({ fails: false }));
vi.mock('node:fs', async (importActual) => {
	const fs = await importActual<typeof import('node:fs')>();
	const watch = (...args: Parameters<typeof fs.watch>) => {
		if (watching.fails) throw Object.assign(new Error('no watch left'), { code: 'ENOSPC' });
		return fs.watch(...args);
	};
	return { ...fs, watch };
});

/** Names main may use although only the real shell has them; each is guarded by a check of its own. */
const ELECTRON_ONLY: readonly string[] = [];

const folder = 'src/main/electron';
const sources = readdirSync(folder)
	.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
	.map((name) => readFileSync(join(folder, name), 'utf8'));

test('every name that main takes from electron is in the stand-in, or listed as the real shell only', () => {
	const names = sources.flatMap((text) =>
		[...text.matchAll(/import \{([^}]*)\} from 'electron'/g)].flatMap(([, list = '']) =>
			list
				.split(',')
				.map((name) => name.trim())
				.filter((name) => name !== '' && !name.startsWith('type ')),
		),
	);
	expect(names).toContain('BrowserWindow');
	const missing = [...new Set(names)].filter((name) => !(name in standIn) && !ELECTRON_ONLY.includes(name));
	expect(missing).toEqual([]);
});

test('every member main uses of them is there too', () => {
	const objects = Object.entries(standIn).filter(([, value]) => typeof value === 'object');
	const missing = objects.flatMap(([name, value]) =>
		sources.flatMap((text) =>
			[...text.matchAll(new RegExp(`(?<![.\\w])${name}\\.(\\w+)\\(`, 'g'))]
				// A session handed in as an argument is the default session, not the module.
				.filter(([, member = '']) => !(member in value) && !(name === 'session' && member.startsWith('set')))
				.map(([whole]) => whole),
		),
	);
	expect(missing).toEqual([]);
});

test('a missing feature of the stand-in throws its name', () => {
	const app = strict('app', { quit: () => 'done' });
	expect(app.quit()).toBe('done');
	expect(() => (app as unknown as { dock: unknown }).dock).toThrow('not in the stand-in: app.dock');
	expect(() => standIn.app.getPath('videos')).toThrow("not in the stand-in: app.getPath('videos')");
});

test('a system without watches left is no second program: the first looks for itself who knocks', {
	timeout: 15_000,
}, async () => {
	const place = mkdtempSync(join(tmpdir(), 'dragoman-lock-'));
	watching.fails = true;
	const heard: string[][] = [];
	try {
		expect(takeInstanceLock(place, (argv) => heard.push(argv))).toBe(true);
		expect(takeInstanceLock(place, () => {})).toBe(false);
		await expect.poll(() => heard, { timeout: 10_000 }).toEqual([process.argv]);
	} finally {
		watching.fails = false;
		unwatchFile(join(place, 'stand-in', 'knock'));
	}
	// Where nothing can be written, nobody can be there already.
	writeFileSync(join(place, 'file'), '');
	expect(takeInstanceLock(join(place, 'file'), () => {})).toBe(true);
	rmSync(place, { recursive: true });
});

test('no module is loaded by a path, which is no address where a folder is called C#', () => {
	const programs = ['src/stand-in', 'src/demo', 'src/main/electron', 'scripts'].flatMap((from) =>
		readdirSync(from).map((name) => join(from, name)),
	);
	const loading = programs
		.filter((path) => /(?<!\.test)\.(ts|mjs)$/.test(path))
		.filter((path) => /\bimport\(\s*(join|resolve)\(/.test(readFileSync(path, 'utf8')));
	expect(loading).toEqual([]);
});

test('there is one program per data folder; a dead owner does not count', () => {
	const place = mkdtempSync(join(tmpdir(), 'dragoman-lock-'));
	expect(takeInstanceLock(place, () => {})).toBe(true);
	expect(takeInstanceLock(place, () => {})).toBe(false);
	writeFileSync(join(place, 'stand-in', 'lock'), JSON.stringify({ pid: 2 ** 22 + 1, start: '1' }));
	expect(takeInstanceLock(place, () => {})).toBe(true);
	rmSync(place, { recursive: true });
});

test('a lock of a process number that was given to another program does not count', () => {
	const place = mkdtempSync(join(tmpdir(), 'dragoman-lock-'));
	mkdirSync(join(place, 'stand-in'));
	writeFileSync(join(place, 'stand-in', 'lock'), JSON.stringify({ pid: process.pid, start: 'long ago' }));
	expect(takeInstanceLock(place, () => {})).toBe(true);
	rmSync(place, { recursive: true });
});

test("the app's own handler answers, with its headers, only below the secret path and the right host", async () => {
	const asked: string[] = [];
	const server = await serveLoopback('app', 'dragoman', (request) => {
		asked.push(request.url);
		return new Response('hello', {
			status: 203,
			headers: { 'content-security-policy': "default-src 'none'" },
		});
	});
	const address = server.toLoopback('app://dragoman/index.html?a=1');
	const answer = await fetch(address);
	expect([answer.status, await answer.text(), answer.headers.get('content-security-policy')]).toEqual([
		203,
		'hello',
		"default-src 'none'",
	]);
	expect(asked).toEqual(['app://dragoman/index.html?a=1']);
	expect(server.toApp(address)).toBe('app://dragoman/index.html?a=1');
	expect((await fetch(`${server.origin}/index.html`)).status).toBe(404);
	server.close();
});

test('the empty page a browser is started with has no secret in its address, and nothing else is there without', async () => {
	const server = await serveLoopback('app', 'dragoman', () => new Response('hello'));
	const [, secret = ''] = new URL(server.toLoopback('app://dragoman/index.html')).pathname.split('/');
	expect(secret).toHaveLength(24);
	expect(server.blank).not.toContain(secret);
	expect(await (await fetch(server.blank)).text()).not.toContain(secret);
	for (const path of ['/', '/index.html', '/.port-worker.js', '/.ports/x', '/.blank/index.html'])
		expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 404]);
	server.close();
});

test('the page may make no policy of its own for scripts; the preload has one', async () => {
	const policy = contentPolicy({ loopback: false, allowedHosts: '' });
	const headers = { 'content-security-policy': policy };
	const server = await serveLoopback('app', 'dragoman', () => new Response('hello', { headers }));
	const [, secret = ''] = new URL(server.ports.worker).pathname.split('/');
	const served = (await fetch(server.toLoopback('app://dragoman/'))).headers.get('content-security-policy');
	expect(secret).toHaveLength(24);
	expect(policy).toContain("trusted-types 'none'");
	expect(served).toBe(policy.replace("trusted-types 'none'", `trusted-types ${secret}`));
	server.close();
});

describe('a question', () => {
	const question = {
		message: 'Open?',
		detail: 'https://x.example',
		buttons: ['Open', 'Cancel'],
		cancelId: 1,
	};
	const windowThat = (answer: boolean) => {
		const asked: string[] = [];
		const confirm = async (text: string) => {
			asked.push(text);
			return answer;
		};
		return { asked, window: { webContents: { confirm } } };
	};
	afterEach(() => {
		vi.unstubAllEnvs();
		vi.restoreAllMocks();
	});

	test.each([
		[true, 0],
		[false, 1],
	])('is put to the person, who answers it: %s', async (answer, response) => {
		vi.spyOn(process.stderr, 'write').mockReturnValue(true);
		const { asked, window } = windowThat(answer);
		expect(await standIn.dialog.showMessageBox(window, question)).toMatchObject({ response });
		expect(asked).toEqual(['Open?\n\nhttps://x.example\n\nOK: Open']);
	});

	test('is answered by nobody else: closed where it cannot be asked, and by a test only in so many words', async () => {
		vi.spyOn(process.stderr, 'write').mockReturnValue(true);
		expect(await standIn.dialog.showMessageBox(question)).toMatchObject({ response: 1 });
		vi.stubEnv('DRAGOMAN_ANSWER', 'Something else');
		expect(await standIn.dialog.showMessageBox(question)).toMatchObject({ response: 1 });
		vi.stubEnv('DRAGOMAN_ANSWER', 'Open');
		expect(await standIn.dialog.showMessageBox(question)).toMatchObject({ response: 0 });
	});
});

test('only switches of the browser are passed on to it', () => {
	const argv = [
		'--headless',
		'--lang=ar-EG',
		'--api-url',
		'x',
		'--use-fake-device-for-media-stream',
		'--disable-web-security',
	];
	expect(readSwitches(argv, {})).toEqual({
		headless: true,
		locale: 'ar-EG',
		locales: ['ar-EG'],
		passed: ['--lang=ar-EG', '--use-fake-device-for-media-stream'],
	});
	expect(readSwitches([], { LANG: 'es_MX.UTF-8' }).locale).toBe('es-MX');
	expect(readSwitches([], { LANG: 'C.UTF-8' }).locale).toBe('en');
});

/** A page of the stand-in on a debugging connection whose other end the test plays. */
async function pretendPage() {
	const sent: [string, Record<string, unknown>][] = [];
	const events = new Map<string, (params: Record<string, unknown>) => void>();
	const session = {
		id: 's',
		async send(method: string, params: Record<string, unknown> = {}) {
			sent.push([method, params]);
			return {};
		},
		on: (method: string, heard: (params: Record<string, unknown>) => void) => void events.set(method, heard),
		off: () => {},
	};
	const origin = 'http://127.0.0.1:1';
	const server = {
		origin,
		blank: `${origin}/s/.blank`,
		ports: { worker: '', folder: '' },
		close() {},
		toLoopback: (address: string) => address.replace('app://dragoman', `${origin}/s`),
		toApp: (address: string) => address.replace(`${origin}/s`, 'app://dragoman'),
	};
	const contents = new StandInContents(1, undefined);
	await contents.attach({ browser: {} as never, server, openWindow: async () => '', firstPage: '' }, session);
	const say = (method: string, params: Record<string, unknown> = {}) => events.get(method)?.(params);
	const world = (id: number) =>
		say('Runtime.executionContextCreated', {
			context: { id, name: 'preload', auxData: { type: 'isolated' } },
		});
	return { contents, sent, say, world, origin };
}

test('who asks main is the frame as it is now, not the address that was once loaded', async () => {
	const { say, world, origin } = await pretendPage();
	const senders: unknown[] = [];
	standIn.ipcMain.handle('who', (event: { senderFrame: { url: string } }) =>
		senders.push(event.senderFrame.url),
	);
	const ask = () =>
		say('Runtime.bindingCalled', {
			name: 'standInToMain',
			executionContextId: 7,
			payload: JSON.stringify({ id: 1, channel: 'who', args: [] }),
		});
	say('Page.frameNavigated', { frame: { url: `${origin}/s/index.html` } });
	world(7);
	ask();
	say('Page.frameNavigated', { frame: { url: 'https://evil.example/' } });
	say('Page.frameNavigated', { frame: { url: `${origin}/s/index.html`, parentId: 'p' } });
	ask();
	standIn.ipcMain.removeHandler('who');
	expect(senders).toEqual(['app://dragoman/index.html', 'https://evil.example/']);
});

test('each page of the main frame is told, the empty one before it is not; a late answer misses the next page', async () => {
	const { contents, sent, say, world, origin } = await pretendPage();
	const told: unknown[] = [];
	contents.on('did-navigate', (_event: unknown, url: string) => told.push(url));
	say('Page.frameNavigated', { frame: { url: `${origin}/s/.blank` } });
	say('Page.frameNavigated', { frame: { url: `${origin}/s/index.html` } });
	world(7);
	let answer: () => void = () => {};
	const slow = new Promise<void>((done) => {
		answer = done;
	});
	standIn.ipcMain.handle('slow', () => slow);
	say('Runtime.bindingCalled', {
		name: 'standInToMain',
		executionContextId: 7,
		payload: JSON.stringify({ id: 1, channel: 'slow', args: [] }),
	});
	say('Runtime.executionContextsCleared');
	say('Page.frameNavigated', { frame: { url: `${origin}/s/index.html` } });
	world(8);
	answer();
	await new Promise((done) => setImmediate(done));
	standIn.ipcMain.removeHandler('slow');
	expect(told).toEqual(['app://dragoman/index.html', 'app://dragoman/index.html']);
	expect(sent.filter(([method]) => method === 'Runtime.evaluate')).toEqual([]);
});

test("the app's guard is asked for what the page requests, under the app's own addresses", async () => {
	const asked: string[] = [];
	standIn.session.defaultSession.webRequest.onBeforeRequest(({ url }, answer) => {
		asked.push(url);
		answer({ cancel: url.startsWith('https:') });
	});
	const { sent, say, origin } = await pretendPage();
	for (const [requestId, url] of [
		['1', `${origin}/s/index.html`],
		['2', 'https://evil.example/'],
		['3', `${origin}/favicon.ico`],
	])
		say('Fetch.requestPaused', { requestId, request: { url } });
	standIn.session.defaultSession.webRequest.onBeforeRequest(null);
	expect(asked).toEqual(['app://dragoman/index.html', 'https://evil.example/']);
	expect(
		sent
			.filter(([method]) => method.startsWith('Fetch.'))
			.map(([method, { requestId }]) => [method, requestId]),
	).toEqual([
		['Fetch.enable', undefined],
		['Fetch.continueRequest', '1'],
		['Fetch.failRequest', '2'],
		['Fetch.continueRequest', '3'],
	]);
});

test('where the guard lets the page not go is ended before it is there, once, and may still be loaded by the app', async () => {
	const { contents, sent, say, origin } = await pretendPage();
	const ends = (requestId: string, url: string, resourceType = 'Document') => {
		say('Fetch.requestPaused', { requestId, request: { url }, resourceType });
		return sent.at(-1)?.[0];
	};
	const go = () => say('Page.frameRequestedNavigation', { url: `${other}#part`, disposition: 'currentTab' });
	const other = `${origin}/s/other.html`;
	go();
	expect(ends('1', other)).toBe('Fetch.continueRequest');
	contents.on('will-navigate', (event: { preventDefault(): void }) => event.preventDefault());
	go();
	expect(ends('2', other, 'XHR')).toBe('Fetch.continueRequest');
	expect(ends('3', other)).toBe('Fetch.failRequest');
	expect(ends('4', other)).toBe('Fetch.continueRequest');
	go();
	const loaded = contents.load('app://dragoman/other.html');
	expect(ends('5', other)).toBe('Fetch.continueRequest');
	say('Page.loadEventFired');
	await loaded;
});
