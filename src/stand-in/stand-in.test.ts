import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as standIn from './electron.ts';
import { serveLoopback } from './loopback-server.ts';
import { takeInstanceLock } from './single-instance.ts';
import { strict } from './strict.ts';
import { readSwitches } from './switches.ts';

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

test('what the stand-in does not have throws its name', () => {
	const app = strict('app', { quit: () => 'done' });
	expect(app.quit()).toBe('done');
	expect(() => (app as unknown as { dock: unknown }).dock).toThrow('not in the stand-in: app.dock');
	expect(() => standIn.app.getPath('videos')).toThrow("not in the stand-in: app.getPath('videos')");
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
