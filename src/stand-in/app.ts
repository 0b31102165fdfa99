import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, rmSync, watch, watchFile, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeFolder, makeFolderNow } from '#main/lib/files.ts';
import { ownVersion } from '#main/lib/own-program.ts';
import { program } from './program.ts';
import { strict } from './strict.ts';

const LOOK_MS = 500;

const paths: Record<string, string> = {
	home: homeFolder() || tmpdir(),
	temp: tmpdir(),
	downloads: process.env.XDG_DOWNLOAD_DIR || join(homeFolder() || tmpdir(), 'Downloads'),
};

type Listener = (...args: never[]) => void;

export const app = strict('app', {
	isPackaged: false,
	whenReady: async (): Promise<void> => {},
	on(event: string, heard: Listener): void {
		lifecycle.events.on(event, heard as (...args: unknown[]) => void);
	},
	once(event: string, heard: Listener): void {
		lifecycle.events.once(event, heard as (...args: unknown[]) => void);
	},
	quit: (): void => lifecycle.quit(),
	exit: (code = 0): void => void lifecycle.exit(code),
	/** As in Electron: starts the program again once, after it has ended. */
	relaunch({ args = process.argv.slice(1) }: { args?: readonly string[] } = {}): void {
		lifecycle.events.once('quit', () =>
			spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit', detached: true }).unref(),
		);
	},
	disableHardwareAcceleration(): void {
		program.withoutGpu = true;
	},
	setName(): void {},
	setAppUserModelId(): void {},
	setPath(name: string, path: string): void {
		paths[name] = path;
		if (name === 'sessionData') program.profile = path;
	},
	getPath(name: string): string {
		const path = paths[name];
		if (path === undefined) throw new Error(`not in the stand-in: app.getPath('${name}')`);
		return path;
	},
	getVersion: ownVersion,
	getLocale: () => program.switches.locale,
	getPreferredSystemLanguages: () => [...program.switches.locales],
	requestSingleInstanceLock(): boolean {
		return takeInstanceLock(paths.userData ?? '', (argv) =>
			lifecycle.events.emit('second-instance', {}, argv, process.cwd()),
		);
	},
	/** The stand-in handles Chromium's own switches; those the app sets are recorded and have no effect. */
	commandLine: strict('app.commandLine', {
		appendSwitch(): void {},
		removeSwitch(): void {},
		getSwitchValue: (name: string) => {
			const given = process.argv.find((one) => one.startsWith(`--${name}=`));
			return given?.slice(name.length + 3) ?? '';
		},
		hasSwitch: (name: string) =>
			process.argv.some((one) => one === `--${name}` || one.startsWith(`--${name}=`)),
	}),
});

/** The kernel's start time of a process: distinguishes it from a later one with the same pid. */
function startOf(pid: number): string {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
	} catch {
		return '';
	}
}

function isAlive({ pid, start }: { readonly pid: number; readonly start: string }): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	return startOf(pid) === start;
}

/**
 * One program per user data folder. A lock whose owner died is taken over; a second instance leaves its
 * arguments for the first, which receives them. If no lock can be written, there is none.
 */
export function takeInstanceLock(folder: string, second: (argv: string[]) => void): boolean {
	const place = join(folder, 'stand-in');
	const lock = join(place, 'lock');
	const knock = join(place, 'knock');

	function hear(): void {
		try {
			const argv = JSON.parse(readFileSync(knock, 'utf8')) as string[];
			rmSync(knock, { force: true });
			second(argv);
		} catch {
			// Ignore it: the message is incomplete, or was read twice.
		}
	}

	function ownerLives(): boolean {
		try {
			return isAlive(JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; start: string });
		} catch {
			// The lock has gone meanwhile, or cannot be read.
			return false;
		}
	}

	for (let attempt = 0; attempt < 3; attempt++) {
		try {
			makeFolderNow(place, { mode: 0o700 });
			writeFileSync(lock, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }), {
				mode: 0o600,
				flag: 'wx',
			});
			process.once('exit', () => rmSync(lock, { force: true }));
			rmSync(knock, { force: true });
			listen(place, knock, hear);
			return true;
		} catch (failure) {
			if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') return true;
			if (ownerLives()) {
				leave(knock);
				return false;
			}
			rmSync(lock, { force: true });
		}
	}
	return false;
}

/** Tells the running instance how this one was started. If that fails, the other window does not come to the front. */
function leave(knock: string): void {
	try {
		rmSync(knock, { force: true });
		writeFileSync(knock, JSON.stringify(process.argv), { mode: 0o600, flag: 'wx' });
	} catch {
		// Ignore it: the disk is full, or a third program was quicker.
	}
}

/** Watches for messages; polls as well, because the system may have no watch left, or none at all. */
function listen(place: string, knock: string, hear: () => void): void {
	function look(): void {
		watchFile(knock, { interval: LOOK_MS, persistent: false }, hear);
		// The watcher only reports changes after it has started, so check once for an earlier message.
		setTimeout(hear, LOOK_MS).unref();
	}
	try {
		const watcher = watch(place, (_event, name) => {
			if (name === 'knock') hear();
		});
		watcher.on('error', look).unref();
	} catch {
		look();
	}
}

interface Closable {
	close(): void;
	isDestroyed(): boolean;
}

/** Events and exits of `app`, in Electron's order. */
export const lifecycle = {
	events: new EventEmitter(),
	windows: (): readonly Closable[] => [],
	quitting: false,

	/** `before-quit` may be prevented, and so may each window's `close`. */
	quit(): void {
		let prevented = false;
		const event = {
			preventDefault() {
				prevented = true;
			},
		};
		lifecycle.events.emit('before-quit', event);
		if (prevented) return;
		lifecycle.quitting = true;
		for (const window of lifecycle.windows()) window.close();
		if (lifecycle.windows().some((window) => !window.isDestroyed())) {
			lifecycle.quitting = false;
			return;
		}
		lifecycle.events.emit('will-quit', event);
		if (!prevented) void lifecycle.exit(0);
	},

	allClosed(): void {
		if (lifecycle.quitting) return;
		if (lifecycle.events.listenerCount('window-all-closed') === 0) lifecycle.quit();
		else lifecycle.events.emit('window-all-closed');
	},

	/** Ends the browser, then the program, without asking. */
	async exit(code: number): Promise<void> {
		lifecycle.quitting = true;
		const running = await program.running?.catch(() => null);
		running?.server.close();
		await running?.browser.close();
		lifecycle.events.emit('quit', {}, code);
		process.exit(code);
	},
};
