import { readFileSync } from 'node:fs';
import type { WebPreferences } from 'electron';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FUSES } from '#packaging/config.ts';
import { type RequestName, requests } from '#shared/host/contract.ts';
import { overlayMayAsk } from '#shared/host/overlay.ts';
import {
	recordedElectron as electron,
	type RecordedWindow,
	recordedElectron,
	type StartedShell,
	startPreload,
	startRecorded,
} from '#test/support/recorded-electron.ts';
import { hostileTexts } from '#test/support/texts.ts';

/* Queries what a started app (`recorded-electron.ts`) handed to Electron, as Electron would. */

const given = (name: string) => recordedElectron.sessions.get('')?.given.get(name)?.[0];
const listener = <Args extends unknown[], Answer>(name: string) => given(name) as (...args: Args) => Answer;

/** Web preferences of every window. */
const preferences = (): readonly WebPreferences[] =>
	recordedElectron.windows.map(({ options }) => options.webPreferences ?? {});

/** Every name of a permission that this version of Electron knows, and some that it does not. */
function permissionNames(): readonly string[] {
	const typings = readFileSync('node_modules/electron/electron.d.ts', 'utf8');
	const all = /setPermissionRequestHandler\(handler: \(\(webContents: WebContents, permission: ([^,]+),/.exec(
		typings,
	)?.[1];
	const known = [...(all ?? '').matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name);
	if (known.length < 40) throw new Error('the names of permissions are not where they were in the typings');
	return [...known, 'camera', 'bluetooth', 'accessibility-events', 'everything', ''];
}

/** May the page request it, and does a check say so? Both handlers are asked. */
function granted(
	permission: string,
	from: string,
	media: readonly string[] = [],
	isMainFrame = true,
): readonly boolean[] {
	const contents = { id: 0, getURL: () => from };
	const answers: boolean[] = [];
	const details = { isMainFrame, requestingUrl: from, mediaTypes: media };
	listener('setPermissionRequestHandler')(contents, permission, (it: boolean) => answers.push(it), details);
	const origin = URL.canParse(from) ? from.split('/').slice(0, 3).join('/') : '';
	const check = listener<unknown[], boolean>('setPermissionCheckHandler');
	const asked = { isMainFrame, mediaType: media[0] ?? 'unknown' };
	answers.push(check(isMainFrame ? contents : null, permission, origin, asked));
	return answers;
}

/** May it use a device of the bus? */
const grantedDevice = (deviceType: string): boolean =>
	listener<unknown[], boolean>('setDevicePermissionHandler')({ deviceType });

/** What a page is given when it asks to capture the computer's screen and sound. */
function sharedWith(page: string): unknown {
	let shared: unknown = 'no answer';
	const frame = { parent: null, url: page };
	const request = { frame, securityOrigin: 'app://dragoman', audioRequested: true, videoRequested: true };
	listener('setDisplayMediaRequestHandler')(request, (answer: unknown) => {
		shared = answer;
	});
	return shared;
}

/** Does the guard of requests let the page ask for it? */
function mayRequest(url: string): boolean {
	let cancelled: boolean | undefined;
	listener('webRequest.onBeforeRequest')({ url }, ({ cancel }: { cancel?: boolean }) => {
		cancelled = cancel;
	});
	return cancelled === false;
}

/** Is the event that a page of a window brings about prevented? */
function isPrevented(window: RecordedWindow, event: string): boolean {
	let prevented = false;
	window.webContents.emit(event, {
		preventDefault() {
			prevented = true;
		},
	});
	return prevented;
}

/** IPC senders, as Electron describes them, that must get no answer; `url` is that of our own page. */
const wrongSenders = (url: string): readonly Readonly<Record<string, unknown>>[] => [
	{ senderFrame: null },
	{ senderFrame: { url, parent: { url } } },
	{ sender: { id: 99 } },
	...['https://a.example/', 'app://dragoman', 'app://dragoman.evil/', 'app://other/index.html', 'about:blank']
		.concat(['file:///index.html', 'data:text/html,x', 'http://127.0.0.1/app://dragoman/', ''])
		.map((address) => ({ senderFrame: { url: address, parent: null } })),
];

/** A policy's rules, by directive. */
function rulesOf(policy: string): ReadonlyMap<string, readonly string[]> {
	return new Map(policy.split('; ').map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1)]));
}

