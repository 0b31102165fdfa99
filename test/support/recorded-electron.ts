import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserWindowConstructorOptions } from 'electron';
import { vi } from 'vitest';
import { openStartRecord } from '#main/app/safe-mode.ts';
import { ASK } from '#shared/host/names.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

/** A call that was made of Electron: where (`session.defaultSession.setProxy`), and with what. */
export interface ElectronCall {
	readonly name: string;
	readonly args: readonly unknown[];
}

type AnyFunction = (...args: never[]) => unknown;

/** A page of a window, as far as main has to do with it. */
export interface RecordedContents extends EventEmitter {
	readonly id: number;
	/** The last handler given to `setWindowOpenHandler`. */
	openHandler: ((details: { url: string }) => { action: string }) | null;
	getURL(): string;
}

export interface RecordedWindow extends EventEmitter {
	readonly options: BrowserWindowConstructorOptions;
	readonly webContents: RecordedContents;
	/** Addresses it was told to load. */
	readonly loaded: string[];
}

export interface RecordedSession {
	/** Its session partition; empty = the default one. */
	readonly partition: string;
	/** The last arguments of each method, by name: `setPermissionRequestHandler`, `protocol.handle`. */
	readonly given: Map<string, readonly unknown[]>;
}

/** Everything that main asked of Electron, in order, and what tests need to drive it. */
export interface RecordedElectron {
	/** The module that `import … from 'electron'` returns. */
	readonly module: Record<string, unknown>;
	readonly calls: ElectronCall[];
	readonly windows: RecordedWindow[];
	readonly sessions: Map<string, RecordedSession>;
	/** Handlers of `ipcMain`, by channel. */
	readonly ipc: Map<string, AnyFunction>;
	readonly app: EventEmitter;
	/** `powerMonitor`, as the system drives it. */
	readonly power: EventEmitter;
	/** The interfaces that the preload exposed, by name. */
	readonly exposed: Map<string, unknown>;
	/** The button that the person presses in a message box; 0 = the first. */
	pressed: number;
	/** Whether the person ticks the box in it. */
	ticked: boolean;
	/** Answers `fetch` of every session. */
	fetch: (address: string, init?: RequestInit) => Promise<Response>;
	/** Answers `ipcRenderer.invoke`. */
	invoke: (channel: string, ...args: unknown[]) => unknown;
	/** Listeners of the preload, by channel. */
	readonly renderer: EventEmitter;
	called(name: string): readonly ElectronCall[];
}

/**
 * A fake Electron that does nothing and records everything: the composition root runs on it as it is, and
 * tests check what was really handed over. Members with a known answer give it; everything else returns `undefined`.
 */
