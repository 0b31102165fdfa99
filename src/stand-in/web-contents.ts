import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { CdpSession } from './cdp.ts';
import { invokeHandler } from './ipc.ts';
import type { StandInPort } from './message-ports.ts';
import { program, type Running } from './program.ts';
import { noteTraffic } from './traffic.ts';
import { pageScript, preloadScript, receiveExpression } from './worlds.ts';

const WORLD = 'preload';
const BINDING = 'standInToMain';

type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };
interface Preventable {
	defaultPrevented: boolean;
	preventDefault(): void;
	readonly url: string;
}

interface PausedRequest {
	readonly requestId: string;
	readonly resourceType: string;
	readonly request: { readonly url: string };
}

function preventable(url: string): Preventable {
	return {
		url,
		defaultPrevented: false,
		preventDefault() {
			this.defaultPrevented = true;
		},
	};
}

/** The page of one window: preload, messages both ways, navigation guards, crashes. */
export class StandInContents extends EventEmitter {
	readonly id: number;
	readonly #preload: string;
	#session: CdpSession | null = null;
	#running: Running | null = null;
	#world: number | null = null;
	#queue: unknown[] = [];
	#address = '';
	/** The address the page's main frame shows, as reported by the browser; the sender of its messages. */
	#frameAddress = '';
	/** Where the page may not go: under load, `Page.stopLoading` comes when it is there already. */
	#refused: string | null = null;
	#openHandler: OpenHandler = () => ({ action: 'deny' });
	#destroyed = false;

	constructor(id: number, preload: string | undefined) {
		super();
		this.id = id;
		this.#preload = preload ? readFileSync(preload, 'utf8') : '';
	}

