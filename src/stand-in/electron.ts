import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type * as Electron from 'electron';
import type { BrowserWindowConstructorOptions, Rectangle } from 'electron';
import { app, lifecycle } from './app.ts';
import type { Browser } from './cdp.ts';
import { MessageChannelMain } from './message-ports.ts';
import { program, type Running, run } from './program.ts';
import {
	askForScreens,
	dialog,
	globalShortcut,
	Menu,
	Notification,
	nativeImage,
	powerMonitor,
	powerSaveBlocker,
	safeStorage,
	screen,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
} from './shell-parts.ts';
import { strict } from './strict.ts';
import { ipcMain, StandInContents } from './web-contents.ts';

let check: CheckHandler = () => false;

let request: RequestHandler = (_contents, _permission, answer) => answer(false);

/** As in Electron, both handlers must agree before the browser grants a permission. */
program.mayUse = (permission, origin) => {
	let granted = false;
	request(
		{ getURL: () => `${origin}/` },
		permission,
		(answer) => {
			granted = answer;
		},
		{
			isMainFrame: true,
			mediaTypes: ['audio'],
		},
	);
	return granted && check(null, permission, origin, { mediaType: 'audio', isMainFrame: true });
};

/** Node and the browser read their proxies at the start and keep them, so a change is only reported. */
const proxied = {
	async setProxy({ mode = 'system' }: { mode?: string }): Promise<void> {
		process.stderr.write(`[stand-in] the proxy stays as it is; Electron would change it to: ${mode}\n`);
	},
	closeAllConnections: async (): Promise<void> => {},
};

const defaultSession = strict('session', {
	protocol: strict('session.protocol', {
		handle: (scheme: string, handler: Handler): void => void program.handlers.set(scheme, handler),
	}),
	setPermissionRequestHandler(handler: RequestHandler): void {
		request = handler;
	},
	setPermissionCheckHandler(handler: CheckHandler): void {
		check = handler;
	},
	/** There is no loopback audio here (`main/app/system-sound.ts` offers none), so it is never requested. */
	setDisplayMediaRequestHandler(): void {},
	webRequest: strict('session.webRequest', {
		/** Called for every HTTP request; the page's WebSockets are not seen here (`web-contents.ts`). */
		onBeforeRequest(listener: typeof program.beforeRequest): void {
			program.beforeRequest = listener;
		},
	}),
	...proxied,
	/** No devices beyond microphone and speakers are reachable from here. */
	setDevicePermissionHandler(): void {},
});

const session = strict('session', {
	defaultSession,
	/** Requests of main go through Node, so they are separate from the browser in any case. */
	fromPartition: (_name: string) =>
		strict('session', {
			fetch: (input: string | Request, init?: RequestInit) => globalThis.fetch(input, init),
			/** Node does not ask the system; the environment's proxy is read at the start (`start.ts`). */
			resolveProxy: async (_address: string) => 'DIRECT',
			...proxied,
		}),
});

const protocol = strict('protocol', {
	/** The loopback address is a secure context already; there is nothing to register. */
	registerSchemesAsPrivileged(): void {},
});

/** How soon a move by the user is noticed. */
const LOOK_EVERY_MS = 500;

let nextId = 0;

const windows = new Set<StandInWindow>();

lifecycle.windows = () => [...windows];

/** A window of the browser. Anything it cannot do is missing here, and throws when used. */
class StandInWindow extends EventEmitter {
	readonly id: number;
	readonly webContents: StandInContents;
	/** The form that the app gets: it throws on anything that is missing here. */
	readonly strictly: StandInWindow = strict('BrowserWindow', this);
	readonly #size: { readonly width: number; readonly height: number };
	/** The requested place of a second window; the browser decides where the first one is. */
	readonly #place: { readonly x?: number; readonly y?: number };
	#bounds: Rectangle;
	#watching: NodeJS.Timeout | null = null;
	#running: Running | null = null;
	#target: string | null = null;
	#destroyed = false;

