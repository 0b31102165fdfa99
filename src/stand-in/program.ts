import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolderNow } from '#main/lib/files.ts';
import { type Browser, startBrowser } from './cdp.ts';
import { findChromium, quietly, quietPreferences, windowFlags } from './chromium.ts';
import { type LoopbackServer, serveLoopback } from './message-ports.ts';

/** Chromium's switches that are passed on from the command line. */
const PASSED =
	/^--(remote-debugging-port|use-[\w-]+|lang|accept-lang|force-[\w-]+|enable-features|disable-features|ozone-platform|proxy-[\w-]+|no-sandbox|window-size)(=|$)/;

const SET_USER_ID = 0o4000;

/** Time limit for a program that does nothing; short enough for a person who waits for a window. */
const PROBE_LIMIT_MS = 2000;

const thisMachine: SandboxGround = {
	platform: process.platform,
	isRoot: process.getuid?.() === 0,
	hasUserNamespaces() {
		const probe = spawnSync('unshare', ['--user', '--map-root-user', 'true'], {
			stdio: 'ignore',
			timeout: PROBE_LIMIT_MS,
			// `PATH` gets these folders: the program is part of every distribution, and without its answer
			// the browser may crash at every start.
			env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
		});
		// Without that program namespaces cannot be checked; the browser then reports the failure.
		return probe.error ? (probe.error as NodeJS.ErrnoException).code === 'ENOENT' : probe.status === 0;
	},
	hasHelper(executablePath) {
		const folders = [dirname(executablePath), join('/usr/lib', basename(executablePath))];
		try {
			folders.push(dirname(realpathSync(executablePath)));
		} catch {
			// The browser is missing: its start will report that.
		}
		return folders.some((folder) => {
			const helper = statSync(join(folder, 'chrome-sandbox'), { throwIfNoEntry: false });
			return helper !== undefined && helper.uid === 0 && (helper.mode & SET_USER_ID) !== 0;
		});
	},
};

type Handler = (request: Request) => Response | Promise<Response>;
type PermissionHandler = (permission: string, origin: string) => boolean;
type RequestListener = (details: { url: string }, answer: (response: { cancel?: boolean }) => void) => void;

/** Shared state of the stand-in: one program has one browser, one server, one set of handlers. */
export const program = {
	switches: readSwitches(process.argv.slice(2), process.env),
	/** Profile folder of the browser; set by `app.setPath('sessionData')`. */
	profile: '',
	handlers: new Map<string, Handler>(),
	/** True if the browser draws without the graphics card. */
	withoutGpu: false,
	/** Asks the app's own permission handler. */
	mayUse: (() => false) as PermissionHandler,
	/** The app's guard of the page's requests, if it has one. */
	beforeRequest: null as RequestListener | null,
	running: null as Promise<Running> | null,
};

export interface Running {
	readonly browser: Browser;
	readonly server: LoopbackServer;
	/** The target that existed from the start and belongs to no window yet. */
	readonly firstPage: string;
	/** Opens a further window, without an address bar if there is a person to see one. Returns its target. */
	openWindow(bounds: WindowBounds): Promise<string>;
}

/** In CSS pixels; without a place, the browser decides. */
export interface WindowBounds {
	readonly width: number;
	readonly height: number;
	readonly x?: number;
	readonly y?: number;
}

/** A running browser takes 0.2 s; if the start is not handed over to it, the window never opens. */
const WINDOW_LIMIT_MS = 5000;

export const APP_HOST = 'dragoman';

/** Chromium's names for what Electron calls a permission. */
const permissions: readonly (readonly [string, string])[] = [
	['media', 'audioCapture'],
	['speaker-selection', 'speakerSelection'],
	['clipboard-sanitized-write', 'clipboardSanitizedWrite'],
	['notifications', 'notifications'],
	['loopback-network', 'loopbackNetwork'],
	['local-network-access', 'localNetworkAccess'],
];

async function grantPermissions(browser: Browser, server: LoopbackServer, scheme: string): Promise<void> {
	for (const [electronName, name] of permissions) {
		const setting = program.mayUse(electronName, `${scheme}://${APP_HOST}`) ? 'granted' : 'denied';
		// A browser that does not know the permission cannot refuse it either.
		await browser.root
			.send('Browser.setPermission', {
				permission: { name: descriptorOf(name) },
				setting,
				origin: server.origin,
			})
			.catch(() => {});
	}
}

/** `Browser.setPermission` takes the names of the Permissions API. */
function descriptorOf(name: string): string {
	const names: Readonly<Record<string, string>> = {
		audioCapture: 'microphone',
		speakerSelection: 'speaker-selection',
		clipboardSanitizedWrite: 'clipboard-write',
		loopbackNetwork: 'loopback-network',
		localNetworkAccess: 'local-network-access',
	};
	return names[name] ?? name;
}

/** Gives a new profile the quiet preferences; a profile that the browser has written is left as it is. */
function prepareProfile(folder: string): void {
	const first = join(folder, 'Default');
	makeFolderNow(first, { mode: 0o700 });
	const preferences = join(first, 'Preferences');
	if (!existsSync(preferences)) writeFileSync(preferences, JSON.stringify(quietPreferences));
}

/**
 * Through its protocol, a running browser only opens windows with an address bar. So the program is started
 * again with the same profile: it passes its `--app` to the running one and ends.
 */
