import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server on loopback, to break the line between them. */
export interface TcpProxy {
	readonly port: number;
	/** Ends every connection; new ones pass. */
	cut(): void;
	/** `pass`: as if not there. `stall`: takes connections and never answers. `refuse`: hangs up at once. */
	set(mode: 'pass' | 'stall' | 'refuse'): void;
	close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
	const sockets = new Set<Socket>();
	let mode: 'pass' | 'stall' | 'refuse' = 'pass';

	function keep(socket: Socket): void {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	}

	const server = createServer((near) => {
		keep(near);
		if (mode === 'refuse') near.destroy();
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
