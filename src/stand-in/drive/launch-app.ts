import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ownFolder, programFile } from '#main/lib/own-program.ts';
import { findElectron } from '#stand-in/find-electron.ts';
import { installProbe } from './page-probe.ts';

/** A cold start unpacks the browser, which is slow on two busy cores. */
const START_LIMIT_MS = 60_000;
const EXIT_LIMIT_MS = 15_000;

export interface LaunchOptions {
	readonly host: 'electron' | 'chromium';
	readonly headless: boolean;
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly args?: readonly string[];
	/** WAV that the only microphone plays once, starting when it is opened. */
	readonly microphone?: string;
	/** Loops the WAV. Without it, Chromium repeats the last 10 ms for ever, so let the WAV end in silence. */
	readonly microphoneLoops?: boolean;
	/** Default: a fresh folder, removed at the end. */
	readonly userData?: string;
	/** Written as settings.json before the start. */
	readonly settings?: Readonly<Record<string, unknown>>;
	readonly width?: number;
	readonly height?: number;
	readonly colorScheme?: 'light' | 'dark';
	readonly locale?: string;
	/** Record what is heard and spoken. Default true. */
	readonly probe?: boolean;
	/** A program and its arguments through which the app is run, for instance in a network of its own. */
	readonly wrap?: readonly string[];
	/** Ends the app at any stage, as `close` does; a launch under way then rejects. */
	readonly signal?: AbortSignal;
}

export interface LaunchedApp {
	readonly page: Page;
	/** The main process. */
	readonly main: ChildProcess;
	readonly userData: string;
	/** The output of main. */
	output(): string;
	/** Exit status of the app; for a signal, 128 plus 9 (SIGKILL) or 15. */
	readonly exited: Promise<number>;
	/** Asks main to end, as Ctrl-C does, and waits. Harmless when it has ended. */
	close(): Promise<number>;
	/** Sends a signal and waits for the end. */
	kill(signal: NodeJS.Signals): Promise<number>;
}

function command(options: LaunchOptions, args: readonly string[]): { program: string; args: string[] } {
	if (options.host === 'chromium') {
		const headless = options.headless ? ['--headless'] : [];
		return {
			program: process.execPath,
			args: [programFile('src/stand-in/start.ts', 'start'), ...headless, ...args],
		};
	}
	const program = findElectron();
	if (!program) throw new Error('Electron is not there; see ELECTRON_OVERRIDE_DIST_PATH');
	const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
	return { program, args: [...asRoot, ownFolder, ...args] };
}

function switches(options: LaunchOptions): string[] {
	const { microphone, microphoneLoops = false, locale, width = 1000, height = 760 } = options;
	return [
		'--remote-debugging-port=0',
		`--window-size=${width},${height}`,
		...(locale ? [`--lang=${locale}`] : []),
		...(microphone || options.headless
			? ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
			: []),
		...(microphone
			? [`--use-file-for-fake-audio-capture=${microphone}${microphoneLoops ? '' : '%noloop'}`]
			: []),
		'--autoplay-policy=no-user-gesture-required',
		...(options.args ?? []),
	];
}

/** Runs in the page. The captions overlays have pages of their own. */
function isMainWindow(): boolean {
	return 'dragoman' in window && !location.pathname.includes('/overlay/');
}

async function findPage(browser: Browser, hasEnded: () => boolean): Promise<Page> {
	const limit = AbortSignal.timeout(START_LIMIT_MS);
	for (;;) {
		const pages = browser.contexts().flatMap((context) => context.pages());
		for (const page of pages) {
			if (await page.evaluate(isMainWindow).catch(() => false)) return page;
		}
		if (hasEnded()) throw new Error('the app ended before its window opened');
		if (limit.aborted) throw new Error(`no window of the app; pages: ${pages.map((page) => page.url())}`);
		await new Promise((done) => setTimeout(done, 50));
	}
}

/**
 * Starts the built app as its user would and attaches to its window from outside. The app must have been
 * built. The caller must close it.
 */
export async function launchApp(options: LaunchOptions): Promise<LaunchedApp> {
	options.signal?.throwIfAborted();
	const userData = options.userData ?? mkdtempSync(join(tmpdir(), 'dragoman-'));
	if (options.settings) writeFileSync(join(userData, 'settings.json'), JSON.stringify(options.settings));
	const { program, args } = command(options, switches(options));
	const [first = program, ...rest] = [...(options.wrap ?? []), program, ...args];
	const main = spawn(first, rest, {
		cwd: ownFolder,
		env: {
			...process.env,
			DRAGOMAN_SHELL: options.host === 'electron' ? 'electron' : 'stand-in',
			DRAGOMAN_USER_DATA: userData,
			...options.env,
		},
		// The channel closes when this process ends, in any way, and the app then ends, too.
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
		// Ctrl-C in a terminal goes to the process that launched us, which decides how we end.
		detached: process.platform !== 'win32',
	});
	let output = '';
	let browser: Browser | null = null;
	let end: (status: number) => void = () => {};
	const exited = new Promise<number>((done) => {
		end = done;
	});
	main.once('error', () => end(127));
	main.once('exit', (code, signal) => {
		void browser?.close().catch(() => {});
		if (!options.userData) rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
		end(code ?? 128 + (signal === 'SIGKILL' ? 9 : 15));
	});

	const ended = () => main.exitCode !== null || main.signalCode !== null;
	let asked: NodeJS.Signals | null = null;
	async function kill(signal: NodeJS.Signals): Promise<number> {
		// One signal is enough: the app is already ending.
		if (!ended() && signal !== asked) main.kill(signal);
		asked = signal;
		const timer = setTimeout(() => main.kill('SIGKILL'), EXIT_LIMIT_MS);
		const status = await exited;
		clearTimeout(timer);
		return status;
	}

	const endNow = () => void kill('SIGTERM');
	options.signal?.addEventListener('abort', endNow, { once: true });
	void exited.then(() => options.signal?.removeEventListener('abort', endNow));

	const gone = exited.then((status): never => {
		throw new Error(`the app ended with status ${status}`);
	});
	gone.catch(() => {});
	/** The window's debugging address, once main reports it. */
	const address = new Promise<string>((done, fail) => {
		const timer = setTimeout(() => fail(new Error('the app did not start')), START_LIMIT_MS);
		gone.catch((failure) => {
			clearTimeout(timer);
			fail(failure);
		});
		for (const stream of [main.stdout, main.stderr]) {
			stream?.setEncoding('utf8').on('data', (chunk: string) => {
				output += chunk;
				const found = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
				if (!found) return;
				clearTimeout(timer);
				done(found);
			});
		}
	});

	try {
		const connecting = chromium.connectOverCDP(await address);
		// Playwright would wait half a minute for a browser that exits while it connects.
		browser = await Promise.race([connecting, gone]).catch((failure) => {
			connecting.then((late) => late.close()).catch(() => {});
			throw failure;
		});
		const page = await findPage(browser, ended);
		if (options.width && options.height) {
			await page.setViewportSize({ width: options.width, height: options.height });
		}
		if (options.colorScheme) await page.emulateMedia({ colorScheme: options.colorScheme });
		if (options.probe !== false) {
			await page.addInitScript(installProbe);
			await page.reload();
			await page.waitForFunction(() => 'dragoman' in window && '__probe' in window);
		}
		return { page, main, userData, output: () => output, exited, close: () => kill('SIGTERM'), kill };
	} catch (failure) {
		// If killed at once, it would leave its browser behind, which writes into the folder being removed.
		await kill('SIGTERM');
		throw new Error(`${failure instanceof Error ? failure.message : failure}\n${output}`);
	}
}
