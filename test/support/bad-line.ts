import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a long, lossy path does to TCP: nothing is lost, everything is late, and now and then everything waits. */
export interface BadLineOptions {
	/** One way, ms. */
	readonly delayMs: number;
	/** Added to that, at most, ms. */
	readonly jitterMs: number;
	/** Chance, 0 to 1, that a packet is lost and what follows waits for its retransmission. */
	readonly loss: number;
	/** Length of such a wait, ms. */
	readonly repeatMs: number;
}

export interface BadLine {
	readonly port: number;
	/** Packets that had to be repeated so far. */
	readonly repeated: number;
	close(): Promise<void>;
}

/** Payload of an Ethernet frame. */
const PACKET_BYTES = 1400;

/** A line to a port of this computer; the same random sequence in every run. */
export async function startBadLine(targetPort: number, options: BadLineOptions): Promise<BadLine> {
	const { delayMs, jitterMs, loss, repeatMs } = options;
	const open = new Set<Socket>();
	const timers = new Set<NodeJS.Timeout>();
	let repeated = 0;
	let state = 1;
	const random = () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647;
	};

	function carry(from: Socket, to: Socket): void {
		/** Nothing overtakes what was sent before it. */
		let dueMs = 0;
		const later = (run: () => void) => {
			const timer = setTimeout(
				() => {
					timers.delete(timer);
					run();
				},
				Math.max(0, dueMs - performance.now()),
			);
			timers.add(timer);
		};
		from.on('data', (chunk: Buffer) => {
			for (let at = 0; at < chunk.length; at += PACKET_BYTES) {
				const isLost = random() < loss;
				if (isLost) repeated += 1;
				const wayMs = delayMs + random() * jitterMs + (isLost ? repeatMs : 0);
				dueMs = Math.max(dueMs, performance.now() + wayMs);
			}
			later(() => to.write(chunk));
		});
		from.on('end', () => later(() => to.end()));
		from.on('error', () => from.destroy());
		from.on('close', () => {
			open.delete(from);
			later(() => to.destroy());
		});
		open.add(from);
	}

	const server = createServer((near) => {
		const far = connect(targetPort, '127.0.0.1');
		carry(near, far);
		carry(far, near);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		port: (server.address() as AddressInfo).port,
		get repeated() {
			return repeated;
		},
		async close() {
			for (const timer of timers) clearTimeout(timer);
			for (const socket of open) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}
