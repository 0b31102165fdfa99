import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy that records what it is asked for, and leads nowhere but to this computer. */
export interface ConnectProxy {
	readonly address: string;
	/** `host:port` of every tunnel asked for, and whole addresses of unencrypted requests. */
	readonly asked: readonly string[];
	/** `Proxy-Authorization` of every tunnel that carried one. */
	readonly credentials: readonly string[];
	close(): Promise<void>;
}

/** `targets`: host → port on this computer; every other host gets 502. */
export async function startConnectProxy(
	targets: Readonly<Record<string, number>> = {},
): Promise<ConnectProxy> {
	const asked: string[] = [];
	const credentials: string[] = [];
	const open = new Set<Duplex>();
	const keep = (socket: Duplex) => {
		open.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => open.delete(socket));
	};
	const server = createServer((request, response) => {
		asked.push(request.url ?? '');
		response.writeHead(502).end();
	});
	server.on('connection', keep);
	server.on('connect', (request: IncomingMessage, near: Duplex, head: Buffer) => {
		asked.push(request.url ?? '');
		const shown = request.headers['proxy-authorization'];
		if (shown) credentials.push(shown);
		const port = targets[(request.url ?? '').split(':')[0] ?? ''];
		if (port === undefined) {
			near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
			return;
		}
		const far = connect(port, '127.0.0.1', () => {
			near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			far.write(head);
			far.pipe(near);
			near.pipe(far);
		});
		keep(far);
		far.on('close', () => near.destroy());
		near.on('close', () => far.destroy());
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		credentials,
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}
