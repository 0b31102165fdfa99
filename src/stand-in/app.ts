import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeFolder } from '#main/lib/make-folder.ts';
import { lifecycle } from './lifecycle.ts';
import { program } from './program.ts';
import { takeInstanceLock } from './single-instance.ts';
import { strict } from './strict.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
	version: string;
};

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
	getVersion: () => version,
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
