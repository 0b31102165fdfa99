import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import { strict } from './strict.ts';

/** Ends that were given to a page but not fetched yet, by the last part of their address. */
const shipped = new Map<string, StandInPort>();
const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 16 * 1024 * 1024 });

/** One end of a channel. When given to a page, it becomes the near end of a socket and loses no message meanwhile. */
export class StandInPort extends EventEmitter {
	#peer: StandInPort | null = null;
	#socket: ServerSocket | null = null;
	#shipped = false;
	#started = false;
	#closed = false;
	readonly #toSocket: Uint8Array[] = [];
	readonly #received: unknown[] = [];

	static pair(): { port1: StandInPort; port2: StandInPort } {
		const [port1, port2] = [new StandInPort(), new StandInPort()];
		port1.#peer = port2;
		port2.#peer = port1;
		return { port1, port2 };
	}

	postMessage(message: unknown, transfer: readonly unknown[] = []): void {
		if (transfer.length > 0) throw new Error('not in the stand-in: a port through a port');
		if (this.#closed) return;
		// Always encode here: a value that cannot be sent must fail at once.
		const frame = encodeFrame(message);
		this.#peer?.takeFrame(frame);
	}

	start(): void {
		if (this.#started) return;
		this.#started = true;
		for (const data of this.#received.splice(0)) this.emit('message', { data, ports: [] });
	}

	close(): void {
		if (this.#closed) return;
		this.#closed = true;
		this.#socket?.close();
		this.emit('close');
		this.#peer?.close();
	}

	/** For `webContents.postMessage`: the address part under which the page finds this end. */
	ship(): string {
		if (this.#shipped || this.#closed) throw new Error('A port can be transferred once');
		this.#shipped = true;
		const name = randomBytes(18).toString('base64url');
		shipped.set(name, this);
		return name;
	}

	/** The page has connected to this end. */
	connect(socket: ServerSocket): void {
		if (this.#closed) {
			socket.close();
			return;
		}
		this.#socket = socket;
		socket.on('message', (data: Buffer) => {
			// Copy the bytes, because typed arrays need them aligned.
			const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
			this.#peer?.receive(decodeFrame(bytes));
		});
		socket.on('close', () => this.close());
		socket.on('error', () => {});
		for (const frame of this.#toSocket.splice(0)) socket.send(frame);
	}

	/** Called only by the other end. */
	takeFrame(frame: Uint8Array<ArrayBuffer>): void {
		if (this.#shipped) noteFrame(frame);
		if (!this.#shipped) this.receive(decodeFrame(frame.buffer));
		else if (this.#socket) this.#socket.send(frame);
		else this.#toSocket.push(frame);
	}

	/** Called only by the other end. */
	receive(data: unknown): void {
		if (this.#closed) return;
		if (this.#started) this.emit('message', { data, ports: [] });
		else this.#received.push(data);
	}
}

/** As in Electron: two ends, one of which may be given to a page. */
export class MessageChannelMain {
	readonly port1: StandInPort;
	readonly port2: StandInPort;

	constructor() {
		const { port1, port2 } = StandInPort.pair();
		this.port1 = strict('MessagePortMain', port1);
		this.port2 = strict('MessagePortMain', port2);
	}
}

/** Connects a page to a port: one connection, an unguessable name. False if no port has that name. */
function upgradeToPort(name: string, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
	const port = shipped.get(name);
	if (!port) return false;
	shipped.delete(name);
	server.handleUpgrade(request, socket, head, (opened) => port.connect(opened));
	return true;
}

/** `DRAGOMAN_STAND_IN_TRAFFIC`: a file that records main's messages to its pages, for tests to read. */
const file = process.env.DRAGOMAN_STAND_IN_TRAFFIC;

/** Notes an answer or an announcement. */
export function noteTraffic(message: unknown): void {
	if (file) appendFileSync(file, `${JSON.stringify(message)}\n`);
}

/** Notes a message through a port: its words, without the sound in it. */
function noteFrame(frame: Uint8Array<ArrayBuffer>): void {
	if (!file) return;
	const length = new DataView(frame.buffer).getUint32(0);
	appendFileSync(file, `${new TextDecoder().decode(frame.subarray(8, 8 + length))}\n`);
}

/** The only page without the secret: its address is on the browser's command line, where others can read it. */
const BLANK = '/.blank';
/** Path below the secret; no file of the app can have this name. */
const PORT_WORKER = '.port-worker.js';
const PORT_FOLDER = '.ports/';

type Handler = (request: Request) => Response | Promise<Response>;

export interface LoopbackServer {
	/** `http://127.0.0.1:PORT`. */
	readonly origin: string;
	/** An empty page of the same origin, for a window before it loads. Its address is no secret. */
	readonly blank: string;
	/** Where the page finds the worker behind its ports, and the ports below. */
	readonly ports: { readonly worker: string; readonly folder: string };
	/** Converts `scheme://host/path` to the address under which the browser finds it. */
	toLoopback(address: string): string;
	/** The reverse; an address that is not ours stays as it is. */
	toApp(address: string): string;
	close(): void;
}

/**
 * The preload creates one Trusted Types policy, for the worker behind its ports (`worlds.ts`); the page's rules allow it,
 * under an unguessable name.
 */
function withOurPolicy(headers: Record<string, string>, secret: string): Record<string, string> {
	const rules = headers['content-security-policy'];
	if (rules === undefined) return headers;
	return {
		...headers,
		'content-security-policy': rules.replace("trusted-types 'none'", `trusted-types ${secret}`),
	};
}

/**
 * A plain Chromium has no custom schemes, so this calls the app's own `protocol.handle`: the same function, the same
 * headers. The path starts with a secret, the port is random, and a request under another host name (DNS rebinding) is
 * refused.
 */
export async function serveLoopback(scheme: string, host: string, handler: Handler): Promise<LoopbackServer> {
	const secret = randomBytes(18).toString('base64url');
	const workerPath = `/${secret}/${PORT_WORKER}`;
	const portsPath = `/${secret}/${PORT_FOLDER}`;

	async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const path = incoming.url ?? '';
		// A browser asks every server for an icon; Electron does not.
		if (path === '/favicon.ico') {
			outgoing.writeHead(204).end();
			return;
		}
		const isOurs = incoming.headers.host === `127.0.0.1:${port}`;
		if (isOurs && path.split('?', 1)[0] === BLANK) {
			outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Dragoman</title>');
			return;
		}
		if (!isOurs || !path.startsWith(`/${secret}/`)) {
			outgoing.writeHead(404).end();
			return;
		}
		if (path === workerPath) {
			// A page with this policy requires it of its worker as well.
			const policy = { 'cross-origin-embedder-policy': 'require-corp' };
			outgoing.writeHead(200, { 'content-type': 'text/javascript', ...policy }).end(portWorkerScript);
			return;
		}
		const address = `${scheme}://${host}${path.slice(secret.length + 1)}`;
		const { method = 'GET', headers } = incoming;
		const range = headers.range === undefined ? {} : { range: headers.range };
		const response = await handler(new Request(address, { method, headers: range }));
		outgoing.writeHead(response.status, withOurPolicy(Object.fromEntries(response.headers), secret));
		// A recording is sent only as fast as it is played, and not to its end if the player jumps elsewhere.
		await pipeline(response.body ?? [], outgoing);
	}

	const server = createServer((incoming, outgoing) => {
		answer(incoming, outgoing).catch(() => {
			if (outgoing.headersSent) outgoing.destroy();
			else outgoing.writeHead(500).end();
		});
	});
	server.on('upgrade', (request, socket, head) => {
		const path = request.url ?? '';
		const known = request.headers.host === `127.0.0.1:${port}` && path.startsWith(portsPath);
		if (!known || !upgradeToPort(path.slice(portsPath.length), request, socket, head)) socket.destroy();
	});
	await new Promise<void>((done, fail) => {
		server.once('error', fail);
		server.listen(0, '127.0.0.1', done);
	});
	const { port } = server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	const inApp = `${scheme}://${host}/`;
	const outside = `${origin}/${secret}/`;
	return {
		origin,
		blank: origin + BLANK,
		ports: { worker: origin + workerPath, folder: `ws://127.0.0.1:${port}${portsPath}` },
		toLoopback: (address) => (address.startsWith(inApp) ? outside + address.slice(inApp.length) : address),
		toApp: (address) => (address.startsWith(outside) ? inApp + address.slice(outside.length) : address),
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/**
 * A message of a MessagePort as bytes: JSON and the typed arrays in it, because `structuredClone` has no
 * form that both a browser and Node can read. Anything else raises `DataCloneError`, as in Electron
 * (which takes a little more; the app does not use it).
 *
 * Both functions run in a worker of the page as well, sent there by `toString()`, so they may use nothing
 * from outside.
 */
export function encodeFrame(value: unknown): Uint8Array<ArrayBuffer> {
	const parts: Uint8Array[] = [];
	const json = JSON.stringify(value, (_key, inner: unknown) => {
		if (
			typeof inner === 'function' ||
			typeof inner === 'symbol' ||
			inner instanceof Map ||
			inner instanceof Set
		)
			throw new DOMException('could not be cloned', 'DataCloneError');
		if (!ArrayBuffer.isView(inner)) return inner;
		parts.push(new Uint8Array(inner.buffer, inner.byteOffset, inner.byteLength));
		return { '\u0000': inner.constructor.name, bytes: inner.byteLength };
	});
	const text = new TextEncoder().encode(json);
	const padded = (length: number) => Math.ceil(length / 8) * 8;
	const total = parts.reduce((sum, part) => sum + padded(part.length), 8 + padded(text.length));
	const frame = new Uint8Array(total);
	new DataView(frame.buffer).setUint32(0, text.length);
	frame.set(text, 8);
	let at = 8 + padded(text.length);
	for (const part of parts) {
		frame.set(part, at);
		at += padded(part.length);
	}
	return frame;
}

/** Decodes a frame; `frame` begins at a multiple of 8 in its buffer. */
export function decodeFrame(frame: ArrayBuffer): unknown {
	function make(kind: string, bytes: ArrayBuffer): unknown {
		if (kind === 'Int16Array') return new Int16Array(bytes);
		return kind === 'Float32Array' ? new Float32Array(bytes) : new Uint8Array(bytes);
	}
	const padded = (length: number) => Math.ceil(length / 8) * 8;
	const length = new DataView(frame).getUint32(0);
	let at = 8 + padded(length);
	function revive(value: unknown): unknown {
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) return value.map(revive);
		const entries = Object.entries(value);
		const kind = (value as Record<string, unknown>)['\u0000'];
		if (typeof kind === 'string') {
			const bytes = Number((value as Record<string, unknown>).bytes);
			const made = make(kind, frame.slice(at, at + bytes));
			at += padded(bytes);
			return made;
		}
		return Object.fromEntries(entries.map(([key, inner]) => [key, revive(inner)]));
	}
	return revive(JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 8, length))));
}

/** The worker in the page: each port it is given is the page's end of a socket to main. */
function pumpPorts(encode: typeof encodeFrame, decode: typeof decodeFrame): void {
	self.onmessage = ({ data, ports: [port] }: MessageEvent<{ url: string }>) => {
		if (!port) return;
		const socket = new WebSocket(data.url);
		socket.binaryType = 'arraybuffer';
		const waiting: Uint8Array<ArrayBuffer>[] = [];
		socket.onopen = () => {
			for (const frame of waiting.splice(0)) socket.send(frame);
		};
		socket.onmessage = (event) => port.postMessage(decode(event.data));
		socket.onclose = () => port.close();
		port.onmessage = (event) => {
			const frame = encode(event.data);
			if (socket.readyState === WebSocket.CONNECTING) waiting.push(frame);
			else if (socket.readyState === WebSocket.OPEN) socket.send(frame);
		};
		// Chromium reports when the other end was closed or its owner has ended.
		port.addEventListener('close', () => socket.close());
	};
}

const portWorkerScript = `(${pumpPorts})(${encodeFrame}, ${decodeFrame})`;
