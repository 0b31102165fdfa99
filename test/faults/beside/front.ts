import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A request that came, preflights left out. */
export interface Asked {
	readonly method: string;
	readonly path: string;
	/** `performance.now()`. */
	readonly atMs: number;
}

/** A proxy in front of the service: sees every request, and can disappear. */
export interface Front {
	readonly address: string;
	readonly asked: readonly Asked[];
	/** Bytes of bodies that went to the client. */
	readonly givenBytes: number;
	/** Redirects every create to another server from now on; tells whether the key came along. */
	redirect(): Promise<{ sawKey(): boolean }>;
	/** Nobody listens any more, until `back`. */
	gone(): Promise<void>;
	back(): Promise<void>;
	close(): Promise<void>;
}

const CORS = {
	'access-control-allow-origin': '*',
	'access-control-allow-headers': 'authorization, content-type',
	'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
};

/** In front of `service`, an http address of this computer. */
export async function openFront(service: string, key: string): Promise<Front> {
	const target = Number(new URL(service).port);
	const asked: Asked[] = [];
	const ends: (() => Promise<unknown>)[] = [];
	let givenBytes = 0;
	let elsewhere: string | null = null;

	function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const { method = 'GET', url: path = '/' } = incoming;
		if (method !== 'OPTIONS') asked.push({ method, path, atMs: performance.now() });
		if (elsewhere && method === 'POST') {
			outgoing.writeHead(307, { ...CORS, location: `${elsewhere}${path}` }).end();
			return;
		}
		const onward = request(
			{ host: '127.0.0.1', port: target, method, path, headers: incoming.headers },
			(answered) => {
				outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
				// The headers must not wait for a body that comes late.
				outgoing.flushHeaders();
				answered.on('data', (chunk: Buffer) => {
					givenBytes += chunk.length;
				});
				answered.on('aborted', () => outgoing.destroy());
				answered.pipe(outgoing);
			},
		);
		onward.on('error', () => outgoing.destroy());
		outgoing.on('close', () => onward.destroy());
		incoming.pipe(onward);
	}

	const server = createServer(answer);
	// Sockets go straight through.
	server.on('upgrade', (incoming, near, head) => {
		const far = connect(target, '127.0.0.1');
		const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
		for (let at = 0; at < incoming.rawHeaders.length; at += 2)
			lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
		far.write(`${lines.join('\r\n')}\r\n\r\n`);
		if (head.length > 0) far.write(head);
		for (const end of [near, far])
			end.on('error', () => {
				near.destroy();
				far.destroy();
			});
		near.pipe(far).pipe(near);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const { port } = server.address() as AddressInfo;
	const shut = () => {
		const closed = new Promise<void>((done) => server.close(() => done()));
		server.closeAllConnections();
		return closed;
	};
	ends.push(shut);
	return {
		address: `http://127.0.0.1:${port}`,
		asked,
		get givenBytes() {
			return givenBytes;
		},
		async redirect() {
			let seen = false;
			const other = createServer((incoming, outgoing) => {
				seen ||= JSON.stringify(incoming.headers).includes(key);
				outgoing.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end('{}');
			});
			await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
			ends.push(async () => {
				other.closeAllConnections();
				other.close();
			});
			elsewhere = `http://localhost:${(other.address() as AddressInfo).port}`;
			return { sawKey: () => seen };
		},
		gone: shut,
		back: () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done)),
		async close() {
			for (const end of ends) await end().catch(() => {});
		},
	};
}
