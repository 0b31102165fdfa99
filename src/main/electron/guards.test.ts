import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answerAtOnce } from '#main/app/command-line.ts';
import { contentPolicy, mayGrant, styleHashes } from '#main/app/guards.ts';
import { encodeWav } from '#shared/sound/wav.ts';

// Electron's package would download its program when imported; these modules only name it.
vi.mock('electron', () => ({ app: {}, shell: {}, protocol: {} }));
const { createAppHandler, fileOf } = await import('./app-protocol.ts');
const { guardPermissions } = await import('./page-guards.ts');
const { mayOpenOutside } = await import('./page-guards.ts');

let root = '';
beforeAll(() => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-app-'));
	root = join(folder, 'renderer');
	mkdirSync(root);
	writeFileSync(join(root, 'index.html'), '<p>hello</p>');
	writeFileSync(join(folder, 'secret.json'), '{}');
});
afterAll(() => rmSync(join(root, '..'), { recursive: true }));

const get = (address: string, method = 'GET') =>
	createAppHandler({ root, policy: () => "default-src 'none'", recordingAt: () => null })(
		new Request(address, { method }),
	);

test('the page comes with its policy and isolation headers', async () => {
	const answer = await get('app://dragoman/');
	expect([answer.status, await answer.text()]).toEqual([200, '<p>hello</p>']);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		'content-security-policy': "default-src 'none'",
		'cross-origin-opener-policy': 'same-origin',
		'cross-origin-embedder-policy': 'require-corp',
		'x-content-type-options': 'nosniff',
	});
});

test('a page is dressed before it is served, and nothing else is', async () => {
	writeFileSync(join(root, 'theme.css'), '<p>hello</p>');
	const handler = createAppHandler({
		root,
		policy: (page) => `page ${page.length}`,
		dress: (html) => html.replace('hello', 'مرحبا!'),
		recordingAt: () => null,
	});
	const answer = async (address: string) => {
		const { headers, text } = await handler(new Request(address)).then(async (got) => ({
			headers: got.headers,
			text: await got.text(),
		}));
		return [text, headers.get('content-security-policy')];
	};
	expect(await answer('app://dragoman/')).toEqual(['<p>مرحبا!</p>', 'page 13']);
	expect(await answer('app://dragoman/theme.css')).toEqual(['<p>hello</p>', 'page 0']);
});

test('a recording of the history is served from the place that is asked for, and no other file is', async () => {
	const wav = Buffer.from(encodeWav(new Float32Array(100).fill(0.5), 8000));
	const file = join(root, '..', 'talk.wav');
	writeFileSync(file, wav);
	const gone = join(root, '..', 'gone.wav');
	const files: Readonly<Record<string, string>> = {
		'a b': file,
		gone,
		secret: join(root, '..', 'secret.json'),
		folder: root,
	};
	const handler = createAppHandler({
		root,
		policy: () => '',
		recordingAt: (id, key) => (id === 'one|two' ? (files[key] ?? null) : null),
	});
	const ask = async (key: string, range?: string, method = 'GET', id = 'one%7Ctwo') => {
		const headers = range === undefined ? {} : { range };
		const address = `app://dragoman/recordings/${id}/${encodeURIComponent(key)}`;
		const answer = await handler(new Request(address, { method, headers }));
		const bytes = Buffer.from(await answer.arrayBuffer());
		return { status: answer.status, bytes, said: Object.fromEntries(answer.headers) };
	};
	const whole = await ask('a b');
	expect([whole.status, whole.bytes.equals(wav)]).toEqual([200, true]);
	expect(whole.said).toMatchObject({
		'content-type': 'audio/wav',
		'content-length': '244',
		'cache-control': 'no-store',
		'cross-origin-resource-policy': 'same-origin',
	});
	const part = await ask('a b', 'bytes=40-49');
	expect([part.status, part.bytes.equals(wav.subarray(40, 50))]).toEqual([206, true]);
	expect(part.said['content-range']).toBe('bytes 40-49/244');
	const rest = await ask('a b', 'bytes=200-');
	expect([rest.status, rest.bytes.equals(wav.subarray(200))]).toEqual([206, true]);
	expect((await ask('a b', 'bytes=0-9999')).said['content-range']).toBe('bytes 0-243/244');
	const beyond = await ask('a b', 'bytes=244-');
	expect([beyond.status, beyond.bytes.length]).toEqual([416, 0]);
	expect((await ask('a b', undefined, 'HEAD')).bytes).toHaveLength(0);
	for (const key of ['gone', 'secret', 'folder', 'unknown', '../talk.wav', ''])
		expect((await ask(key)).status, key).toBe(404);
	expect((await ask('a b', undefined, 'GET', 'other')).status).toBe(404);
	expect((await ask('a b', undefined, 'GET', '%')).status).toBe(404);
});

