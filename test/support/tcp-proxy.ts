import { connect, createServer, type Socket } from 'node:net';

/**
 * `pass`: as if not there. `stall`: takes connections and never answers. `refuse`: hangs up at once.
 * `not-found`: a web server that answers everything with 404.
 */
export type LineMode = 'pass' | 'stall' | 'refuse' | 'not-found';

const NOT_FOUND =
	'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n';

/** Stands between a client and a server on loopback, to break the line between them. */
export interface TcpProxy {
	readonly port: number;
	/** Ends every connection; new ones pass. */
	cut(): void;
	set(mode: LineMode): void;
	/** Connections taken so far. */
	readonly connections: number;
	close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
	const sockets = new Set<Socket>();
	let mode: LineMode = 'pass';
	let connections = 0;

	function keep(socket: Socket): void {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	}

	const server = createServer((near) => {
		keep(near);
		connections += 1;
		if (mode === 'refuse') near.destroy();
		if (mode === 'not-found') near.on('data', () => near.end(NOT_FOUND));
		if (mode !== 'pass') return;
		const far = connect(targetPort, '127.0.0.1');
		keep(far);
		near.pipe(far).pipe(near);
		near.on('close', () => far.destroy());
		far.on('close', () => near.destroy());
	});
	server.unref();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	return {
		port: address.port,
		get connections() {
			return connections;
		},
		cut,
		set: (next) => {
			mode = next;
		},
		close() {
			cut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