	/** Called by the window once its page exists. */
	async attach(running: Running, session: CdpSession): Promise<void> {
		this.#running = running;
		this.#session = session;
		const secret = randomBytes(18).toString('base64url');
		session.on('Runtime.executionContextCreated', ({ context }) => this.#contextMade(context));
		session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
			if (executionContextId === this.#world) this.#world = null;
		});
		session.on('Runtime.executionContextsCleared', () => {
			this.#world = null;
		});
		session.on('Runtime.bindingCalled', (params) => this.#called(params));
		session.on('Page.frameRequestedNavigation', ({ url, disposition }) => {
			if (disposition !== 'currentTab') return;
			const event = preventable(running.server.toApp(String(url)));
			this.emit('will-navigate', event, event.url);
			if (!event.defaultPrevented) return;
			this.#refused = String(url).replace(/#.*/s, '');
			session.send('Page.stopLoading').catch(() => {});
		});
		// The new window is closed whatever the handler says; the events about that window do not tell its address.
		session.on('Page.windowOpen', ({ url }) => this.#openHandler({ url: running.server.toApp(String(url)) }));
		const moved = (url: unknown) => {
			this.#frameAddress = running.server.toApp(String(url));
		};
		session.on('Page.frameNavigated', ({ frame }) => {
			const { parentId, url, urlFragment = '' } = frame as Record<'parentId' | 'url' | 'urlFragment', string>;
			if (parentId !== undefined) return;
			moved(url + urlFragment);
			// The empty page a window begins with is not the app's.
			if (url !== running.server.blank && url !== 'about:blank') {
				this.emit('did-navigate', {}, this.#frameAddress, 200, '');
			}
		});
		session.on('Page.navigatedWithinDocument', ({ url }) => moved(url));
		session.on('Fetch.requestPaused', (params) => this.#requested(session, running, params));
		session.on('Inspector.targetCrashed', () => {
			this.#world = null;
			this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 });
		});
		session.on('Page.loadEventFired', () => this.emit('did-finish-load'));
		await session.send('Page.enable');
		await session.send('Inspector.enable');
		const requests = program.beforeRequest ? {} : { resourceType: 'Document' };
		await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', ...requests }] });
		await session.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD });
		await session.send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript(secret) });
		await session.send('Page.addScriptToEvaluateOnNewDocument', {
			source: preloadScript(secret, BINDING, this.#preload),
			worldName: WORLD,
		});
		await session.send('Runtime.enable');
	}

	/**
	 * What the page asks by HTTP: ends what it may not go to, and asks the app's `onBeforeRequest`. Chromium's Fetch
	 * domain does not see WebSockets, nor a worker's requests: there only the page's policy applies, unlike in Electron.
	 */
	#requested(session: CdpSession, running: Running, params: Record<string, unknown>): void {
		const { requestId, request, resourceType } = params as unknown as PausedRequest;
		const url = running.server.toApp(request.url);
		const go = () => session.send('Fetch.continueRequest', { requestId }).catch(() => {});
		const stop = (errorReason: string) =>
			session.send('Fetch.failRequest', { requestId, errorReason }).catch(() => {});
		if (resourceType === 'Document' && request.url === this.#refused) {
			this.#refused = null;
			return void stop('Aborted');
		}
		// Our own addresses of this origin, beside the app's: the empty page, the ports' worker, a browser's icon.
		if (!program.beforeRequest || url.startsWith(`${running.server.origin}/`)) return void go();
		program.beforeRequest({ url }, ({ cancel }) => {
			if (!cancel) return void go();
			// An aborted navigation leaves our page where it is; a blocked one would replace it with an error page.
			void stop(resourceType === 'Document' ? 'Aborted' : 'BlockedByClient');
		});
	}

	#contextMade(context: unknown): void {
		const { id, name, auxData } = context as { id: number; name: string; auxData?: { type?: string } };
		if (name !== WORLD || auxData?.type !== 'isolated') return;
		// A page has one window and we allow no frames, so the newest world of this name is the page's.
		this.#world = id;
		const queued = this.#queue;
		this.#queue = [];
		for (const message of queued) this.#deliver(message);
	}

	#called(params: Record<string, unknown>): void {
		if (params.name !== BINDING || params.executionContextId !== this.#world) return;
		const call = JSON.parse(String(params.payload)) as { id: number; channel: string; args: unknown[] };
		const event = { sender: this, senderFrame: { url: this.#frameAddress, parent: null } };
		const world = this.#world;
		// The page may be another one by then, and call numbers begin anew in each.
		const answer = (message: unknown) => void (this.#world === world && this.#deliver(message));
		invokeHandler(call.channel, event, call.args).then(
			(value) => answer({ id: call.id, ok: true, value }),
			(failure) => answer({ id: call.id, ok: false, error: String(failure?.message ?? failure) }),
		);
	}

	#deliver(message: unknown): void {
		if (this.#world === null || !this.#session) return;
		noteTraffic(message);
		this.#session
			.send('Runtime.evaluate', { expression: receiveExpression(message), contextId: this.#world })
			.catch(() => {});
	}

	/** Queued until the page's preload runs; then at once. */
	send(channel: string, ...args: unknown[]): void {
		const message = { channel, args };
		if (this.#world === null) this.#queue.push(message);
		else this.#deliver(message);
	}

	/** As `send`, with ports for the preload. Each end is gone from here afterwards. */
	postMessage(channel: string, message: unknown, transfer: readonly StandInPort[] = []): void {
		const ports = this.#running?.server.ports;
		if (!ports) return;
		const addresses = transfer.map((port) => ports.folder + port.ship());
		const posted = { channel, args: [message], ports: addresses, worker: ports.worker };
		if (this.#world === null) this.#queue.push(posted);
		else this.#deliver(posted);
	}

	async load(address: string): Promise<void> {
		if (!this.#session || !this.#running) throw new Error('the window has no page yet');
		this.#address = address;
		this.#refused = null;
		const loaded = new Promise<void>((done) => this.once('did-finish-load', done));
		const answer = await this.#session.send('Page.navigate', {
			url: this.#running.server.toLoopback(address),
		});
		if (answer.errorText) throw new Error(`${String(answer.errorText)} loading ${address}`);
		await loaded;
	}

	/** The browser's own dialog over the page, which waits for the answer. False when it could not be shown. */
	async confirm(text: string): Promise<boolean> {
		if (this.#world === null || !this.#session) return false;
		const asked = this.#session.send('Runtime.evaluate', {
			expression: `confirm(${JSON.stringify(text)})`,
			contextId: this.#world,
		});
		const { result } = (await asked.catch(() => ({}))) as { result?: { value?: unknown } };
		return result?.value === true;
	}

	/** Runs code in the page's own world. Rejects with what it throws, in words. */
	async executeJavaScript(code: string, userGesture = false): Promise<unknown> {
		if (!this.#session) throw new Error('the window has no page');
		const { result, exceptionDetails } = (await this.#session.send('Runtime.evaluate', {
			expression: code,
			awaitPromise: true,
			returnByValue: true,
			userGesture,
			// Subject to the page's policy, as in Electron.
			allowUnsafeEvalBlockedByCSP: false,
		})) as { result: { value?: unknown }; exceptionDetails?: { exception?: { description?: string } } };
		if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page threw');
		return result.value;
	}

	reload(): void {
		this.load(this.#address).catch(() => {});
	}

	getURL(): string {
		return this.#address;
	}

	setWindowOpenHandler(handler: OpenHandler): void {
		this.#openHandler = handler;
	}

	isDestroyed(): boolean {
		return this.#destroyed;
	}

	detach(): void {
		this.#destroyed = true;
		this.#session = null;
		this.#world = null;
		this.emit('destroyed');
	}
}
