import { type ChildProcess, fork, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Display, Rectangle } from 'electron';
import { makeFolderNow } from '#main/lib/files.ts';
import { app } from './app.ts';
import type { CdpSession } from './cdp.ts';
import { program } from './program.ts';
import { strict } from './strict.ts';

function say(text: string): void {
	process.stderr.write(`[stand-in] ${text}\n`);
}

/** A name in `folder` that is still free. */
function freeName(folder: string, name: string): string {
	const extension = extname(name);
	const stem = basename(name, extension);
	for (let count = 1; ; count++) {
		const path = join(folder, count === 1 ? name : `${stem} (${count})${extension}`);
		if (!existsSync(path)) return path;
	}
}

interface Question {
	readonly message?: string;
	readonly detail?: string;
	readonly buttons?: readonly string[];
	/** The button that counts as pressed when the question is closed. */
	readonly cancelId?: number;
}

/** The window in which a question is asked. */
interface Asked {
	readonly webContents: { confirm(text: string): Promise<boolean> };
}

/** The button that the user presses, asked with the browser's own OK/Cancel dialog; counts as closed if it is hidden. */
async function answerOf(window: Asked | null, { message, detail, buttons = [], cancelId = 0 }: Question) {
	const others = buttons.flatMap((_button, index) => (index === cancelId ? [] : [index]));
	const [other] = others;
	if (!window || program.switches.headless || other === undefined || others.length > 1) return cancelId;
	const choice = `OK: ${buttons[other]}`;
	const text = [message, detail, choice].filter(Boolean).join('\n\n');
	return (await window.webContents.confirm(text)) ? other : cancelId;
}

export const dialog = strict('dialog', {
	/** No native dialogs here: saves to the downloads folder and logs it. */
	async showSaveDialog(...args: unknown[]) {
		const options = args.at(-1) as { defaultPath?: string };
		const folder = app.getPath('downloads');
		makeFolderNow(folder);
		const filePath = freeName(folder, basename(options.defaultPath ?? 'dragoman.txt'));
		say(`saved to ${filePath}`);
		return { canceled: false, filePath };
	},
	/** No dialog can be shown, so answer as if the user had closed it. */
	async showOpenDialog(..._args: unknown[]) {
		say('a file would be asked for; name it in DRAGOMAN_OPEN_FILE');
		return { canceled: true, filePaths: [] as string[] };
	},
	/**
	 * The person answers in the window; a test answers through DRAGOMAN_ANSWER, with the text of a button.
	 * Without either, the question counts as closed.
	 */
	async showMessageBox(...args: unknown[]) {
		const question = args.at(-1) as Question;
		const { message = '', buttons = [] } = question;
		const chosen = buttons.indexOf(process.env.DRAGOMAN_ANSWER ?? '');
		const window = args.length > 1 ? (args[0] as Asked) : null;
		const response = chosen >= 0 ? chosen : await answerOf(window, question);
		say(`asked: ${message} Answered: ${buttons[response] ?? ''}`);
		return { response, checkboxChecked: false };
	},
	showErrorBox(title: string, content: string): void {
		say(`${title}: ${content}`);
	},
});

/** A plain Chromium gives no access to a keychain, so there is none: keys live for this run. */
export const safeStorage = strict('safeStorage', {
	isAsyncEncryptionAvailable: async () => false,
	getSelectedStorageBackend: () => 'unknown' as const,
	async encryptStringAsync(_text: string): Promise<Buffer> {
		throw new Error('not in the stand-in: a keychain');
	},
	async decryptStringAsync(_sealed: Buffer): Promise<{ shouldReEncrypt: boolean; result: string }> {
		throw new Error('not in the stand-in: a keychain');
	},
});

/** A plain program receives no news of sleep, so the events never come. */
export const powerMonitor = strict('powerMonitor', new EventEmitter());

/** Ids of the wake locks that were requested; they have no effect. */
const held = new Set<number>();
let nextLock = 0;
export const powerSaveBlocker = strict('powerSaveBlocker', {
	start(_kind: string): number {
		held.add(++nextLock);
		return nextLock;
	},
	stop: (id: number) => held.delete(id),
});

/** A browser's window has no menu; the app's own buttons do the same. */
export const Menu = strict('Menu', {
	buildFromTemplate: (template: unknown) => ({ template }),
	setApplicationMenu(_menu: unknown): void {},
});

function noPicture(): never {
	throw new Error('not in the stand-in: a picture for the tray');
}

/** A browser has no global shortcuts; the app checks which shell it has before it uses them. */
export const globalShortcut = strict('globalShortcut', {});
export const nativeImage = strict('nativeImage', { createEmpty: noPicture, createFromBitmap: noPicture });
export const Tray = strict('Tray', class {});

