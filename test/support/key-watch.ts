import { existsSync, readFileSync } from 'node:fs';
import { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Page } from 'playwright-core';
import type { LaunchedApp } from '#stand-in/drive/launch-app.ts';
import { filesHolding, holds, type Seen, treeOf } from './canary.ts';

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

export interface KeyWatch {
	/** What is searched for: each secret without the sandbox faults appended to it. */
	readonly secrets: readonly string[];
	/** To be called before the app ends: collects what its page keeps, and what the programs it started were given. */
	look(): Promise<void>;
	/** To be called after its end, before its folder is deleted: places in which a secret was found; empty = all is well. */
	found(): readonly string[];
}

/** Watches over the secrets of an app from outside. `traffic`: file of what the stand-in told its pages. */
export function watchKeys(
	app: LaunchedApp,
	env: Readonly<Record<string, string>>,
	traffic: string,
): KeyWatch {
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