/*
 * The twenty points of Electron's security checklist (electronjs.org/docs/latest/tutorial/security), one test each,
 * by number and title. The whole app is put together on a fake Electron that records what it is given. What only
 * the real one can show is in test/e2e/shell.test.ts under the same numbers.
 */

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
const { startShell } = await import('#main/electron/shell.ts');
const { contentPolicy } = await import('#main/app/guards.ts');
const { registerAppScheme } = await import('#main/electron/app-protocol.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let shell: StartedShell;
beforeAll(async () => {
	registerAppScheme();
	shell = await startRecorded(startShell);
});
afterAll(() => shell.end());

const html = ['src/renderer/index.html', 'src/renderer/overlay/index.html'];

test('1. Only load secure content', async () => {
	expect(electron.windows.map(({ loaded }) => loaded)).toEqual([
		['app://dragoman/index.html'],
		['app://dragoman/overlay/index.html#mine'],
	]);
	// The pages reference only files beside them.
	for (const file of html)
		for (const [, address = ''] of readFileSync(file, 'utf8').matchAll(/(?:src|href)="([^"]*)"/g))
			expect(address).toMatch(/^\.\//);
	expect(mayRequest('app://dragoman/assets/index.js')).toBe(true);
	for (const url of [
		'http://a.example/x.js',
		'ws://a.example/',
		'ftp://a.example/',
		'https://a.example/x.js',
	])
		expect([url, mayRequest(url)]).toEqual([url, false]);
	const policy = (await shell.get('app://dragoman/')).headers.get('content-security-policy') ?? '';
	expect(policy).not.toMatch(/\b(http|ws|ftp):/);
});

test('2. Do not enable Node.js integration for remote content', () => {
	const off = { nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false };
	for (const it of preferences()) expect(it).toMatchObject(off);
});

test('3. Enable context isolation', () => {
	expect(preferences().map((it) => it.contextIsolation)).toEqual([true, true]);
});

test('4. Enable process sandboxing', () => {
	expect(preferences().map((it) => it.sandbox)).toEqual([true, true]);
});

test('5. Handle session permission requests from remote content', () => {
	const page = 'app://dragoman/index.html';
	const strangers = ['https://a.example/', 'app://dragoman.evil/', 'http://127.0.0.1:1/', 'file:///x', ''];
	const may = new Set(['speaker-selection', 'clipboard-sanitized-write', 'fullscreen']);
	for (const permission of permissionNames()) {
		for (const from of strangers)
			expect([permission, from, granted(permission, from, ['audio'])]).toEqual([
				permission,
				from,
				[false, false],
			]);
		// An embedded page has none of the window's permissions.
		expect([permission, granted(permission, page, ['audio'], false)[0]]).toEqual([permission, false]);
		// No service is on this computer, and no sound of the computer is being captured.
		const expected = may.has(permission) || permission === 'media';
		expect([permission, granted(permission, page, ['audio'])]).toEqual([permission, [expected, expected]]);
	}
	for (const media of [['video'], ['audio', 'video'], []])
		expect(granted('media', page, media)[0]).toBe(false);
	expect(grantedDevice('usb')).toBe(false);
	expect(sharedWith(page)).toBeNull();
	// No page lives in a session without these handlers.
	for (const it of preferences()) expect([it.session, it.partition]).toEqual([undefined, undefined]);
});

test('6. Do not disable webSecurity', () => {
	expect(preferences().map((it) => it.webSecurity)).toEqual([true, true]);
});

test('7. Define a Content Security Policy', async () => {
	for (const page of ['index.html', 'overlay/index.html', 'missing.js', '../secret']) {
		const answer = await shell.get(`app://dragoman/${page}`);
		const policy = answer.headers.get('content-security-policy') ?? '';
		const rules = rulesOf(policy);
		expect(rules.get('default-src')).toEqual(["'none'"]);
		for (const rule of ['script-src', 'style-src', 'worker-src', 'font-src'])
			expect([rule, rules.get(rule)]).toEqual([rule, ["'self'"]]);
		expect(rules.get('require-trusted-types-for')).toEqual(["'script'"]);
		for (const rule of ['base-uri', 'form-action', 'frame-ancestors', 'object-src', 'trusted-types'])
			expect([rule, rules.get(rule)]).toEqual([rule, ["'none'"]]);
		expect(policy).not.toMatch(/unsafe-|\*|strict-dynamic|nonce-|sha\d/);
		// The hosts become known only later, and the request guard enforces them; the policy only requires encryption.
		expect(rules.get('connect-src')).toEqual(["'self'", 'https:', 'wss:']);
		expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
	}
	// The port of a service on this computer is not known beforehand; nothing else is ever left open.
	const local = contentPolicy({ loopback: true, allowedHosts: '' });
	expect([...local.matchAll(/[^ ]*\*[^ ;]*/g)].map(([source]) => source)).toEqual(
		['127.0.0.1', 'localhost'].flatMap((host) => [`http://${host}:*`, `ws://${host}:*`]),
	);
	expect(local).not.toMatch(/unsafe-|strict-dynamic/);
	// Nothing in the pages needs more.
	for (const file of html)
		expect(readFileSync(file, 'utf8')).not.toMatch(/<script(?![^>]*\bsrc=)| on\w+=|style=/);
});

test('8. Do not enable allowRunningInsecureContent', () => {
	expect(preferences().map((it) => it.allowRunningInsecureContent)).toEqual([false, false]);
});

test('9. Do not enable experimental features', () => {
	// The switches of the program itself: started-from-outside.test.ts.
	expect(preferences().map((it) => it.experimentalFeatures)).toEqual([false, false]);
});

test('10. Do not use enableBlinkFeatures', () => {
	for (const it of preferences()) expect(it).not.toHaveProperty('enableBlinkFeatures');
});

test('11. Do not use allowpopups for WebViews', () => {
	expect(preferences().map((it) => it.webviewTag)).toEqual([false, false]);
	for (const file of html) expect(readFileSync(file, 'utf8')).not.toMatch(/<webview|allowpopups/i);
});

test('12. Verify WebView options before creation', () => {
	for (const window of electron.windows) expect(isPrevented(window, 'will-attach-webview')).toBe(true);
});

test('13. Disable or limit navigation', () => {
	for (const window of electron.windows)
		for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect'])
			expect([event, isPrevented(window, event)]).toEqual([event, true]);
	for (const it of preferences()) expect(it.navigateOnDragDrop).toBe(false);
});

test('14. Disable or limit creation of new windows', () => {
	for (const { webContents } of electron.windows)
		for (const url of [
			'app://dragoman/',
			'about:blank',
			'https://palabra.ai/',
			'https://a.example/',
			'',
			'x',
		])
			expect(webContents.openHandler?.({ url })).toEqual({ action: 'deny' });
	expect(electron.windows).toHaveLength(2);
});

const detailOf = (options: unknown) => (options as { detail?: string }).detail;

test('15. Do not use shell.openExternal with untrusted content', async () => {
	const opened = () => electron.called('shell.openExternal').map(({ args }) => args[0]);
	const questions = () => electron.called('dialog.showMessageBox').map(({ args }) => detailOf(args.at(-1)));
	const before = opened().length;
	const askedBefore = questions().length;
	const hosts = ['a.example', 'palabra.ai.a.example', 'x@palabra.ai', 'palabra.ai:444'];
	const hostile = [...hosts.map((host) => `https://${host}/`), 'http://palabra.ai/', ...hostileTexts];
	hostile.push('file:///etc/passwd', 'smb://a.example/x', 'ms-msdt:/id', 'javascript:x');
	for (const { webContents } of electron.windows)
		for (const url of hostile) webContents.openHandler?.({ url });
	for (const guide of hostile)
		expect(await shell.ask('routing.open-guide', { guide })).toMatchObject({ ok: false });
	expect(opened().slice(before)).toEqual([]);
	// None of it is even asked about.
	expect(questions().slice(askedBefore)).toEqual([]);
	// A name from a list becomes an address of ours, and no page is opened without asking the person.
	await shell.ask('routing.open-guide', { guide: 'blackhole' });
	await expect.poll(opened).toHaveLength(before + 1);
	electron.windows[0]?.webContents.openHandler?.({ url: 'https://docs.palabra.ai/keys' });
	await expect.poll(opened).toHaveLength(before + 2);
	const addresses = ['https://existential.audio/blackhole/', 'https://docs.palabra.ai/keys'];
	expect(opened().slice(before)).toEqual(addresses);
	expect(questions().slice(askedBefore)).toEqual(addresses);
});

/** When the pinned major version was first released. Three majors are supported; a new one comes every eight weeks. */
const ELECTRON = { generation: 45, since: Date.UTC(2026, 9, 21), supportedWeeks: 24 } as const;

test('16. Use a current version of Electron', () => {
	const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
	const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
	expect(dependencies.electron).toMatch(new RegExp(`^${ELECTRON.generation}\\.\\d+\\.\\d+$`));
	expect(packages['node_modules/electron'].version).toBe(dependencies.electron);
	const end = ELECTRON.since + ELECTRON.supportedWeeks * 7 * 86_400_000;
	expect(
		Date.now(),
		`Electron ${ELECTRON.generation} gets no security fixes any more: raise it`,
	).toBeLessThan(end);
});

test('17. Validate the sender of all IPC messages', async () => {
	const [main, overlay] = shell.windows;
	const senders = wrongSenders(main.webContents.getURL());
	const before = readFileSync(`${shell.userData}/settings.json`, 'utf8');
	// There is a single IPC channel, and the names on it are those of the contract.
	expect([...electron.ipc.keys()]).toHaveLength(1);
	expect(electron.called('ipcMain.on')).toEqual([]);
	for (const name of Object.keys(requests) as RequestName[]) {
		for (const sender of senders)
			await expect(shell.ask(name, { theme: 'dark' }, sender), name).rejects.toThrow('not allowed');
		if (overlayMayAsk.includes(name)) continue;
		const from = { url: overlay.webContents.getURL(), parent: null };
		const asOverlay = { sender: overlay.webContents, senderFrame: from };
		await expect(shell.ask(name, { theme: 'dark' }, asOverlay), name).rejects.toThrow('not allowed');
	}
	expect(readFileSync(`${shell.userData}/settings.json`, 'utf8')).toBe(before);
	expect(await shell.ask('settings.read')).toMatchObject({ ok: true });
});

test('18. Avoid usage of the file:// protocol and prefer usage of custom protocols', async () => {
	const [schemes] = electron.called('protocol.registerSchemesAsPrivileged').map(({ args }) => args[0]);
	expect(schemes).toEqual([
		{
			scheme: 'app',
			privileges: expect.objectContaining({ standard: true, secure: true, supportFetchAPI: true }),
		},
	]);
	const [{ privileges }] = schemes as [{ privileges: Record<string, boolean> }];
	expect(privileges.bypassCSP ?? false).toBe(false);
	expect(privileges.allowServiceWorkers ?? false).toBe(false);
	expect(electron.called('BrowserWindow.loadFile')).toEqual([]);
	for (const path of [
		'../../etc/passwd',
		'%2e%2e/%2e%2e/etc/passwd',
		'..%5c..%5cx',
		'x/../../data/settings.json',
	])
		expect((await shell.get(`app://dragoman/${path}`)).status).toBe(404);
});

test('19. Check which fuses you can change', () => {
	expect(FUSES).toEqual({
		runAsNode: false,
		enableCookieEncryption: true,
		enableNodeOptionsEnvironmentVariable: false,
		enableNodeCliInspectArguments: false,
		enableEmbeddedAsarIntegrityValidation: true,
		onlyLoadAppFromAsar: true,
		loadBrowserProcessSpecificV8Snapshot: false,
		grantFileProtocolExtraPrivileges: false,
	});
});

test('20. Do not expose Electron APIs to untrusted web content', async () => {
	const posted = await startPreload();
	expect([...electron.exposed.keys()]).toEqual(['dragoman']);
	const bridge = electron.exposed.get('dragoman') as Record<string, (...args: unknown[]) => unknown>;
	expect(Object.keys(bridge)).toEqual(['ask', 'listen']);
	// Only requests that the contract names reach main, by its names.
	const asked: unknown[][] = [];
	electron.invoke = async (...args) => {
		asked.push(args);
		return { ok: true, value: undefined };
	};
	for (const name of ['ELECTRON_BROWSER_REQUIRE', 'dragoman:ask', '__proto__', 'constructor', 'app.infos'])
		expect(await bridge.ask?.(name, {})).toMatchObject({ ok: false });
	expect(asked).toEqual([]);
	electron.invoke = () => Promise.reject(new Error('gone'));
	expect(await bridge.ask?.('app.info', undefined)).toMatchObject({ ok: false, error: { kind: 'bug' } });
	// A listener gets only the payload, not the event, which knows its sender.
	const heard: unknown[][] = [];
	const stop = bridge.listen?.('app.closing', (...args: unknown[]) => heard.push(args)) as () => void;
	electron.renderer.emit('dragoman:tell', { sender: 'ipcRenderer' }, 'app.closing', { reason: 'quit' });
	bridge.listen?.('toString', (...args: unknown[]) => heard.push(args));
	electron.renderer.emit('dragoman:tell', {}, 'toString', {});
	stop();
	electron.renderer.emit('dragoman:tell', { sender: 'ipcRenderer' }, 'app.closing', { reason: 'quit' });
	expect(heard).toEqual([[{ reason: 'quit' }]]);
	// Ports go to the window's own origin alone.
	electron.renderer.emit('dragoman:ports', { ports: ['port'] }, { stream: 's' });
	expect(posted).toEqual([[{ name: 'dragoman:ports', note: { stream: 's' } }, 'app://dragoman', ['port']]]);
	vi.unstubAllGlobals();
});
