import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { CdpSession } from './cdp.ts';
import { noteTraffic, type StandInPort } from './message-ports.ts';
import { program, type Running } from './program.ts';
import { strict } from './strict.ts';

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
	/** The navigation that the app refused: `Page.stopLoading` may come too late, so abort its request. */
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
		// Only this event has the address. The answer of the handler is ignored: new windows are always closed.
		session.on('Page.windowOpen', ({ url }) => this.#openHandler({ url: running.server.toApp(String(url)) }));
		const moved = (url: unknown) => {
			this.#frameAddress = running.server.toApp(String(url));
		};
		session.on('Page.frameNavigated', ({ frame }) => {
			const { parentId, url, urlFragment = '' } = frame as Record<'parentId' | 'url' | 'urlFragment', string>;
			if (parentId !== undefined) return;
			moved(url + urlFragment);
			// The empty page with which a window begins is not the app's.
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
	 * Handles the page's HTTP requests: blocks forbidden ones, and asks the app's `onBeforeRequest`.
	 * Chromium's Fetch domain does not see WebSockets, nor a worker's requests: for these only the page's
	 * policy applies, unlike in Electron.
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
		// The stand-in's own files on this server are always allowed: an empty page, a worker for ports, an icon.
		if (!program.beforeRequest || url.startsWith(`${running.server.origin}/`)) return void go();
		program.beforeRequest({ url }, ({ cancel }) => {
			if (!cancel) return void go();
			// An aborted navigation keeps our page; a blocked one would replace it with an error page.
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
		// The page may have been replaced meanwhile, and call numbers restart in each.
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

	/** Sends a message; it is queued until the page's preload runs. */
	send(channel: string, ...args: unknown[]): void {
		const message = { channel, args };
		if (this.#world === null) this.#queue.push(message);
		else this.#deliver(message);
	}

	/** Like `send`, but also passes ports to the preload: afterwards they cannot be used here. */
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

	/** Shows the browser's own dialog over the page. True if the user confirms; false also if it cannot be shown. */
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

/**
 * The page gets two scripts: the preload, in a world of its own, and a bridge like Electron's between that
 * world and the page's. Values cross as JSON; functions and promises cross if they are an argument, an answer
 * or a member of an exposed object. Both worlds share one MessagePort object that no other code can reach,
 * and use it as a synchronous event target.
 */

interface Packed {
	f?: number;
	p?: number;
	v?: unknown;
}

type Message =
	| { call: number; args: Packed[] }
	| { answer: { with?: Packed; error?: string } }
	| { settle: number; ok: boolean; with: Packed };

type AnyFunction = (...args: unknown[]) => unknown;

/** Runs in both worlds, injected by `toString()`, so it may use nothing from outside. */
function createBridgeEnd(port: MessagePort, here: string, there: string) {
	const own = new Map<number, AnyFunction>();
	const pending = new Map<number, { done(value: unknown): void; fail(error: Error): void }>();
	let next = 0;
	let answer: { with?: Packed; error?: string } = {};
	// Take these now, so that a page that replaces `JSON` later cannot interfere; nor can it in Electron.
	const { parse, stringify } = JSON;

	const plain = (value: unknown) =>
		parse(
			stringify(value, (_key, inner) => {
				if (typeof inner === 'function')
					throw new DOMException('a function inside a value', 'DataCloneError');
				return inner;
			}),
		);
	const send = (message: Message) =>
		port.dispatchEvent(new MessageEvent(there, { lastEventId: stringify(message) }));

	function pack(value: unknown): Packed {
		if (typeof value === 'function') {
			own.set(++next, value as AnyFunction);
			return { f: next };
		}
		if (value instanceof Promise) {
			const settle = ++next;
			value.then(
				(result) => send({ settle, ok: true, with: pack(result) }),
				(failure) => send({ settle, ok: false, with: { v: String(failure?.message ?? failure) } }),
			);
			return { p: settle };
		}
		return value === undefined ? {} : { v: plain(value) };
	}

	function unpack(packed: Packed): unknown {
		const { f, p } = packed;
		if (f !== undefined) return (...args: unknown[]) => call(f, args);
		if (p === undefined) return packed.v;
		return new Promise((done, fail) => pending.set(p, { done, fail }));
	}

	function call(id: number, args: unknown[]): unknown {
		send({ call: id, args: args.map(pack) });
		if (answer.error !== undefined) throw new Error(answer.error);
		return unpack(answer.with ?? {});
	}

	port.addEventListener(here, (event) => {
		const message = parse((event as MessageEvent).lastEventId) as Message;
		if ('call' in message) {
			try {
				const result = own.get(message.call)?.(...message.args.map(unpack));
				send({ answer: { with: pack(result) } });
			} catch (failure) {
				send({ answer: { error: String((failure as Error)?.message ?? failure) } });
			}
		} else if ('answer' in message) {
			answer = message.answer;
		} else {
			const waits = pending.get(message.settle);
			pending.delete(message.settle);
			if (message.ok) waits?.done(unpack(message.with));
			else waits?.fail(new Error(String(message.with.v)));
		}
	});
	return { pack, unpack };
}

/** Runs in the page: waits for what the preload exposes and puts it on `window`, before any page script. */
function runInPage(secret: string, makeEnd: typeof createBridgeEnd): void {
	window.addEventListener(secret, (event) => {
		const { ports, lastEventId } = event as MessageEvent;
		const port = ports[0];
		if (!port) return;
		const { name, members } = JSON.parse(lastEventId) as { name: string; members: Record<string, Packed> };
		const end = makeEnd(port, 'to-page', 'to-preload');
		const api = Object.fromEntries(Object.entries(members).map(([key, value]) => [key, end.unpack(value)]));
		Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true });
	});
}

interface TrustedTypes {
	readonly trustedTypes: {
		createPolicy(
			name: string,
			rules: { createScriptURL(url: string): string },
		): { createScriptURL(url: string): unknown };
	};
}

/** Runs in the preload's world: gives it `require('electron')`, and exchanges messages with main. */
function runInPreload(
	secret: string,
	binding: string,
	makeEnd: typeof createBridgeEnd,
	preload: (require: (name: string) => unknown, module: object, exports: object) => void,
): void {
	if (window.top !== window) return;
	const world = globalThis as unknown as Record<string, (text: string) => void>;
	const toMain = world[binding];
	const pending = new Map<number, { done(value: unknown): void; fail(error: Error): void }>();
	const listeners = new Map<string, Set<AnyFunction>>();
	let next = 0;

	const ipcRenderer = {
		invoke(channel: string, ...args: unknown[]) {
			const id = ++next;
			return new Promise((done, fail) => {
				const text = JSON.stringify({ id, channel, args }, (_key, inner) => {
					if (typeof inner === 'function')
						throw new DOMException('An object could not be cloned.', 'DataCloneError');
					return inner;
				});
				pending.set(id, { done, fail });
				toMain?.(text);
			});
		},
		on(channel: string, heard: AnyFunction) {
			const known = listeners.get(channel) ?? new Set();
			listeners.set(channel, known.add(heard));
		},
		removeListener: (channel: string, heard: AnyFunction) => void listeners.get(channel)?.delete(heard),
	};
	let worker: Worker | null = null;
	/** A worker carries the messages, so that a busy page delays nothing, as in Electron. */
	function portTo(url: string, script: string): MessagePort {
		if (!worker) {
			const { trustedTypes } = globalThis as unknown as TrustedTypes;
			const policy = trustedTypes.createPolicy(script.split('/').at(-2) ?? '', {
				createScriptURL: (given) => given,
			});
			worker = new Worker(policy.createScriptURL(script) as string);
		}
		const { port1, port2 } = new MessageChannel();
		worker.postMessage({ url }, [port1]);
		return port2;
	}
	const contextBridge = {
		exposeInMainWorld(name: string, api: Record<string, unknown>) {
			const channel = new MessageChannel();
			const end = makeEnd(channel.port2, 'to-preload', 'to-page');
			const members = Object.fromEntries(Object.entries(api).map(([key, value]) => [key, end.pack(value)]));
			const text = JSON.stringify({ name, members });
			window.dispatchEvent(new MessageEvent(secret, { ports: [channel.port2], lastEventId: text }));
		},
	};

	world.standInReceive = (text) => {
		const message = JSON.parse(text) as
			| { id: number; ok: boolean; value?: unknown; error?: string }
			| { channel: string; args: unknown[]; ports?: string[]; worker?: string };
		if ('channel' in message) {
			const event = { ports: (message.ports ?? []).map((url) => portTo(url, message.worker ?? '')) };
			for (const heard of [...(listeners.get(message.channel) ?? [])]) heard(event, ...message.args);
			return;
		}
		const waits = pending.get(message.id);
		pending.delete(message.id);
		if (message.ok) waits?.done(message.value);
		else waits?.fail(new Error(message.error));
	};
	const electron = { ipcRenderer, contextBridge };
	preload(
		(name) => {
			if (name !== 'electron') throw new Error(`not in the stand-in: require('${name}') in the preload`);
			return new Proxy(electron, {
				get(target, key) {
					if (Object.hasOwn(target, key)) return target[key as keyof typeof target];
					throw new Error(`not in the stand-in: ${String(key)} in the preload`);
				},
			});
		},
		{ exports: {} },
		{},
	);
}

/** Script for the page's own world; must be added before the preload's. */
function pageScript(secret: string): string {
	return `(${runInPage})(${JSON.stringify(secret)}, ${createBridgeEnd})`;
}

/** Script for the isolated world. `binding` is the function that reaches main from it. */
function preloadScript(secret: string, binding: string, preload: string): string {
	const body = `function (require, module, exports) {${preload}\n}`;
	return `(${runInPreload})(${JSON.stringify(secret)}, ${JSON.stringify(binding)}, ${createBridgeEnd}, ${body})`;
}

/** Expression that hands `message` to the preload's world. */
function receiveExpression(message: unknown): string {
	return `standInReceive(${JSON.stringify(JSON.stringify(message))})`;
}

type Handler = (event: never, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

export const ipcMain = strict('ipcMain', {
	handle(channel: string, handler: Handler): void {
		if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
		handlers.set(channel, handler);
	},
	removeHandler: (channel: string): void => void handlers.delete(channel),
});

async function invokeHandler(channel: string, event: unknown, args: unknown[]): Promise<unknown> {
	const handler = handlers.get(channel);
	if (!handler) throw new Error(`No handler registered for '${channel}'`);
	return handler(event as never, ...args);
}
