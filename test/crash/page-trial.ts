import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createSystemClock } from '#main/system-clock.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { atMost } from '#shared/lib/clock.ts';
import { button, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

/** When to kill: at a step of Start and Stop, or some time after Start; and what: the page, or the whole program. */
export interface PageKill {
	readonly by: 'step' | 'time';
	readonly at: number;
	readonly who: 'page' | 'program';
}

interface PageOutcome {
	/** Empty: all that was promised held. */
	readonly failures: readonly string[];
	/** False: Stop had finished before that step came. */
	readonly killed: boolean;
	/** Steps from Start to the end of Stop, if nothing was killed. */
	readonly steps: number;
	/** Finals that were acknowledged; all of them are there, or it is a failure. */
	readonly finals: number;
}

interface PageBench {
	run(kill: PageKill): Promise<PageOutcome>;
	close(): Promise<void>;
}

/** After one more death the window stays down, as it should for a page that always dies. */
const DEATHS = 3;
const DELETED_LIMIT_MS = 20_000;
const BACK_LIMIT_MS = 40_000;
const VISIT_LIMIT_MS = 5000;

const clock = createSystemClock();

/** The built app, again and again on the same folder, against a service in whose list somebody else has a session. */
export async function startPageBench(): Promise<PageBench> {
	const sandbox = await startSandbox();
	const { api, key } = sandbox.addresses;
	const userData = mkdtempSync(join(tmpdir(), 'dragoman-page-crash-'));
	const foreign = await createForeign(api, key);
	let app: Launched | null = null;
	let deaths = 0;
	let visitor: Browser | null = null;

	async function running(): Promise<Launched> {
		if (app && app.main.exitCode === null && app.main.signalCode === null && deaths < DEATHS) return app;
		await app?.kill('SIGKILL');
		const settings = { interfaceLanguage: 'en', history: 'keep' };
		app = await launch({ microphone: longMicrophone(), userData, service: sandbox, settings, probe: false });
		deaths = 0;
		return app;
	}

	/** A Playwright connection that saw a page crash cannot drive its successor; a new connection can. */
	async function visit(shell: Launched): Promise<Page> {
		const [, address = ''] = /DevTools listening on (ws:\S+)/.exec(shell.output()) ?? [];
		let page: Page | undefined;
		await until(
			'the page is there',
			async () => {
				await visitor?.close();
				visitor = await chromium.connectOverCDP(address, { timeout: VISIT_LIMIT_MS });
				page = visitor.contexts().flatMap((context) => context.pages())[0];
				let isThere = false;
				// A connection made while the page reloads may wait for ever for the old page.
				const seen = page
					?.evaluate(() => 'dragoman' in window)
					.then(
						(found) => {
							isThere = found;
						},
						() => {},
					);
				await atMost(clock, VISIT_LIMIT_MS, seen ?? Promise.resolve());
				return isThere;
			},
			BACK_LIMIT_MS,
		);
		if (!page) throw new Error('the page is not there');
		return page;
	}

	/** Open sessions, without the other client's. */
	const ours = () =>
		sandbox
			.openSessions()
			.map(({ id }) => id)
			.filter((id) => id !== foreign);
	/** Our open sessions at the moment of death. */
	let atDeath: readonly string[] = [];

	function keptFinals(): ReadonlySet<string> {
		const database = new DatabaseSync(join(userData, 'history.sqlite'), { readOnly: true });
		try {
			return new Set(
				database
					.prepare('SELECT text FROM caption WHERE final = 1')
					.all()
					.map(({ text }) => String(text)),
			);
		} finally {
			database.close();
		}
	}

	/** Resolves when the page or program is dead; to false if Stop had finished first. */
	async function holdConversation(page: Page, shell: Launched, { by, at, who }: PageKill): Promise<boolean> {
		const kill = async (): Promise<void> => {
			atDeath = ours();
			if (who === 'program') {
				await shell.kill('SIGKILL');
				return;
			}
			const died = page.waitForEvent('crash', { timeout: DELETED_LIMIT_MS });
			// A stopped page reacts to nothing, so its process is killed from outside.
			const session = await visitor?.newBrowserCDPSession();
			const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
			for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, 'SIGKILL');
			await died;
		};
		const { promise: struck, resolve: strike } = Promise.withResolvers<boolean>();
		let standsStill = false;
		atFatalStep = () => {
			standsStill = true;
			strike(true);
		};
		await page.evaluate(
			(fatal) => (window as unknown as { crash: PageSteps }).crash.arm(fatal),
			by === 'step' ? at : 0,
		);
		const stopped = async (): Promise<boolean> => {
			await button(page, 'Start').click();
			if (by === 'time') {
				await page.waitForTimeout(at);
				return true;
			}
			await untilPhase(page, 'Live');
			await button(page, 'Stop').click();
			await button(page, 'Start').waitFor();
			return false;
		};
		// A stopped page no longer answers, so what waits for it fails, and that failure is ignored.
		const lived = stopped().catch((failure) => {
			if (standsStill) return true;
			throw failure;
		});
		const dies = await Promise.race([struck, lived]);
		if (dies) await kill();
		return dies;
	}

	let atFatalStep: () => void = () => {};
	let handed: (readonly string[])[] = [];

	async function run(kill: PageKill): Promise<PageOutcome> {
		const failures: string[] = [];
		const check = (what: string, right: boolean) => void (right || failures.push(what));
		const shell = await running();
		const page = await visit(shell);
		handed = [];
		const doors: PageDoors = {
			atFatalStep: () => atFatalStep(),
			handedFinals: (texts) => void handed.push(texts),
		};
		for (const name of ['atFatalStep', 'handedFinals'] as const) await page.exposeFunction(name, doors[name]);
		await page.evaluate(countPageSteps);
		await untilPhase(page, 'Ready');
		const killed = await holdConversation(page, shell, kill);
		const steps = killed
			? 0
			: await page.evaluate(() => (window as unknown as { crash: PageSteps }).crash.count());
		if (killed && kill.who === 'page') deaths += 1;
		// Each batch is sent only after the answer to the one before.
		const finals = handed.slice(0, -1).flat();
		const again = await visit(await running());
		try {
			await untilPhase(again, 'Ready');
			await until(
				'what was left is deleted',
				// One may be made ahead for the next Start.
				() => ours().length <= 1 && !ours().some((id) => killed && atDeath.includes(id)),
				DELETED_LIMIT_MS,
			);
		} catch (failure) {
			failures.push(String(failure));
		}
		check(
			'a foreign session is gone',
			sandbox.openSessions().some(({ id }) => id === foreign),
		);
		const kept = keptFinals();
		check(
			'a final is lost although acknowledged',
			finals.every((text) => kept.has(text)),
		);
		return { failures, killed, steps, finals: finals.length };
	}

	return {
		run,
		async close() {
			await visitor?.close();
			await app?.close();
			const left = ours().length;
			await sandbox.close();
			rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
			if (left > 0) throw new Error(`${left} sessions left after the end`);
		},
	};
}

