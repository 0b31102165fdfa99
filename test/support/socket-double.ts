import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** A minimal WebSocket server, to send and see exactly what a test is about. */
export interface SocketDouble {
	/** `ws://127.0.0.1:PORT/{hash}/stream` */
	readonly address: string;
	/** Every upgrade that was asked for. */
	readonly asked: readonly { readonly url: string; readonly authorization: string | undefined }[];
	/** Text frames of all clients, parsed. */
	readonly heard: readonly { readonly message_type?: string; readonly data?: Record<string, unknown> }[];
	readonly open: ReadonlySet<WebSocket>;
	say(message: object): void;
	close(): Promise<void>;
}

export interface SocketDoubleOptions {
	/** An HTTP answer instead of the upgrade, whole; null = let it in; `hang` = never answer. */
	readonly refuse?: (req: IncomingMessage) => string | null | 'hang';
	readonly serve?: (ws: WebSocket, count: number) => void;
	readonly autoPong?: boolean;
}

export async function startSocketDouble(options: SocketDoubleOptions = {}): Promise<SocketDouble> {
	const asked: { url: string; authorization: string | undefined }[] = [];
	const heard: object[] = [];
	const open = new Set<WebSocket>();
	const raw = new Set<Duplex>();
	const server = createServer((_req, res) => res.writeHead(404).end());
	const sockets = new WebSocketServer({ noServer: true, autoPong: options.autoPong ?? true });
	let count = 0;
	server.on('upgrade', (req, socket, head) => {
		asked.push({ url: req.url ?? '', authorization: req.headers.authorization });
		raw.add(socket);
		socket.on('error', () => {});
		socket.once('close', () => raw.delete(socket));
		const refusal = options.refuse?.(req) ?? null;
		if (refusal === 'hang') return;
		if (refusal !== null) {
			socket.end(refusal);
			return;
		}
		sockets.handleUpgrade(req, socket, head, (ws) => {
			count += 1;
			open.add(ws);
			ws.on('error', () => {});
			ws.once('close', () => open.delete(ws));
			ws.on('message', (data: Buffer) => {
				try {
					heard.push(JSON.parse(data.toString('utf8')));
				} catch {
					heard.push({ bytes: data.length });
				}
			});
			options.serve?.(ws, count);
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const { port } = server.address() as AddressInfo;
	return {
		address: `ws://127.0.0.1:${port}/{hash}/stream`,
		asked,
		heard,
		open,
		say(message) {
			for (const ws of open) ws.send(JSON.stringify(message));
		},
		async close() {
			for (const socket of raw) socket.destroy();
			sockets.close();
			await new Promise((done) => server.close(done));
		},
	};
}

/** A whole HTTP answer. */
export function httpAnswer(
	status: number,
	body: object | string = '',
	headers: readonly string[] = [],
): string {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const lines = [
		`HTTP/1.1 ${status} Refused`,
		'Connection: close',
		`Content-Length: ${Buffer.byteLength(text)}`,
		...headers,
	];
	return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
