import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy between a program and the service that sees every call and can strike at each of its moments. */
export interface Front {
	readonly base: string;
	/** A program begins. `strike` is called at each moment of each of its calls, in order, and waited for. */
	begin(strike: () => Promise<void> | void): void;
	/** Ids in the answers to creates, in the order in which the service made them. */
	created(): readonly string[];
	/** Ids that were asked to be deleted or extended and were made for somebody else. */
	trespasses(): readonly string[];
	/** Resolves when every call that the program, dead by now, has sent is done. */
	settled(): Promise<void>;
	close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/**
 * Each call has four moments: it arrived; the service has acted and nothing of its answer is sent; half of the answer
 * is sent; all of it. What arrived is done even if its sender is dead by then, as on a real network.
 */
export async function startFront(service: string): Promise<Front> {
	let strike: () => Promise<void> | void = () => {};
	const created: string[] = [];
	const trespasses: string[] = [];

	const running = new Set<Promise<void>>();
	const connections = new Set<Socket>();
	let earlier: ReadonlySet<Socket> = connections;

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		// The sender may disappear at any moment.
		response.on('error', () => {});
		const { method = 'GET', url = '/', headers } = request;
		const body = await bodyOf(request);
		const id = decodeURIComponent(/\/sessions\/([^/?]+)/.exec(url)?.[1] ?? '');
		if (method !== 'GET' && id !== '' && !created.includes(id)) trespasses.push(id);
		await strike();
		const { authorization = '', 'content-type': type = 'application/json' } = headers;
		const answer = await fetch(service + url, {
			method,
			headers: { authorization, 'content-type': type },
			...(body.length > 0 && { body: new Uint8Array(body) }),
		});
		const text = Buffer.from(await answer.arrayBuffer());
		if (method === 'POST' && url.endsWith('/session') && answer.ok)
			created.push(JSON.parse(text.toString()).data.id);
		await strike();
		for (const name of ['content-type', 'date', 'retry-after']) {
			const value = answer.headers.get(name);
			if (value !== null) response.setHeader(name, value);
		}
		if (text.length > 0) response.setHeader('content-length', text.length);
		response.writeHead(answer.status);
		const half = text.subarray(0, text.length / 2);
		await new Promise<void>((done) => response.write(half, () => done()));
		await strike();
		response.end(text.subarray(half.length));
		await strike();
	}

	const server = createServer((request, response) => {
		// A call that broke off while being sent was never made.
		const done = handle(request, response)
			.catch(() => void response.destroy())
			.finally(() => void running.delete(done));
		running.add(done);
	});
	server.on('connection', (one) => {
		connections.add(one);
		one.once('close', () => connections.delete(one));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		begin(heard) {
			strike = heard;
			earlier = new Set(connections);
		},
		created: () => created,
		trespasses: () => trespasses,
		async settled() {
			// Connections come in order: when this one is there, all before it are.
			const last = connect((server.address() as AddressInfo).port, '127.0.0.1');
			await once(last, 'connect');
			const isMine = (one: Socket) => one.remotePort === last.localPort;
			// Another may still come before it.
			while (![...connections].some(isMine)) await once(server, 'connection');
			const others = [...connections].filter((one) => !isMine(one) && !one.closed && !earlier.has(one));
			await Promise.all(others.map((one) => new Promise((done) => one.once('close', done))));
			last.destroy();
			await Promise.all(running);
		},
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}