async function createForeign(api: string, key: string): Promise<string> {
	const answer = await fetch(`${api}/session-storage/session`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify({ data: {} }),
	});
	const { id } = ((await answer.json()) as { data: { id: string } }).data;
	// Extended, because nobody uses it and it must not expire meanwhile.
	const url = `${api}/session-storage/sessions/${encodeURIComponent(id)}?ttl_seconds=86400`;
	await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
	return id;
}

/** What the page calls, by `exposeFunction`. */
interface PageDoors {
	/** It has come to its fatal step and waits to be killed. */
	atFatalStep(): void;
	/** Finals are handed to the history. */
	handedFinals(texts: readonly string[]): void;
}

/** What `countPageSteps` puts on `window`. */
interface PageSteps {
	/** Counts from zero, and stops for good at the step of this number; 0 = never. */
	arm(fatal: number): void;
	count(): number;
}

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Counts every step by which a page touches the world outside it: calls of main, of sockets, of peer connections, of
 * devices and of sound, each before it is done and before its outcome is handled. At the fatal one it reports that and
 * never comes to the next. `toString()` of it runs in the page, so it may use nothing from outside.
 */
function countPageSteps(): void {
	// A page that outlived its trial counts already; counted twice, it would still die at the step of that trial.
	if ('crash' in window) return;
	const doors = window as unknown as PageDoors;
	let steps = 0;
	let fatal = 0;

	function step(): void {
		if (++steps !== fatal) return;
		doors.atFatalStep();
		for (;;);
	}

	function counted(run: AnyFunction): AnyFunction {
		return function (this: unknown, ...args: unknown[]): unknown {
			step();
			const outcome = Reflect.apply(run, this, args);
			if (outcome instanceof Promise) return outcome.finally(step);
			step();
			return outcome;
		};
	}

	function countAll(holder: object, names: readonly string[]): void {
		for (const name of names) {
			const run: unknown = Reflect.get(holder, name);
			if (typeof run === 'function')
				Object.defineProperty(holder, name, { value: counted(run as AnyFunction), configurable: true });
		}
	}

	/** Calls of main pass as events; what they say is read on the way. */
	const dispatch = EventTarget.prototype.dispatchEvent;
	EventTarget.prototype.dispatchEvent = function (event) {
		const isCall = event.type === 'to-preload' && event instanceof MessageEvent;
		if (isCall) {
			const said = JSON.parse(event.lastEventId) as { args?: { v?: unknown }[] };
			const [name, input] = said.args ?? [];
			if (name?.v === 'history.append') {
				const { captions } = (input?.v ?? { captions: [] }) as {
					captions: { text: string; final: boolean }[];
				};
				doors.handedFinals(captions.filter(({ final }) => final).map(({ text }) => text));
			}
			step();
		}
		const outcome = dispatch.call(this, event);
		if (isCall) step();
		return outcome;
	};
	countAll(WebSocket.prototype, ['send', 'close']);
	countAll(RTCDataChannel.prototype, ['send', 'close']);
	countAll(RTCPeerConnection.prototype, ['createOffer', 'createAnswer', 'setLocalDescription', 'close']);
	countAll(RTCPeerConnection.prototype, ['setRemoteDescription', 'addIceCandidate', 'addTransceiver']);
	countAll(MediaDevices.prototype, ['getUserMedia', 'enumerateDevices']);
	countAll(MediaStreamTrack.prototype, ['stop', 'applyConstraints']);
	countAll(AudioContext.prototype, ['resume', 'close']);
	countAll(AudioWorklet.prototype, ['addModule']);
	countAll(RTCRtpSender.prototype, ['replaceTrack', 'setParameters']);
	const crash: PageSteps = {
		arm(at) {
			steps = 0;
			fatal = at;
		},
		count: () => steps,
	};
	Object.assign(window, { crash });
}
