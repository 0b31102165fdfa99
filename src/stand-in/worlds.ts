/**
 * What is injected into the page: the preload in a world of its own, and between that world and
 * the page's a bridge like Electron's. Values cross as JSON; functions and promises cross when they are
 * an argument, an answer or a member of what is exposed. Both worlds share one MessagePort object
 * that nobody else can reach, and use it as a synchronous event target.
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
	// What the page later does to its own objects has no effect here, as in Electron.
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

/** The page's side: waits for what the preload exposes and puts it on `window`, before any page script. */
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

/** The preload's side: `require('electron')` for it, and the ends of IPC. */
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
export function pageScript(secret: string): string {
	return `(${runInPage})(${JSON.stringify(secret)}, ${createBridgeEnd})`;
}

/** Script for the isolated world. `binding` is the function that reaches main from it. */
export function preloadScript(secret: string, binding: string, preload: string): string {
	const body = `function (require, module, exports) {${preload}\n}`;
	return `(${runInPreload})(${JSON.stringify(secret)}, ${JSON.stringify(binding)}, ${createBridgeEnd}, ${body})`;
}

/** Expression that hands `message` to the preload's world. */
export function receiveExpression(message: unknown): string {
	return `standInReceive(${JSON.stringify(JSON.stringify(message))})`;
}