export function createRecordedElectron(): RecordedElectron {
	const calls: ElectronCall[] = [];
	const windows: RecordedWindow[] = [];
	const sessions = new Map<string, RecordedSession>();
	const ipc = new Map<string, AnyFunction>();
	const exposed = new Map<string, unknown>();
	const renderer = new EventEmitter();

	/** `known` as it is; a member of any other name is a function whose calls are recorded. */
	function recorded<Target extends object>(name: string, known: Target, heard?: Hear): Target {
		return new Proxy(known, {
			get(target, key) {
				const member = Reflect.get(target, key);
				if (typeof key === 'symbol' || (typeof member !== 'function' && member !== undefined)) return member;
				return (...args: unknown[]) => {
					calls.push({ name: `${name}.${key}`, args });
					heard?.(key, args);
					return typeof member === 'function' ? member.apply(target, args) : undefined;
				};
			},
		});
	}

	function sessionOf(partition: string): object {
		const given = new Map<string, readonly unknown[]>();
		sessions.set(partition, { partition, given });
		const keep = (before: string) => (key: string, args: readonly unknown[]) =>
			void given.set(before + key, args);
		const name = `session.${partition || 'defaultSession'}`;
		const parts = {
			protocol: recorded(`${name}.protocol`, {}, keep('protocol.')),
			webRequest: recorded(`${name}.webRequest`, {}, keep('webRequest.')),
			setProxy: async () => {},
			closeAllConnections: async () => {},
			resolveProxy: async () => 'DIRECT',
			fetch: (address: string, init?: RequestInit) => self.fetch(address, init),
		};
		return recorded(name, parts, keep(''));
	}

	const power = new EventEmitter();
	const app = new EventEmitter();
	const appParts = Object.assign(app, {
		isPackaged: false,
		commandLine: recorded('app.commandLine', { getSwitchValue: () => '', hasSwitch: () => false }),
		getVersion: () => '0.0.0',
		getPath: () => tmpdir(),
		getPreferredSystemLanguages: () => ['en'],
		getLocale: () => 'en',
		requestSingleInstanceLock: () => true,
		whenReady: async () => {},
	});

	class Contents extends EventEmitter implements RecordedContents {
		readonly id = windows.length + 1;
		openHandler: RecordedContents['openHandler'] = null;
		address = '';
		setWindowOpenHandler(handler: RecordedContents['openHandler']): void {
			this.openHandler = handler;
		}
		getURL(): string {
			return this.address;
		}
		isDestroyed = () => false;
	}

	class Window extends EventEmitter {
		readonly options: BrowserWindowConstructorOptions;
		readonly page = new Contents();
		readonly webContents: Contents;
		readonly loaded: string[] = [];
		constructor(options: BrowserWindowConstructorOptions) {
			super();
			this.options = options;
			this.webContents = recorded('webContents', this.page);
		}
		async loadURL(address: string): Promise<void> {
			this.loaded.push(address);
			this.page.address = address;
			this.page.emit('did-navigate', {}, address);
		}
		destroy(): void {
			this.emit('closed');
		}
		isDestroyed = () => false;
		isVisible = () => true;
		isMinimized = () => false;
		getBounds = () => ({ x: 0, y: 0, width: 1, height: 1 });
	}

	const BrowserWindow = new Proxy(Window, {
		construct(target, [options = {}]) {
			const window = new target(options);
			const shown = recorded('BrowserWindow', window);
			windows.push(shown);
			// Electron emits this for every page, however it was created.
			appParts.emit('web-contents-created', {}, window.webContents);
			return shown;
		},
		get(target, key) {
			if (key === 'getAllWindows') return () => [...windows];
			if (key === 'fromWebContents')
				return ({ id }: { id: number }) => windows.find((one) => one.webContents.id === id) ?? null;
			return Reflect.get(target, key);
		},
	});

	/** A class whose instances do nothing. */
	const inert = (name: string) =>
		class {
			constructor() {
				calls.push({ name: `new ${name}`, args: [] });
				Object.assign(this, recorded(name, new EventEmitter()));
			}
			on() {}
			setToolTip() {}
			setImage() {}
			setContextMenu() {}
			destroy() {}
		};
	const display = { id: 1, scaleFactor: 1, workArea: { x: 0, y: 0, width: 1000, height: 800 } };
	const self: RecordedElectron = {
		calls,
		windows,
		sessions,
		ipc,
		app,
		power,
		exposed,
		renderer,
		pressed: 0,
		ticked: false,
		fetch: async () => {
			throw new TypeError('no network here');
		},
		invoke: async () => undefined,
		called: (name) => calls.filter((call) => call.name === name),
		module: {
			app: recorded('app', appParts),
			BrowserWindow,
			dialog: recorded('dialog', {
				showMessageBox: async () => ({ response: self.pressed, checkboxChecked: self.ticked }),
				showSaveDialog: async () => ({ canceled: true }),
				showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
			}),
			globalShortcut: recorded('globalShortcut', {}),
			ipcMain: recorded('ipcMain', {
				handle: (channel: string, handler: AnyFunction) => void ipc.set(channel, handler),
				removeHandler: (channel: string) => void ipc.delete(channel),
			}),
			Menu: recorded('Menu', {}),
			MessageChannelMain: class {
				port1 = recorded('port1', new EventEmitter());
				port2 = recorded('port2', new EventEmitter());
			},
			nativeImage: recorded('nativeImage', {}),
			Notification: inert('Notification'),
			powerMonitor: recorded('powerMonitor', power),
			powerSaveBlocker: recorded('powerSaveBlocker', { start: () => 1 }),
			protocol: recorded('protocol', {}),
			safeStorage: recorded('safeStorage', { isAsyncEncryptionAvailable: async () => false }),
			screen: recorded(
				'screen',
				Object.assign(new EventEmitter(), {
					getPrimaryDisplay: () => display,
					getAllDisplays: () => [display],
					getDisplayMatching: () => display,
				}),
			),
			session: recorded('session', {
				defaultSession: sessionOf(''),
				fromPartition: (name: string) => sessionOf(name),
			}),
			shell: recorded('shell', {
				openExternal: async () => {},
				openPath: async () => '',
				showItemInFolder: () => {},
			}),
			systemPreferences: recorded('systemPreferences', {
				getMediaAccessStatus: () => 'unknown',
				askForMediaAccess: async () => true,
			}),
			Tray: inert('Tray'),
			utilityProcess: recorded('utilityProcess', {}),
			contextBridge: recorded('contextBridge', {
				exposeInMainWorld: (name: string, api: unknown) => void exposed.set(name, api),
			}),
			ipcRenderer: recorded('ipcRenderer', {
				invoke: (channel: string, ...args: unknown[]) => self.invoke(channel, ...args),
				on: (channel: string, heard: (...args: unknown[]) => void) => void renderer.on(channel, heard),
				removeListener: (channel: string, heard: (...args: unknown[]) => void) =>
					void renderer.removeListener(channel, heard),
			}),
		},
	};
	return self;
}

