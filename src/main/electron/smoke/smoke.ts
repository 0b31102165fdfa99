import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BrowserWindow, globalShortcut, Menu, powerMonitor, powerSaveBlocker, safeStorage } from 'electron';
import type { Keychain } from '#main/account/secrets.ts';
import { APP_ORIGIN } from '#main/app/guards.ts';
import { isOverlay } from '#main/electron/captions-window.ts';
import { systemKeys } from '#main/electron/shortcuts.ts';
import { writeAtomically } from '#main/lib/files.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import { type HostBridge, requests, type ShellState } from '#shared/host/contract.ts';
import { type Clock, pause } from '#shared/lib/clock.ts';
import { abilitiesOf, usesWayland } from '#shared/overlay/placement.ts';
import { NotHere, SMOKE_FILE, type SmokeCheck, takeSmoke } from './report.ts';

/** The app's own statements about its shell. */
export interface ShellPromises {
	readonly shell: 'electron' | 'stand-in';
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	readonly settings: Pick<SettingsStore, 'values' | 'write'>;
	readonly window: Pick<BrowserWindow, 'hide' | 'show' | 'listenerCount'>;
	state(): ShellState;
	keychain(): Keychain;
}

/** A key combination that no program uses. */
const KEY = 'CommandOrControl+Alt+Shift+F12';
const LOOK_EVERY_MS = 100;
const LOOKS = 50;

/** The checks that run in main. */
export function shellChecks(promises: ShellPromises): readonly SmokeCheck[] {
	const { shell, env, clock, settings } = promises;

	/** Calls `look` until it finds something, at most `LOOKS` times; then fails with `otherwise`. */
	async function once<Found>(look: () => Found | false | undefined, otherwise: string): Promise<Found> {
		for (let looks = 0; looks < LOOKS; looks += 1) {
			const found = look();
			if (found) return found;
			await pause(clock, LOOK_EVERY_MS);
		}
		throw new Error(otherwise);
	}

	function overlayWindow(): BrowserWindow | undefined {
		const found = BrowserWindow.getAllWindows().find((one) => isOverlay(one.webContents));
		return found?.isVisible() ? found : undefined;
	}

	return [
		{
			name: 'keychain',
			async look() {
				const kind = promises.keychain();
				if (kind === 'missing') throw new NotHere('the system keeps no secrets for programs');
				const secret = randomBytes(16).toString('hex');
				const sealed = await safeStorage.encryptStringAsync(secret);
				if (sealed.includes(secret)) throw new Error('what was sealed can be read');
				if ((await safeStorage.decryptStringAsync(sealed)).result !== secret)
					throw new Error('another secret came back');
				if (kind === 'plain') throw new NotHere('no keyring: sealed with a password that everybody knows');
				return 'sealed and opened';
			},
		},
		{
			name: 'SQLite with full text',
			look() {
				const database = new DatabaseSync(':memory:');
				try {
					database.exec(
						"CREATE VIRTUAL TABLE said USING fts5(text); INSERT INTO said VALUES ('good morning')",
					);
					const found = database.prepare("SELECT text FROM said WHERE said MATCH 'morn*'").all();
					if (found.length !== 1) throw new Error('a word that is there is not found');
					const row = database.prepare('SELECT sqlite_version() AS version').get();
					return `SQLite ${row?.['version']}, FTS5 finds`;
				} finally {
					database.close();
				}
			},
		},
		{
			name: 'tray',
			look() {
				if (promises.state().tray === 'none') throw new NotHere('this shell or desktop has none');
				return 'there';
			},
		},
		{
			name: 'menu',
			look() {
				const menu = Menu.getApplicationMenu();
				if (!menu || menu.items.length === 0) throw new Error('there is no menu');
				return menu.items.map(({ label, role }) => label || role).join(', ');
			},
		},
		{
			name: 'global key',
			look() {
				const keys = systemKeys(shell);
				if (!keys) throw new NotHere('this shell has none');
				if (!keys.register(KEY, () => {})) {
					if (promises.state().globalKeys === 'portal')
						throw new NotHere('the desktop asks the person first');
					throw new Error(`${KEY} is refused`);
				}
				const isTaken = globalShortcut.isRegistered(KEY);
				keys.unregister(KEY);
				if (!isTaken) throw new Error(`${KEY} was taken and is not held`);
				return `${KEY} taken and given back`;
			},
		},
		{
			name: 'captions over other windows',
			async look() {
				const { platform } = process;
				const abilities = abilitiesOf({ shell, platform, wayland: usesWayland(env, '') });
				if (!abilities.floats) throw new NotHere(`an ordinary window, because of ${abilities.because}`);
				const { overlay } = settings.values();
				settings.write({ overlay: { ...overlay, shown: true, clickThrough: true } });
				try {
					const window = await once(overlayWindow, 'it does not open');
					if (!window.isAlwaysOnTop()) throw new Error('it is not above other windows');
					if (platform !== 'win32' && !window.isVisibleOnAllWorkspaces())
						throw new Error('it is on one workspace alone');
					if (window.isFocusable()) throw new Error('it would take the keyboard while it is clicked through');
					return 'above the others, on every workspace, clicked through';
				} finally {
					settings.write({ overlay });
				}
			},
		},
		{
			name: 'hidden window',
			async look() {
				if (shell === 'stand-in') throw new NotHere('the page sees it by itself');
				promises.window.hide();
				try {
					await once(() => !promises.state().shown, 'it is drawn on as if somebody saw it');
				} finally {
					promises.window.show();
				}
				await once(() => promises.state().shown, 'it is not drawn when it is shown again');
				return 'known to be hidden, and shown again';
			},
		},
		{
			name: 'power events',
			look() {
				const idleS = powerMonitor.getSystemIdleTime();
				const heard = ['suspend', 'resume', 'lock-screen', 'unlock-screen', 'shutdown'] as const;
				const missed: string[] = heard.filter((name) => powerMonitor.listenerCount(name) === 0);
				// Windows announces a shutdown with this event.
				if (promises.window.listenerCount('query-session-end') === 0) missed.push('query-session-end');
				if (missed.length > 0) throw new Error(`nobody listens for ${missed.join(', ')}`);
				return `listened for; the person was last seen ${idleS} s ago`;
			},
		},
		{
			name: 'display lock',
			look() {
				if (shell === 'stand-in') throw new NotHere('a page alone cannot keep the display lit for main');
				const id = powerSaveBlocker.start('prevent-display-sleep');
				const isHeld = powerSaveBlocker.isStarted(id);
				powerSaveBlocker.stop(id);
				if (!isHeld || powerSaveBlocker.isStarted(id)) throw new Error('it is not held, or not let go');
				return 'held and let go';
			},
		},
	];
}

