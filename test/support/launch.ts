import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/sandbox.ts';
import { type LaunchedApp, type LaunchOptions, launchApp } from '#stand-in/drive/launch-app.ts';
import { findElectron } from '#stand-in/find-electron.ts';
import { longMicrophone } from './app-steps.ts';
import { filesHolding, holds, type Seen, treeOf } from './canary.ts';
import { notRun } from './not-run.ts';

/** Which shell the end-to-end tests run on: `E2E_HOST`, else real Electron where its binary is. */
export const e2eHost: 'electron' | 'chromium' =
	process.env.E2E_HOST === 'electron' || process.env.E2E_HOST === 'chromium'
		? process.env.E2E_HOST
		: findElectron()
			? 'electron'
			: 'chromium';

export interface Launched extends LaunchedApp {
	/** The app's log so far. */
	log(): string;
}

/**
 * The built app with a window to drive. Close what you launch: at its end it is searched for its secrets, of
 * which every app is given one; `close` and `kill` reject when one was found where it must not be.
 */
export async function launch({
	built = true,
	service,
	...options
}: Partial<LaunchOptions> & {
	/** The sandbox that is its service, by address and key. */
	readonly service?: Sandbox;
	/** Whether to wait until the window is built; before that there is only its first picture. */
	readonly built?: boolean;
} = {}): Promise<Launched> {
	const own = mkdtempSync(join(tmpdir(), 'dragoman-'));
	const traffic = join(own, 'traffic');
	const userData = options.userData ?? mkdtempSync(join(own, 'data-'));
	const env: Readonly<Record<string, string>> = {
		// Without an address of rooms it is not used; it only must not be found anywhere.
		LIVEKIT_API_SECRET: `Canary${randomBytes(12).toString('hex')}`,
		DRAGOMAN_STAND_IN_TRAFFIC: traffic,
		...(service && {
			DRAGOMAN_API_URL: service.addresses.api,
			DRAGOMAN_API_KEY: service.addresses.key,
		}),
		...options.env,
	};
	const remove = () => rmSync(own, { recursive: true, force: true, maxRetries: 3 });
	const app = await launchApp({ host: e2eHost, headless: true, ...options, userData, env }).catch(
		(failure: unknown) => {
			remove();
			throw failure;
		},
	);
	const thrown: string[] = [];
	app.page.on('pageerror', (failure) => thrown.push(failure.stack ?? failure.message));
	if (built) {
		await app.page
			.locator('.first-picture')
			.waitFor({ state: 'detached' })
			.catch(async (failure: unknown) => {
				await app.kill('SIGTERM');
				remove();
				throw failure;
			});
	}
	const watch = watchKeys(app, env, traffic);
	let searched: readonly string[] | null = null;

	function log(): string {
		try {
			return readFileSync(join(app.userData, 'logs', 'dragoman.log'), 'utf8');
		} catch {
			return '';
		}
	}

	async function end(how: () => Promise<number>): Promise<number> {
		if (searched === null) await watch.look();
		const status = await how();
		if (searched !== null) return status;
		searched = watch.found();
		// An error that the window caught while rendering is not an error of the page.
		thrown.push(
			...log()
				.split('\n')
				.filter((line) => line.includes('the window failed')),
		);
		remove();
		if (searched.length > 0) throw new Error(`a secret was found in: ${searched.join(', ')}`);
		if (thrown.length > 0) throw new Error(`the page threw: ${thrown.join('\n')}`);
		return status;
	}

	return {
		...app,
		close: () => end(app.close),
		kill: (signal) => end(() => app.kill(signal)),
		log,
	};
}

/** For `test.skipIf`: true, and reported as not run, when a test needs the real shell and there is none. */
export function needsElectron(what: string): boolean {
	return e2eHost !== 'electron' && notRun(what, "needs Electron's own shell, and its binary is not here");
}

/** Variables whose values must stay in main. */
const SECRET = ['DRAGOMAN_API_KEY', 'DRAGOMAN_VOICE_TOKEN', 'LIVEKIT_API_SECRET'] as const;
/** A key that the sandbox made up, as it is or in a file of anything. */
const SANDBOX_KEY = /sandbox_[0-9a-f]{24}/;
const PAGE_LIMIT_MS = 3000;
const COPY_LIMIT_MS = 2000;
const COPY_PAUSE_MS = 20;

/** Addresses and referrers of requests to servers in this process: the sandbox's, and any other's. */
const asked: string[] = [];
let allowed = '';
watchServers();

function watchServers(): void {
	for (const { prototype } of [Server, TlsServer]) {
		const { emit } = prototype;
		prototype.emit = function (this: unknown, event: string, ...args: unknown[]) {
			if (event === 'request' || event === 'upgrade') {
				const { url = '', headers = {} } = args[0] as { url?: string; headers?: Record<string, unknown> };
				asked.push([url, headers.referer, headers.origin, headers['user-agent'], headers.cookie].join(' '));
			}
			return Reflect.apply(emit, this, [event, ...args]);
		} as typeof emit;
	}
}

/**
 * From here on a socket may be requested with the key in its query: older deployments accept it only there, so it is
 * tried after a refusal. Until then no address may hold it.
 */
export function mayAskWithToken(): void {
	allowed = '?token=';
}

interface KeyWatch {
	/** The secrets to search for, without the sandbox faults appended to them. */
	readonly secrets: readonly string[];
	/** To be called before the app ends: collects what its page keeps, and what the programs it started were given. */
	look(): Promise<void>;
	/** To be called after its end, before its folder is deleted: places in which a secret was found; empty = all is well. */
	found(): readonly string[];
}

