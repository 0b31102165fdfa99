import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { unpackNpmChromium } from './npm-chromium.ts';

/** A Chromium to run the window in where there is no Electron. */
export interface Chromium {
	readonly executablePath: string;
	/** Extra environment the browser needs (fonts, libraries). */
	readonly env: Readonly<Record<string, string>>;
	readonly kind: 'named' | 'installed' | 'npm';
	/** Can open a visible window. */
	readonly headed: boolean;
}

/** Flags every Chromium gets, with a person in front of it or not (ecosystem 4.2). */
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

/** Keeps a browser that nobody browses with from calling home. */
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

/** The quiet flags with those of the command line; a browser uses only the last `--disable-features`. */
export function quietly(passed: readonly string[]): readonly string[] {
	const prefix = '--disable-features=';
	const features = passed.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length));
	return [
		...QUIET_FLAGS,
		...passed.filter((flag) => !flag.startsWith(prefix)),
		prefix + [...CHATTY_FEATURES, ...features].filter(Boolean).join(','),
	];
}

/** For the profile of a window that is not for browsing: nothing is filled in, kept, suggested or reported. */
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

/** Flags for a Chromium without a person in front of it: invented devices, nobody to ask. */
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
 * The browser for the stand-in, in this order: `DRAGOMAN_CHROMIUM` (a path, or `npm` for the last of these); a Chrome,
 * Chromium or Edge installed on the machine; the one from npm (Linux x64, without windows); else an error that says
 * what to install. `needWindow` leaves out what cannot show one.
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
