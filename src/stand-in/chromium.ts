import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { parseTar } from 'nanotar';
import { homeFolder, makeFolder } from '#main/lib/files.ts';

const run = promisify(execFile);

const PACKAGE = '@sparticuz/chromium';

const STALE_MS = 3_600_000;

/** A Chromium to run the window in if there is no Electron. */
export interface Chromium {
	readonly executablePath: string;
	/** Extra environment the browser needs (fonts, libraries). */
	readonly env: Readonly<Record<string, string>>;
	readonly kind: 'named' | 'installed' | 'npm';
	/** True if it can open a visible window. */
	readonly headed: boolean;
}

/** Flags for every Chromium, attended or not (ecosystem 4.2). */
export const windowFlags: readonly string[] = [
	'--disable-quic',
	'--no-first-run',
	'--no-default-browser-check',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--autoplay-policy=no-user-gesture-required',
	'--allow-loopback-in-peer-connection',
	'--disable-background-timer-throttling',
	'--disable-backgrounding-occluded-windows',
	'--disable-renderer-backgrounding',
];

/** Features for which a browser contacts its maker's servers unasked; an app's window needs none of them. */
const CHATTY_FEATURES = [
	'AimEnabled',
	'AutofillServerCommunication',
	'CertificateTransparencyComponentUpdater',
	'DialMediaRouteProvider',
	'InterestFeedContentSuggestions',
	'MediaRouter',
	'NetworkTimeServiceQuerying',
	'OptimizationGuideFetchingForSRP',
	'OptimizationGuideModelDownloading',
	'OptimizationHints',
	'OptimizationHintsFetching',
	'OptimizationTargetPrediction',
	'PreconnectToSearch',
	'SafeBrowsingOnUma',
	'Translate',
	'WebUIOmniboxAimPopup',
	'WebUIOmniboxFullPopup',
	'WebUIOmniboxPopup',
];

/** Keeps an automated browser from contacting its maker. */
const QUIET_FLAGS: readonly string[] = [
	'--allow-browser-signin=false',
	// Port 9 (discard) is one the browser refuses to open, so requests to it are never sent.
	'--component-updater=disable-pings,url-source=http://127.0.0.1:9/',
	'--disable-breakpad',
	'--disable-client-side-phishing-detection',
	'--disable-component-extensions-with-background-pages',
	'--disable-default-apps',
	'--disable-domain-reliability',
	'--disable-extensions',
	'--disable-field-trial-config',
	'--disable-search-engine-choice-screen',
	'--gaia-url=http://127.0.0.1:9/',
	'--metrics-recording-only',
	'--no-pings',
	'--no-service-autorun',
	'--optimization-guide-service-get-hints-url=https://127.0.0.1:9/',
	'--optimization-guide-service-get-models-url=https://127.0.0.1:9/',
	'--password-store=basic',
	'--use-mock-keychain',
];

/** The quiet flags combined with those of the command line; a browser uses only the last `--disable-features`. */
export function quietly(passed: readonly string[]): readonly string[] {
	const prefix = '--disable-features=';
	const features = passed.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length));
	return [
		...QUIET_FLAGS,
		...passed.filter((flag) => !flag.startsWith(prefix)),
		prefix + [...CHATTY_FEATURES, ...features].filter(Boolean).join(','),
	];
}

/** Preferences for a profile that is not for browsing: nothing is filled in, stored or reported. */
export const quietPreferences = {
	alternate_error_pages: { enabled: false },
	autofill: { credit_card_enabled: false, profile_enabled: false },
	credentials_enable_autosignin: false,
	credentials_enable_service: false,
	net: { network_prediction_options: 2 },
	profile: { password_manager_enabled: false },
	safebrowsing: { enabled: false },
	search: { suggest_enabled: false },
	signin: { allowed: false, allowed_on_next_startup: false },
	spellcheck: { use_spelling_service: false },
	translate: { enabled: false },
} as const;

/** Flags for an unattended Chromium: fake devices, and permissions granted without a prompt. */
export const chromiumFlags: readonly string[] = [
	...windowFlags,
	'--no-sandbox',
	'--disable-gpu',
	'--use-fake-device-for-media-stream',
	'--use-fake-ui-for-media-stream',
];

const LINUX_NAMES = [
	'google-chrome-stable',
	'google-chrome',
	'chromium',
	'chromium-browser',
	'microsoft-edge-stable',
	'microsoft-edge',
];

function places(env: NodeJS.ProcessEnv): string[] {
	if (process.platform === 'darwin') {
		const names = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
		return ['/Applications', join(homedir(), 'Applications')].flatMap((folder) =>
			names.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
		);
	}
	if (process.platform === 'win32') {
		const below = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];
		return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
			folder ? below.map((name) => join(folder, name)) : [],
		);
	}
	const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/google/chrome'];
	return LINUX_NAMES.flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name)));
}

function runnable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/**
 * The browser for the stand-in, in this order: `DRAGOMAN_CHROMIUM` (a path, or `npm` for the last of these);
 * a Chrome, Chromium or Edge installed on the machine; the one from npm (Linux x64, without windows); else an
 * error that says what to install. `needWindow` leaves out browsers that cannot show a window.
 */