function open(target: string): void {
	const hasDisplay = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
	if (!hasDisplay || program.switches.headless) {
		say(`would open ${target}`);
		return;
	}
	const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
	spawn(command, [target], { stdio: 'ignore', detached: true })
		.on('error', () => say(`open it yourself: ${target}`))
		.unref();
}

export const shell = strict('shell', {
	openExternal: async (address: string): Promise<void> => open(address),
	openPath: async (path: string): Promise<string> => {
		open(path);
		return '';
	},
	/** Opens the folder only: no common command makes a file manager select the file. */
	showItemInFolder: (path: string): void => open(dirname(path)),
});

/** Does not ask the operating system: the browser's permission is used instead. */
export const systemPreferences = strict('systemPreferences', {
	getMediaAccessStatus: (_kind: string) => 'unknown' as const,
	askForMediaAccess: async (_kind: string) => true,
});

interface UtilityOptions {
	readonly env?: NodeJS.ProcessEnv;
}

class StandInUtility extends EventEmitter {
	readonly #child: ChildProcess;

	constructor(path: string, args: readonly string[], { env = process.env }: UtilityOptions) {
		super();
		// The channel closes when we end, and with it the program we started (see `disconnect`).
		this.#child = fork(path, [...args], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
		this.#child.once('spawn', () => this.emit('spawn'));
		this.#child.once('exit', (code) => this.emit('exit', code ?? 1));
	}

	get pid(): number | undefined {
		return this.#child.pid;
	}

	get stdout() {
		return this.#child.stdout;
	}

	get stderr() {
		return this.#child.stderr;
	}

	kill(): boolean {
		return this.#child.kill();
	}
}

export const utilityProcess = strict('utilityProcess', {
	fork: (path: string, args: readonly string[] = [], options: UtilityOptions = {}) =>
		strict('UtilityProcess', new StandInUtility(path, args, options)),
});

/** A notification: it is printed on standard error, so it cannot be clicked. */
class StandInNotification extends EventEmitter {
	readonly #words: string;

	constructor({ title = '', body = '' }: { title?: string; body?: string } = {}) {
		super();
		this.#words = `${title}: ${body}`;
	}

	static isSupported(): boolean {
		return true;
	}

	show(): void {
		say(this.#words);
	}
}

export const Notification = strict('Notification', StandInNotification);

/** The part of the DevTools protocol's `Emulation.getScreenInfos` used here. CSS px. */
export interface ScreenInfo {
	readonly id: string;
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
	/** The area without task bars. */
	readonly availLeft: number;
	readonly availTop: number;
	readonly availWidth: number;
	readonly availHeight: number;
	readonly devicePixelRatio: number;
	readonly isPrimary: boolean;
}

/** Without a toolkit the displays are unknown: assume a common size until the browser can be asked. */
const area: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };
const common = { id: 1, scaleFactor: 1, bounds: area, workArea: area } as Display;

export class StandInScreen extends EventEmitter {
	/** The primary one first; never empty. */
	#displays: readonly [Display, ...Display[]] = [common];

	getPrimaryDisplay = (): Display => this.#displays[0];
	getAllDisplays = (): Display[] => [...this.#displays];

	/** The display that contains most of the box, else the primary one. */
	getDisplayMatching = (box: Rectangle): Display =>
		this.#displays.reduce((best, one) => (shared(one.bounds, box) > shared(best.bounds, box) ? one : best));

	/** Gives `screen` the displays `infos`; informs listeners if they have changed. */
	static learn(screen: StandInScreen, infos: readonly ScreenInfo[]): void {
		const [first, ...rest] = infos
			.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary))
			.map(displayOf);
		if (!first) return;
		const before = JSON.stringify(screen.#displays);
		screen.#displays = [first, ...rest];
		if (JSON.stringify(screen.#displays) === before) return;
		screen.emit('display-metrics-changed', {}, first, ['workArea']);
	}
}

function displayOf(info: ScreenInfo, index: number): Display {
	return {
		id: Number(info.id) || index + 1,
		scaleFactor: info.devicePixelRatio,
		bounds: { x: info.left, y: info.top, width: info.width, height: info.height },
		workArea: { x: info.availLeft, y: info.availTop, width: info.availWidth, height: info.availHeight },
	} as Display;
}

/** Area common to both, px². */
function shared(one: Rectangle, other: Rectangle): number {
	const along = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
	const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
	return Math.max(0, along) * Math.max(0, down);
}

const standIn = new StandInScreen();
export const screen = strict('screen', standIn);

/** Called for each window that opens: a browser does not report when a display comes or goes. */
export async function askForScreens(page: CdpSession): Promise<void> {
	const answer = await page.send('Emulation.getScreenInfos').catch(() => null);
	if (answer) StandInScreen.learn(standIn, answer.screenInfos as readonly ScreenInfo[]);
}