/** `--smoke`: checks everything the app relies on in its shell, and writes `smoke.json` in the user-data folder. */
export async function smoke({
	userData,
	...promises
}: ShellPromises & {
	readonly window: BrowserWindow;
	readonly userData: string;
}): Promise<void> {
	const checks = [...pageChecks(promises.window, promises), ...shellChecks(promises)];
	const rows = await takeSmoke(checks, promises.clock);
	writeAtomically(join(userData, SMOKE_FILE), `${JSON.stringify(rows, null, '\t')}\n`);
}

/** An address that does not exist (RFC 2606). */
const NOWHERE = 'https://smoke.invalid/';
/** An input that no request accepts. */
const JUNK = 0;

/** The checks that run in the page. They are sent there as text, so they may use only the page and their arguments. */
export function pageChecks(
	window: BrowserWindow,
	{ shell }: Pick<ShellPromises, 'shell'>,
): readonly SmokeCheck[] {
	/** Runs as if after a user gesture. */
	function inPage<Answer, Given = null>(
		run: (page: Page, given: Given) => Answer | Promise<Answer>,
		...[given]: Given extends null ? [] : [Given]
	): Promise<Answer> {
		const call = `(${run})(globalThis, ${JSON.stringify(given ?? null)})`;
		return window.webContents.executeJavaScript(call, true);
	}

	return [
		{
			name: 'window',
			async look() {
				const { title, buttons } = await inPage(firstPicture);
				const { width, height } = window.getBounds();
				if (!window.isVisible()) throw new Error('it is not visible');
				if (buttons === 0) throw new Error('there is nothing to press in it');
				return `“${title}”, ${width} × ${height}, ${buttons} buttons`;
			},
		},
		{
			name: 'own scheme',
			async look() {
				const { href, secure } = await inPage(whereItIs);
				if (shell === 'stand-in')
					throw new NotHere(`served as ${new URL(href).protocol}//${new URL(href).hostname}`);
				if (!href.startsWith(`${APP_ORIGIN}/`) || !secure) throw new Error(`it is at ${href}`);
				return `${href}, a secure context`;
			},
		},
		{
			name: 'preload in isolation',
			async look() {
				const { reachable, answered } = await inPage(isolation);
				if (reachable.length > 0) throw new Error(`the page reaches ${reachable.join(', ')}`);
				if (!answered) throw new Error('what the page does to its own objects is felt by the preload');
				return 'neither Node nor Electron is in the page; the bridge answers from a world of its own';
			},
		},
		{
			name: 'content policy',
			async look() {
				const broken = await inPage(brokenPolicy, NOWHERE);
				if (broken.length > 0) throw new Error(`not refused: ${broken.join(', ')}`);
				return 'text as code, a foreign picture and a foreign address are refused';
			},
		},
		{
			name: 'trusted types',
			async look() {
				if (await inPage(takesMarkup)) throw new Error('the page takes any text for markup');
				return 'text is not taken for markup';
			},
		},
		{
			name: 'permissions',
			async look() {
				const { microphone, granted } = await inPage(permissions);
				if (granted.length > 0) throw new Error(`granted: ${granted.join(', ')}`);
				if (microphone === 'denied') throw new Error('the microphone is refused');
				return `microphone ${microphone}; camera, place and notifications refused`;
			},
		},
		{
			name: 'requests',
			async look() {
				const names = Object.keys(requests);
				const silent = await inPage(unanswered, { names, junk: JUNK });
				if (silent.length > 0) throw new Error(`no right answer: ${silent.join(', ')}`);
				return `${names.length} of ${names.length} answer, and refuse what they do not take`;
			},
		},
		{
			name: 'navigation refused',
			async look() {
				const before = BrowserWindow.getAllWindows().length;
				const { left } = await inPage(leaving, NOWHERE);
				if (left) throw new Error('the page has left');
				if (BrowserWindow.getAllWindows().length !== before) throw new Error('it has opened a window');
				return 'the page neither leaves nor opens a window';
			},
		},
		{
			name: 'the computer’s sound',
			async look() {
				const { way, label } = await inPage(computersSound);
				if (way === 'recorder') throw new NotHere('recorded from the sound server, without the shell');
				if (way !== 'loopback') throw new NotHere('it cannot be had here');
				if (label === null) throw new Error('no live track came');
				return `a live track, “${label}”`;
			},
		},
	];
}