async function openAppWindow(
	{ root }: Browser,
	address: string,
	startAgain: (flags: readonly string[]) => void,
	{ width, height, x, y }: WindowBounds,
): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const seen = ({ targetInfo }: Record<string, unknown>) => {
		const { targetId, url } = targetInfo as { targetId: string; url: string };
		if (url === address) resolve(targetId);
	};
	root.on('Target.targetCreated', seen);
	root.on('Target.targetInfoChanged', seen);
	const limit = setTimeout(() => reject(new Error('the browser opened no window')), WINDOW_LIMIT_MS);
	const place = x === undefined ? [] : [`--window-position=${x},${y ?? 0}`];
	startAgain([`--app=${address}`, `--window-size=${width},${height}`, ...place]);
	return promise.finally(() => {
		clearTimeout(limit);
		root.off('Target.targetCreated', seen);
		root.off('Target.targetInfoChanged', seen);
	});
}

async function createWindow({ root }: Browser, url: string, bounds: WindowBounds): Promise<string> {
	const { width, height, x, y } = bounds;
	const place = x === undefined ? {} : { left: x, top: y ?? 0 };
	return String(
		(await root.send('Target.createTarget', { url, newWindow: true, width, height, ...place })).targetId,
	);
}

async function start(size: { readonly width: number; readonly height: number }): Promise<Running> {
	const [scheme, handler] = [...program.handlers][0] ?? [];
	if (!scheme || !handler) throw new Error('not in the stand-in: a window before protocol.handle');
	const { headless, passed, locale } = program.switches;
	const found = await findChromium({ needWindow: !headless });
	const server = await serveLoopback(scheme, APP_HOST, handler);
	prepareProfile(program.profile);
	const ofProfile = [...sandboxFlags(found.executablePath), `--user-data-dir=${program.profile}`];
	const browser = startBrowser({
		executablePath: found.executablePath,
		env: found.env,
		args: [
			...windowFlags,
			...ofProfile,
			...(headless ? ['--headless', '--disable-gpu'] : [`--app=${server.blank}`]),
			...(program.withoutGpu && !headless ? ['--disable-gpu'] : []),
			`--window-size=${size.width},${size.height}`,
			`--lang=${locale}`,
			...quietly(passed),
			...(headless ? ['about:blank'] : []),
		],
		heard(line) {
			if (line.startsWith('DevTools listening')) process.stderr.write(`${line}\n`);
		},
	});
	await browser.root.send('Target.setDiscoverTargets', { discover: true });
	await grantPermissions(browser, server, scheme);
	const { targetInfos } = (await browser.root.send('Target.getTargets')) as {
		targetInfos: { targetId: string; type: string }[];
	};
	const firstPage = targetInfos.find((target) => target.type === 'page')?.targetId;
	if (!firstPage) throw new Error('the browser opened no window');
	let opened = 0;
	return {
		browser,
		server,
		firstPage,
		openWindow(bounds) {
			if (headless) return createWindow(browser, server.blank, bounds);
			opened += 1;
			const again = (flags: readonly string[]) =>
				spawn(found.executablePath, [...ofProfile, ...flags], {
					stdio: 'ignore',
					env: { ...process.env, ...found.env },
				}).on('error', () => {});
			return openAppWindow(browser, `${server.blank}?window=${opened}`, again, bounds).catch(() =>
				createWindow(browser, server.blank, bounds),
			);
		},
	};
}

/** Returns the browser, which is started for the first window. */
export function run(size: { readonly width: number; readonly height: number }): Promise<Running> {
	program.running ??= start(size);
	return program.running;
}

/** Facts that decide whether a browser can use its own sandbox here; tests replace them. */
export interface SandboxGround {
	readonly platform: NodeJS.Platform;
	readonly isRoot: boolean;
	/** True if a program may create a user namespace. Called only on Linux. */
	hasUserNamespaces(): boolean;
	/** True if there is a setuid helper beside the browser that can build the sandbox without them. */
	hasHelper(executablePath: string): boolean;
}

/**
 * `--no-sandbox` only if the browser would not start with its sandbox: as root, and on a Linux that gives it
 * neither user namespaces nor a helper.
 */
export function sandboxFlags(executablePath: string, ground: SandboxGround = thisMachine): readonly string[] {
	if (ground.platform !== 'linux') return [];
	if (ground.isRoot) return ['--no-sandbox'];
	return ground.hasUserNamespaces() || ground.hasHelper(executablePath) ? [] : ['--no-sandbox'];
}

interface Switches {
	readonly headless: boolean;
	readonly passed: readonly string[];
	/** `--lang`, or the system's language. */
	readonly locale: string;
	readonly locales: readonly string[];
}

/** The stand-in's own switches on the command line. `--headless` needs no display. */
export function readSwitches(argv: readonly string[], env: NodeJS.ProcessEnv): Switches {
	const { values } = parseArgs({
		args: [...argv],
		strict: false,
		options: { lang: { type: 'string' }, headless: { type: 'boolean' } },
	});
	const system = (env.LC_ALL || env.LC_MESSAGES || env.LANG || 'en').split('.')[0]?.replace('_', '-') ?? 'en';
	const tag = typeof values.lang === 'string' ? values.lang : system;
	const locale = tag === 'C' || tag === 'POSIX' ? 'en' : tag;
	return {
		headless: values.headless === true,
		passed: argv.filter((one) => PASSED.test(one)),
		locale,
		locales: [locale],
	};
}