test('nothing outside the built window is served, however it is written', async () => {
	for (const path of [
		'../secret.json',
		'%2e%2e/secret.json',
		'..%2fsecret.json',
		'..%5csecret.json',
		'%00',
		'%',
	]) {
		expect((await get(`app://dragoman/${path}`)).status).toBe(404);
	}
	expect((await get('app://other/index.html')).status).toBe(404);
	expect((await get('app://dragoman/index.html', 'POST')).status).toBe(405);
});

test('no address whatever leads out of the folder', () => {
	const piece = fc.constantFrom(
		'..',
		'.',
		'/',
		'//',
		'%2e',
		'%2f',
		'%5c',
		'\\',
		'%00',
		'?',
		'#',
		';',
		'a',
		'é',
		'%',
	);
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const file = fileOf('/built/renderer', `app://dragoman/${pieces.join('')}`);
			return file === null || file.startsWith('/built/renderer/');
		}),
	);
});

test('the policy lets no unencrypted host in but this computer, and that only when asked for', () => {
	expect(contentPolicy({ loopback: false, allowedHosts: '' })).not.toMatch(/http:\/\/|ws:\/\//);
	const local = contentPolicy({ loopback: true, allowedHosts: '' });
	expect(local).toContain('ws://127.0.0.1:*');
	expect(local).toContain("script-src 'self'");
	expect(local).not.toMatch(/unsafe/);
});

test('the policy names the styles that stand in a page of ours by their hash, and lets no others in', () => {
	const page = '<!doctype html><style>@media(width<=9px){p{}}</style><style>b{}</style><p style="x">';
	const hashes = styleHashes(page);
	expect(hashes).toEqual([
		`'sha256-${createHash('sha256').update('@media(width<=9px){p{}}').digest('base64')}'`,
		`'sha256-${createHash('sha256').update('b{}').digest('base64')}'`,
	]);
	const policy = contentPolicy({ loopback: false, allowedHosts: '', styles: hashes });
	expect(policy).toContain(`style-src 'self' ${hashes.join(' ')};`);
	expect(contentPolicy({ loopback: false, allowedHosts: '' })).toContain("style-src 'self';");
	expect(policy).not.toMatch(/unsafe/);
});

test('allowed hosts narrow the connections, and cannot smuggle a directive in', () => {
	const policy = contentPolicy({
		loopback: false,
		allowedHosts: "media.example, *.b.example, x; script-src 'unsafe-eval'",
	});
	expect(policy).toContain(
		"connect-src 'self' https://media.example wss://media.example https://*.b.example",
	);
	expect(policy).not.toContain('unsafe-eval');
	expect(policy).not.toContain('wss: ');
});

const page = 'app://dragoman';
const audio = ['audio'];
/** permission, from, media, with a service on this computer, granted */
const table: readonly (readonly [string, string, readonly string[], boolean, boolean])[] = [
	['media', page, audio, false, true],
	['media', `${page}/`, audio, false, true],
	['media', `${page}/index.html`, audio, true, true],
	['media', page, [], false, false],
	['media', page, ['video'], false, false],
	['media', page, ['audio', 'video'], false, false],
	['media', '', audio, false, false],
	['media', 'https://dragoman.example/', audio, false, false],
	['media', 'app://dragoman.evil/', audio, false, false],
	['media', 'http://127.0.0.1:8080/', audio, true, false],
	['speaker-selection', page, [], false, true],
	['clipboard-sanitized-write', page, [], false, true],
	['fullscreen', page, [], false, true],
	['speaker-selection', 'https://evil.example', [], false, false],
	['fullscreen', 'https://evil.example', [], false, false],
	['clipboard-sanitized-write', 'https://evil.example', [], false, false],
	...['local-network-access', 'loopback-network', 'local-network'].flatMap(
		(name) =>
			[
				[name, page, [], true, true],
				[name, page, [], false, false],
				[name, 'https://evil.example', [], true, false],
			] as const,
	),
	...[
		'notifications',
		'camera',
		'geolocation',
		'midi',
		'midiSysex',
		'usb',
		'hid',
		'serial',
		'bluetooth',
		'clipboard-read',
		'display-capture',
		'pointerLock',
		'keyboardLock',
		'idle-detection',
		'mediaKeySystem',
		'openExternal',
		'storage-access',
		'top-level-storage-access',
		'window-management',
		'fileSystem',
		'deprecated-sync-clipboard-read',
		'background-sync',
		'payment-handler',
		'unknown',
		'',
	].map((name) => [name, page, audio, true, false] as const),
];

test.each(table)(
	'permission %s from "%s" for %j, loopback %s: %s',
	(permission, from, media, loopback, granted) => {
		expect(mayGrant({ permission, from, media, loopback })).toBe(granted);
	},
);

test('what the computer plays may be captured while the user listens to it, and by our page alone', () => {
	const asked = { permission: 'display-capture', media: [], loopback: true };
	expect(mayGrant({ ...asked, from: 'app://dragoman/', capture: true })).toBe(true);
	expect(mayGrant({ ...asked, from: 'app://dragoman/', capture: false })).toBe(false);
	expect(mayGrant({ ...asked, from: 'app://dragoman/' })).toBe(false);
	expect(mayGrant({ ...asked, from: 'https://example.com/', capture: true })).toBe(false);
});

test('the page of the captions over other windows gets nothing', () => {
	const from = 'app://dragoman/overlay/index.html';
	for (const permission of [
		'media',
		'fullscreen',
		'clipboard-sanitized-write',
		'speaker-selection',
		'display-capture',
	])
		expect(mayGrant({ permission, from, media: ['audio'], loopback: true, capture: true })).toBe(false);
});

test('an embedded page gets nothing, and a check that names no medium is not taken for the microphone', () => {
	const handlers: Record<string, (...given: never[]) => unknown> = {};
	const keep = (name: string) => (handler: (...given: never[]) => unknown) => {
		handlers[name] = handler;
	};
	const session = {
		setPermissionRequestHandler: keep('request'),
		setPermissionCheckHandler: keep('check'),
		setDevicePermissionHandler: keep('device'),
	};
	guardPermissions(session as never, () => false);
	const request = (details: object) => {
		let granted: unknown;
		const answer = (it: boolean) => {
			granted = it;
		};
		const contents = { getURL: () => `${page}/index.html` };
		handlers.request?.(...([contents, 'media', answer, details] as never[]));
		return granted;
	};
	expect(request({ isMainFrame: true, mediaTypes: ['audio'] })).toBe(true);
	expect(request({ isMainFrame: false, mediaTypes: ['audio'] })).toBe(false);
	expect(request({ isMainFrame: true })).toBe(false);
	const check = (mediaType?: string) =>
		handlers.check?.(...([null, 'media', page, { mediaType }] as never[]));
	expect(['audio', 'video', 'unknown', undefined].map(check)).toEqual([true, false, false, false]);
	expect(handlers.device?.()).toBe(false);
});

test('only encrypted addresses of known hosts open outside', () => {
	expect(mayOpenOutside('https://www.palabra.ai/keys')).toBe(true);
	for (const address of [
		'http://www.palabra.ai/',
		'https://www.palabra.ai.evil.example/',
		'https://user@www.palabra.ai/',
		'https://www.palabra.ai:8443/',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'nonsense',
	]) {
		expect(mayOpenOutside(address)).toBe(false);
	}
});

test('help and version are answered without a window', () => {
	expect(answerAtOnce(['--version'], '1.2.3')).toBe('1.2.3\n');
	expect(answerAtOnce(['--help'], '1')).toContain('--api-url');
	expect(answerAtOnce(['--lang=de'], '1')).toBeNull();
});