	constructor(options: BrowserWindowConstructorOptions = {}) {
		super();
		this.id = ++nextId;
		this.#size = { width: options.width ?? 800, height: options.height ?? 600 };
		const { x, y } = options;
		this.#place = { ...(x !== undefined && { x }), ...(y !== undefined && { y }) };
		this.#bounds = { x: x ?? 0, y: y ?? 0, ...this.#size };
		this.webContents = strict('webContents', new StandInContents(this.id, options.webPreferences?.preload));
		windows.add(this);
		// The app guards every page from its first moment.
		lifecycle.events.emit('web-contents-created', {}, this.webContents);
	}

	static getAllWindows(): StandInWindow[] {
		return [...windows].map((one) => one.strictly);
	}

	static fromWebContents(contents: unknown): StandInWindow | null {
		const { id } = contents as { id: number };
		return [...windows].find((one) => one.webContents.id === id)?.strictly ?? null;
	}

	async loadURL(address: string): Promise<void> {
		if (this.#target === null) await this.#open();
		await this.webContents.load(address);
		this.emit('ready-to-show');
	}

	async #open(): Promise<void> {
		const running = await run(this.#size);
		this.#running = running;
		const { browser } = running;
		const isFirst = this.id === 1;
		const target = isFirst ? running.firstPage : await running.openWindow({ ...this.#size, ...this.#place });
		this.#target = target;
		const { sessionId } = await browser.root.send('Target.attachToTarget', {
			targetId: target,
			flatten: true,
		});
		browser.root.on('Target.targetDestroyed', ({ targetId }) => {
			if (targetId === target) this.#gone();
		});
		browser.root.on('Target.targetCreated', ({ targetInfo }) => {
			const { openerId, targetId } = targetInfo as { openerId?: string; targetId: string };
			if (openerId !== target) return;
			// The page may not open windows.
			void closeOpened(browser, targetId);
		});
		void browser.exited.then(() => this.#gone());
		const session = browser.session(String(sessionId));
		await this.webContents.attach(running, session);
		// Moves a window whose position is on no display.
		await askForScreens(session);
		if (!isFirst) this.setBounds(this.#bounds);
		if (this.listenerCount('move') + this.listenerCount('resize') > 0) this.#watch();
	}

	/** A browser does not report that a window was moved; for listeners it is polled. */
	#watch(): void {
		this.#watching = setInterval(() => void this.#look(), LOOK_EVERY_MS);
		this.#watching.unref();
	}

	async #look(): Promise<void> {
		const found = await this.#windowOf();
		if (!found || this.#destroyed) return;
		const { left: x, top: y, width, height } = found.bounds;
		const before = this.#bounds;
		this.#bounds = { x, y, width, height };
		if (x !== before.x || y !== before.y) this.emit('move');
		if (width !== before.width || height !== before.height) this.emit('resize');
	}

	async #windowOf(): Promise<{ windowId: number; bounds: BrowserBounds } | null> {
		const [running, targetId] = [this.#running, this.#target];
		if (!running || !targetId) return null;
		const found = await running.browser.root
			.send('Browser.getWindowForTarget', { targetId })
			.catch(() => null);
		return found as { windowId: number; bounds: BrowserBounds } | null;
	}

	/** Called when the page was closed, by the user (whom the page has asked) or by `destroy`. */
	#gone(): void {
		if (this.#destroyed) return;
		this.#destroyed = true;
		if (this.#watching) clearInterval(this.#watching);
		this.webContents.detach();
		windows.delete(this);
		this.emit('closed');
		if (windows.size === 0) lifecycle.allClosed();
	}

	/** As in Electron: `close` may be prevented. */
	close(): void {
		if (this.#destroyed) return;
		let prevented = false;
		this.emit('close', {
			preventDefault() {
				prevented = true;
			},
		});
		if (!prevented) this.destroy();
	}

	destroy(): void {
		if (this.#destroyed) return;
		const [running, targetId] = [this.#running, this.#target];
		if (running && targetId) running.browser.root.send('Target.closeTarget', { targetId }).catch(() => {});
		this.#gone();
	}

	isDestroyed(): boolean {
		return this.#destroyed;
	}

	show(): void {
		this.focus();
	}

	/** A browser's window cannot be hidden; when the app asks for that, it is about to close anyway. */
	hide(): void {}

	focus(): void {
		const [running, targetId] = [this.#running, this.#target];
		if (running && targetId) running.browser.root.send('Target.activateTarget', { targetId }).catch(() => {});
	}

	isVisible(): boolean {
		return !this.#destroyed;
	}

	isMinimized(): boolean {
		return false;
	}

	restore(): void {
		this.focus();
	}

	/** Shows the window without taking the keyboard; a browser's window is visible from the start. */
	showInactive(): void {}

	getBounds(): Rectangle {
		return { ...this.#bounds };
	}

	setBounds(bounds: Partial<Rectangle>): void {
		this.#bounds = { ...this.#bounds, ...bounds };
		const { x: left, y: top, width, height } = this.#bounds;
		void this.#windowOf().then((found) => {
			const { windowId } = found ?? {};
			if (windowId === undefined) return;
			this.#running?.browser.root
				.send('Browser.setWindowBounds', { windowId, bounds: { left, top, width, height } })
				.catch(() => {});
		});
	}
}

/** How long to wait for the release: a page that hangs never answers. */
const RELEASE_LIMIT_MS = 1000;

/** `new BrowserWindow(…)` gives the strict form. */
const BrowserWindow = new Proxy(StandInWindow, {
	construct: (target, [options]) => new target(options as BrowserWindowConstructorOptions).strictly,
});

const parts = {
	app,
	BrowserWindow,
	dialog,
	globalShortcut,
	ipcMain,
	Menu,
	nativeImage,
	Notification,
	MessageChannelMain,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	screen,
	session,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
};
type Parts = typeof parts;

/** Names and members that the real Electron lacks; must be empty: a stand-in may omit, but not invent. */
type Invented =
	| Exclude<keyof Parts, keyof typeof Electron>
	| {
			[Name in keyof Parts & keyof typeof Electron]: Exclude<
				keyof Parts[Name],
				keyof (typeof Electron)[Name]
			>;
	  }[keyof Parts & keyof typeof Electron];
parts satisfies [Invented] extends [never] ? object : Invented;

/*
 * What the built main process may import from `electron` if there is none: the same names, implemented with a
 * Chromium. Everything else throws "not in the stand-in: …".
 */
export {
	app,
	BrowserWindow,
	dialog,
	globalShortcut,
	ipcMain,
	Menu,
	MessageChannelMain,
	Notification,
	nativeImage,
	powerMonitor,
	powerSaveBlocker,
	protocol,
	safeStorage,
	screen,
	session,
	shell,
	systemPreferences,
	Tray,
	utilityProcess,
};

interface BrowserBounds {
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
}

/**
 * Closes a window that the page has opened. It shares the page's process: if a debugger drives the browser,
 * the window is paused at its first step until it is released, and the page with it. Closed before that, both
 * would stay paused for ever.
 */
async function closeOpened(browser: Browser, targetId: string): Promise<void> {
	try {
		const { sessionId } = await browser.root.send('Target.attachToTarget', { targetId, flatten: true });
		const released = browser.session(String(sessionId)).send('Runtime.runIfWaitingForDebugger');
		await Promise.race([released, setTimeout(RELEASE_LIMIT_MS, undefined, { ref: false })]);
	} catch {
		// Ignore it: the page has closed itself.
	}
	await browser.root.send('Target.closeTarget', { targetId }).catch(() => {});
}

type Handler = (request: Request) => Response | Promise<Response>;

type CheckHandler = (contents: null, permission: string, origin: string, details: object) => boolean;

type RequestHandler = (
	contents: { getURL(): string },
	permission: string,
	answer: (granted: boolean) => void,
	details: object,
) => void;