export async function findChromium(
	options: { readonly env?: NodeJS.ProcessEnv; readonly needWindow?: boolean } = {},
): Promise<Chromium> {
	const env = options.env ?? process.env;
	const named = env.DRAGOMAN_CHROMIUM;
	if (named && named !== 'npm') {
		if (!runnable(named)) throw new Error(`DRAGOMAN_CHROMIUM names ${named}, which cannot be run.`);
		return { executablePath: named, env: {}, kind: 'named', headed: true };
	}
	const installed = named === 'npm' ? undefined : places(env).find(runnable);
	if (installed) return { executablePath: installed, env: {}, kind: 'installed', headed: true };
	const unpacked = options.needWindow ? null : await unpackNpmChromium(env);
	if (unpacked) return { ...unpacked, kind: 'npm', headed: false };
	throw new Error(
		options.needWindow
			? 'A window needs Electron, or an installed Chrome, Chromium or Edge (on Debian: apt install chromium), or DRAGOMAN_CHROMIUM with the path of one.'
			: 'No browser found: install Chrome, Chromium or Edge (on Debian: apt install chromium), or set DRAGOMAN_CHROMIUM to the path of one.',
	);
}

interface UnpackedChromium {
	readonly executablePath: string;
	readonly env: Readonly<Record<string, string>>;
}

/** Folder of the npm package that carries a headless Chromium for Linux x64, or null. */
function packageFolder(): string | null {
	try {
		return join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '..');
	} catch {
		return null;
	}
}

/** The user's own folder for what can be downloaded or unpacked again. */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
	const named = env.XDG_CACHE_HOME;
	return join(named?.startsWith('/') ? named : join(homeFolder() || tmpdir(), '.cache'), 'dragoman');
}

async function unpackTar(archive: string, into: string): Promise<void> {
	const bytes = new Uint8Array(brotliDecompressSync(await readFile(archive)));
	for (const { name, data, attrs } of parseTar(bytes, { filter: ({ type }) => type === 'file' })) {
		const path = join(into, name);
		await makeFolder(dirname(path), { mode: 0o700 });
		await writeFile(path, data ?? '', { mode: Number.parseInt(attrs?.mode ?? '600', 8) & 0o777 });
	}
}

async function unpackAll(bin: string, into: string): Promise<void> {
	await makeFolder(into, { mode: 0o700 });
	const binary = join(into, 'chromium');
	await pipeline(
		createReadStream(join(bin, 'chromium.br')),
		createBrotliDecompress(),
		createWriteStream(binary),
	);
	await chmod(binary, 0o700);
	await unpackTar(join(bin, 'fonts.tar.br'), into);
	await unpackTar(join(bin, 'al2023.tar.br'), into);
	await mkdir(join(into, 'font-cache'), { mode: 0o700 });
}

/** Removes half-unpacked folders that a killed run left behind. */
async function sweep(root: string): Promise<void> {
	for (const name of await readdir(root)) {
		if (!name.includes('.part-')) continue;
		const path = join(root, name);
		const madeAt = await stat(path).then(
			(it) => it.mtimeMs,
			() => Date.now(),
		);
		if (Date.now() - madeAt > STALE_MS) await rm(path, { recursive: true, force: true });
	}
}

/**
 * Without any font no text is drawn, not even in web fonts; so the browser gets a font configuration of its
 * own, with the machine's fonts after ours.
 */
function fontConfig(folder: string, env: NodeJS.ProcessEnv): string {
	const machines = (env.XDG_DATA_DIRS || '/usr/share:/usr/local/share').split(':').filter(Boolean);
	return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[folder, ...machines].map((one) => `  <dir>${one}/fonts</dir>`).join('\n')}
  <cachedir>${folder}/font-cache</cachedir>
</fontconfig>
`;
}

/** True when the browser starts with the machine's own libraries. */
async function startsAlone(executable: string, env: NodeJS.ProcessEnv): Promise<boolean> {
	return run(executable, ['--version'], { env, timeout: 20_000 }).then(
		() => true,
		() => false,
	);
}

/**
 * Unpacks npm's headless Chromium once per version into the user's cache folder (0700, written beside it and
 * renamed, so that two simultaneous runs are safe) and returns how to start it. Null when the package is not
 * installed or is for another machine. Never uses the package's own arguments, which disable web security.
 */
export async function unpackNpmChromium(
	env: NodeJS.ProcessEnv = process.env,
): Promise<UnpackedChromium | null> {
	if (process.platform !== 'linux' || process.arch !== 'x64') return null;
	const folder = packageFolder();
	if (!folder) return null;
	const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
	const root = cacheRoot(env);
	const home = join(root, `chromium-${manifest.version}`);
	if (!existsSync(join(home, 'ready'))) {
		await makeFolder(root, { mode: 0o700 });
		await sweep(root);
		const part = `${home}.part-${randomUUID()}`;
		try {
			await unpackAll(join(folder, 'bin'), part);
			await writeFile(join(part, 'ready'), '');
			// Another run may have been faster: then the folder exists and can be used as well.
			await rename(part, home).catch(() => {
				if (!existsSync(join(home, 'ready'))) throw new Error(`cannot put the browser into ${home}`);
			});
		} finally {
			await rm(part, { recursive: true, force: true });
		}
	}
	const executablePath = join(home, 'chromium');
	await writeFile(join(home, 'fonts.conf'), fontConfig(home, env), { mode: 0o600 });
	const fonts = { FONTCONFIG_FILE: join(home, 'fonts.conf') };
	// A bare machine lacks NSS; if the machine has its own, prefer that: it is kept up to date.
	if (await startsAlone(executablePath, { ...env, ...fonts })) return { executablePath, env: fonts };
	const libraries = [join(home, 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
	return { executablePath, env: { ...fonts, LD_LIBRARY_PATH: libraries } };
}