/** The page's members used by the checks: main itself has no DOM types. */
interface Page {
	readonly dragoman: HostBridge;
	readonly isSecureContext: boolean;
	readonly location: { readonly href: string; assign(address: string): void };
	readonly document: {
		readonly title: string;
		querySelectorAll(selector: string): { readonly length: number };
		createElement(name: string): { innerHTML: string; src: string };
		addEventListener(name: string, heard: (event: Violation) => void): void;
		removeEventListener(name: string, heard: (event: Violation) => void): void;
	};
	readonly navigator: {
		readonly mediaDevices: {
			getUserMedia(wanted: object): Promise<unknown>;
			getDisplayMedia(wanted: object): Promise<Captured>;
		};
		readonly geolocation: {
			getCurrentPosition(done: (place: unknown) => void, fail: (why: unknown) => void, how: object): void;
		};
		readonly permissions: { query(what: object): Promise<{ readonly state: string }> };
	};
	readonly Notification: { requestPermission(): Promise<string> };
	eval(text: string): unknown;
	fetch(address: string): Promise<unknown>;
	open(address: string): unknown;
	setTimeout(run: (done: unknown) => void, delayMs: number): void;
}
interface Violation {
	readonly effectiveDirective: string;
}
interface Track {
	readonly readyState: string;
	readonly label: string;
	stop(): void;
}
interface Captured {
	getTracks(): readonly Track[];
	getAudioTracks(): readonly Track[];
}

/** Waits for the window's own buttons, which are built after its page was loaded. */
async function firstPicture({ document, setTimeout }: Page): Promise<{ title: string; buttons: number }> {
	const buttons = () => document.querySelectorAll('#root button').length;
	for (let looks = 0; looks < 100 && buttons() === 0; looks += 1)
		await new Promise((next) => setTimeout(next, 50));
	return { title: document.title, buttons: buttons() };
}