/** Watches over the secrets of an app from outside. `traffic`: file of what the stand-in told its pages. */
function watchKeys(app: LaunchedApp, env: Readonly<Record<string, string>>, traffic: string): KeyWatch {
	const secrets = SECRET.flatMap((name) => env[name]?.split('+')[0] || []).filter((it) => it.length >= 8);
	const places = new Map<string, string>();
	let programs: readonly Seen[] = [];

	function inProgram({ pid, commandLine, title, environment }: Seen, secret: string): boolean {
		if (holds(commandLine + title, secret)) return true;
		// Electron's zygote starts before our code; the sandbox runs real rooms with a secret of theirs.
		const isExempt =
			pid === app.main.pid || /--type=zygote/.test(commandLine) || commandLine.includes('sandbox.js');
		return !isExempt && holds(environment, secret);
	}

	return {
		secrets,
		async look() {
			const ended = app.main.exitCode !== null || app.main.signalCode !== null;
			if (ended) return;
			if (process.platform === 'linux') programs = await programsOf(app.main.pid ?? 0);
			for (const page of app.page.context().pages()) {
				const kept = await withLimit(storedBy(page));
				if (kept !== null) places.set(`what the page keeps: ${URL.parse(page.url())?.pathname}`, kept);
			}
		},
		found() {
			const texts = new Map(places);
			texts.set('outputs of main', app.output());
			if (existsSync(traffic)) texts.set('what main told the page', readFileSync(traffic, 'utf8'));
			texts.set('addresses', asked.filter((one) => allowed === '' || !one.includes(allowed)).join('\n'));
			const folders = existsSync(app.userData) ? [app.userData] : [];
			const inTexts = [...texts].flatMap(([place, text]) => {
				const isThere = SANDBOX_KEY.test(text) || secrets.some((secret) => holds(text, secret));
				return isThere ? [place] : [];
			});
			const inFiles = secrets.flatMap((secret) => filesHolding(folders, secret));
			const inPrograms = programs.filter((one) => secrets.some((secret) => inProgram(one, secret)));
			return [...inTexts, ...inFiles, ...inPrograms.map(({ program, pid }) => `${program} ${pid}`)];
		},
	};
}

/**
 * What runs below `root`. Between fork and exec a new process is still a copy of its parent, with all that
 * the parent was given: this waits for exec, but not so long that a copy which stays would be missed.
 */
async function programsOf(root: number): Promise<readonly Seen[]> {
	const limit = Date.now() + COPY_LIMIT_MS;
	for (;;) {
		const tree = treeOf(root);
		const starter = tree.find(({ pid }) => pid === root);
		const isCopy = ({ pid, commandLine }: Seen) => pid !== root && commandLine === starter?.commandLine;
		if (!tree.some(isCopy) || Date.now() > limit) return tree;
		await new Promise((done) => setTimeout(done, COPY_PAUSE_MS));
	}
}

/** Everything that outlives a page, and the page as it is, except an input that is being typed into. */
function storedBy(page: Page): Promise<string> {
	return page.evaluate(async () => {
		const databases: unknown[] = [];
		for (const { name = '' } of await indexedDB.databases()) {
			const opened = await new Promise<IDBDatabase | null>((done) => {
				const request = indexedDB.open(name);
				request.onsuccess = () => done(request.result);
				request.onerror = () => done(null);
			});
			for (const store of opened?.objectStoreNames ?? []) {
				const rows = await new Promise((done) => {
					const request = opened?.transaction(store).objectStore(store).getAll();
					if (!request) return done(null);
					request.onsuccess = () => done(request.result);
					request.onerror = () => done(null);
				});
				databases.push([name, store, rows]);
			}
			opened?.close();
		}
		return JSON.stringify([
			{ ...localStorage },
			{ ...sessionStorage },
			document.cookie,
			document.title,
			location.href,
			document.referrer,
			databases,
			await caches.keys().catch(() => []),
			document.documentElement.outerHTML,
			performance.getEntriesByType('resource').map(({ name }) => name),
		]);
	});
}

/** A page that is busy, crashed or gone has nothing to say. */
async function withLimit<Value>(work: Promise<Value>): Promise<Value | null> {
	const tooLate = new Promise<null>((done) => setTimeout(done, PAGE_LIMIT_MS, null).unref());
	return Promise.race([work.catch(() => null), tooLate]);
}

/** A sandbox for the tests of a file, and the apps each of them starts. */
interface SandboxStage {
	/** There from the first test on. */
	readonly sandbox: Sandbox;
	/** An app into whose microphone somebody speaks; killed after the test. */
	open(options?: Parameters<typeof launch>[0]): Promise<Launched>;
	/** Sessions the service itself lists, over REST. */
	listed(): Promise<number>;
}

/** To be called once, outside of the tests. */
export function createSandboxStage(options: SandboxOptions = {}): SandboxStage {
	let sandbox: Sandbox;
	const apps = new Set<Launched>();

	beforeAll(async () => {
		sandbox = await startSandbox(options);
	});
	afterAll(() => sandbox.close());
	afterEach(async () => {
		await Promise.all([...apps].map((app) => app.kill('SIGKILL')));
		apps.clear();
	});

	return {
		get sandbox() {
			return sandbox;
		},
		async open(options = {}) {
			const app = await launch({ microphone: longMicrophone(), ...options });
			apps.add(app);
			return app;
		},
		async listed() {
			const { api, key } = sandbox.addresses;
			const answer = await fetch(`${api}/session-storage/sessions`, {
				headers: { authorization: `Bearer ${key}` },
			});
			const body = (await answer.json()) as { data: unknown[] };
			return body.data.length;
		},
	};
}
