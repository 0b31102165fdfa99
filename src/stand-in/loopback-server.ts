import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { upgradeToPort } from './message-ports.ts';
import { portWorkerScript } from './port-frames.ts';

/** The only page without the secret: its address is on the browser's command line, where others can read it. */
const BLANK = '/.blank';
/** Below the secret; no file of the app can have this name. */
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
	/** From `scheme://host/path` to the address under which the browser finds it. */
	toLoopback(address: string): string;
	/** The way back; an address that is not ours stays as it is. */
	toApp(address: string): string;
	close(): void;
}

/**
 * The preload creates one Trusted Types policy, for the worker behind its ports (`worlds.ts`); the page's rules allow it,
 * under a name that nobody can guess.
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
 * A plain Chromium knows no custom schemes, so the app's own `protocol.handle` answers here: the same
 * function, the same headers. The path starts with a secret, the port is random, and a request under
 * another host name (DNS rebinding) is refused.
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
			// A page with this policy demands it of its worker as well.
			const policy = { 'cross-origin-embedder-policy': 'require-corp' };
			outgoing.writeHead(200, { 'content-type': 'text/javascript', ...policy }).end(portWorkerScript);
			return;
		}
		const address = `${scheme}://${host}${path.slice(secret.length + 1)}`;
		const response = await handler(new Request(address, { method: incoming.method ?? 'GET' }));
		outgoing.writeHead(response.status, withOurPolicy(Object.fromEntries(response.headers), secret));
		outgoing.end(Buffer.from(await response.arrayBuffer()));
	}

	const server = createServer((incoming, outgoing) => {
		answer(incoming, outgoing).catch(() => outgoing.writeHead(500).end());
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