function whereItIs({ location, isSecureContext }: Page): { href: string; secure: boolean } {
	return { href: location.href, secure: isSecureContext };
}

async function isolation(page: Page): Promise<{ reachable: string[]; answered: boolean }> {
	const foreign = ['process', 'require', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer', 'webFrame'];
	const { push } = Array.prototype;
	const { parse } = JSON;
	try {
		Array.prototype.push = () => 0;
		JSON.parse = () => ({});
		const limit = new Promise((done) => page.setTimeout(done, 3000));
		const answer = await Promise.race([page.dragoman.ask('app.info', undefined), limit]);
		const { ok = false } = (answer ?? {}) as { ok?: boolean };
		return { reachable: foreign.filter((name) => name in page), answered: ok };
	} finally {
		Array.prototype.push = push;
		JSON.parse = parse;
	}
}

async function brokenPolicy(page: Page, nowhere: string): Promise<string[]> {
	const { document, fetch, setTimeout } = page;
	const seen: string[] = [];
	const note = ({ effectiveDirective }: Violation) => void seen.push(effectiveDirective);
	document.addEventListener('securitypolicyviolation', note);
	const broken: string[] = [];
	try {
		page.eval('1');
		broken.push('text as code');
	} catch {
		// This failure is the expected outcome.
	}
	document.createElement('img').src = `${nowhere}picture.png`;
	await fetch(nowhere).then(
		() => broken.push('a foreign address'),
		() => {},
	);
	// The browser reports it some time after the refusal, and later on a busy computer.
	for (let looks = 0; looks < 60 && !seen.includes('img-src'); looks += 1)
		await new Promise((next) => setTimeout(next, 50));
	document.removeEventListener('securitypolicyviolation', note);
	if (!seen.includes('img-src')) broken.push('a foreign picture');
	return broken;
}

function takesMarkup({ document }: Page): boolean {
	try {
		document.createElement('div').innerHTML = '<b>text</b>';
		return true;
	} catch {
		return false;
	}
}

async function permissions(page: Page): Promise<{ microphone: string; granted: string[] }> {
	const { mediaDevices, geolocation, permissions } = page.navigator;
	const granted: string[] = [];
	const refused = (name: string, asked: Promise<unknown>) =>
		asked.then(
			() => void granted.push(name),
			() => {},
		);
	await refused('camera', mediaDevices.getUserMedia({ video: true }));
	const place = new Promise((done, fail) => geolocation.getCurrentPosition(done, fail, { timeout: 3000 }));
	await refused('place', place);
	if ((await page.Notification.requestPermission()) === 'granted') granted.push('notifications');
	return { microphone: (await permissions.query({ name: 'microphone' })).state, granted };
}

async function unanswered(
	{ dragoman, setTimeout }: Page,
	{ names, junk }: { names: string[]; junk: unknown },
): Promise<string[]> {
	const silent: string[] = [];
	for (const name of names) {
		const limit = new Promise((done) => setTimeout(done, 3000));
		const answer = (await Promise.race([dragoman.ask(name, junk), limit])) as
			| { error?: { where?: string } }
			| undefined;
		if (answer?.error?.where !== `host.${name}: input`) silent.push(name);
	}
	return silent;
}

async function leaving(page: Page, nowhere: string): Promise<{ left: boolean }> {
	const before = page.location.href;
	page.open(nowhere);
	// Use a page that exists: after a failed load the window returns to its own page.
	page.location.assign('overlay/index.html');
	await new Promise((next) => page.setTimeout(next, 500));
	return { left: page.location.href !== before };
}

async function computersSound(page: Page): Promise<{ way: string; label: string | null }> {
	const { dragoman, navigator } = page;
	const asked = (await dragoman.ask('system-sound.state', undefined)) as { value?: { way: string } };
	const way = asked.value?.way ?? '';
	if (way !== 'loopback') return { way, label: null };
	const stream = 'smoke-smoke-smoke';
	await dragoman.ask('system-sound.open', { stream, application: null, rateHz: 48_000 });
	try {
		const captured = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true });
		const [track] = captured.getAudioTracks();
		const label = track?.readyState === 'live' ? track.label : null;
		for (const one of captured.getTracks()) one.stop();
		return { way, label };
	} finally {
		await dragoman.ask('system-sound.close', { stream });
	}
}