type Hear = (key: string, args: readonly unknown[]) => void;

/** The one that `vi.mock('electron', …)` of a test file hands out. */
export const recordedElectron = createRecordedElectron();

export interface StartedShell {
	/** The window of the app, and the captions over other windows. */
	readonly windows: readonly [main: RecordedWindow, overlay: RecordedWindow];
	readonly userData: string;
	/** Main's time. */
	readonly clock: ManualClock;
	/** Asks as the page of a window would; `sender` replaces what Electron says of it. Rejects when there is no answer. */
	ask(name: string, input?: unknown, sender?: Readonly<Record<string, unknown>>): Promise<unknown>;
	/** Asks the app's own scheme, as a page does. */
	get(address: string, init?: RequestInit): Promise<Response>;
	/** Removes what was made. */
	end(): void;
}

/**
 * The whole app as `startShell` puts it together, on the recorded Electron, with the captions over other windows
 * open, set to the public service without a key; its pages are stubs. `start` is a parameter, because Electron must be
 * replaced before it is imported.
 */
export async function startRecorded(
	start: typeof import('#main/electron/shell.ts').startShell,
	env: NodeJS.ProcessEnv = {},
	clock: ManualClock = createManualClock(),
): Promise<StartedShell> {
	const before = new Map(process.eventNames().map((name) => [name, process.listeners(name as 'exit')]));
	const root = mkdtempSync(join(tmpdir(), 'dragoman-shell-'));
	const userData = join(root, 'data');
	for (const folder of [userData, join(root, 'built/renderer/overlay')])
		mkdirSync(folder, { recursive: true });
	for (const page of ['index.html', 'overlay/index.html'])
		writeFileSync(join(root, 'built/renderer', page), `<!doctype html><title>${page}</title>`);
	writeFileSync(
		join(userData, 'settings.json'),
		JSON.stringify({ service: 'service', overlay: { shown: true } }),
	);
	await start({
		options: {},
		env,
		folders: { userData, source: '', logs: join(userData, 'logs'), refusal: null },
		clock,
		built: join(root, 'built'),
		starts: openStartRecord(userData, () => 0),
		safeAsked: false,
	});
	const [main, overlay] = recordedElectron.windows;
	if (!main || !overlay) throw new Error('the app opened no windows');

	return {
		windows: [main, overlay],
		userData,
		clock,
		async ask(name, input, sender = {}) {
			const handler = recordedElectron.ipc.get(ASK) as (...args: unknown[]) => unknown;
			const frame = { url: main.webContents.getURL(), parent: null };
			return handler({ sender: main.webContents, senderFrame: frame, ...sender }, name, input);
		},
		async get(address, init) {
			const [scheme, handler] = recordedElectron.sessions.get('')?.given.get('protocol.handle') ?? [];
			if (scheme !== 'app') throw new Error(`served is ${scheme}`);
			return (handler as (request: Request) => Promise<Response>)(new Request(address, init));
		},
		end() {
			// The app listens for the end of the process, which here is the test runner's.
			for (const name of process.eventNames())
				for (const listener of process.listeners(name as 'exit'))
					if (!before.get(name)?.includes(listener)) process.removeListener(name, listener);
			rmSync(root, { recursive: true, force: true });
		},
	};
}

/** Runs the preload on a fake window. Resolves to a list of what it posts there, all arguments of each call. */
export async function startPreload(): Promise<readonly unknown[][]> {
	const posted: unknown[][] = [];
	vi.stubGlobal('window', {
		location: { origin: 'app://dragoman' },
		postMessage: (...args: unknown[]) => posted.push(args),
	});
	// Imported by its file, because it belongs to another TypeScript project.
	const preload = resolve('src/preload/index.ts');
	await import(preload);
	return posted;
}
