import { BrowserWindow } from 'electron';
import { APP_ORIGIN } from '#main/app/guards.ts';
import { type HostBridge, requests } from '#shared/host/contract.ts';
import { NotHere, type SmokeCheck } from './report.ts';
import type { ShellPromises } from './smoke.ts';

/** An address that does not exist (RFC 2606). */
const NOWHERE = 'https://smoke.invalid/';
/** An input that no request accepts. */
const JUNK = 0;

/** What the page sees. The functions below are sent over as text, so they may use only the page and their arguments. */
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

/** The part of the page that is looked at: main itself has no DOM types. */
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

/** Waits for what can be pressed in the window itself, which is built after its page was loaded. */
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
		// As it must be.
	}
	document.createElement('img').src = `${nowhere}picture.png`;
	await fetch(nowhere).then(
		() => broken.push('a foreign address'),
		() => {},
	);
	// Told some time after the refusal, and later on a busy computer.
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
	// A page that exists: from an unreachable one the window would come back by itself.
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
