import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { decodeFrame, encodeFrame } from './port-frames.ts';
import { strict } from './strict.ts';
import { noteFrame } from './traffic.ts';

/** Ends given to a page that has not fetched them yet, by the last part of their address. */
const shipped = new Map<string, StandInPort>();
const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 16 * 1024 * 1024 });

/** One end of a channel. Given to a page it becomes the near end of a socket; nothing is lost meanwhile. */
export class StandInPort extends EventEmitter {
	#peer: StandInPort | null = null;
	#socket: WebSocket | null = null;
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
		// Encoded here in any case: what cannot cross must fail at once.
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

	/** The page has come for it. */
	connect(socket: WebSocket): void {
		if (this.#closed) {
			socket.close();
			return;
		}
		this.#socket = socket;
		socket.on('message', (data: Buffer) => {
			// A copy of its own, aligned for typed arrays.
			const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
			this.#peer?.receive(decodeFrame(bytes));
		});
		socket.on('close', () => this.close());
		socket.on('error', () => {});
		for (const frame of this.#toSocket.splice(0)) socket.send(frame);
	}

	/** For the other end alone. */
	takeFrame(frame: Uint8Array<ArrayBuffer>): void {
		if (this.#shipped) noteFrame(frame);
		if (!this.#shipped) this.receive(decodeFrame(frame.buffer));
		else if (this.#socket) this.#socket.send(frame);
		else this.#toSocket.push(frame);
	}

	/** For the other end alone. */
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

/** Where a page finds a port: one connection, an unguessable name. False when no port has that name. */
export function upgradeToPort(name: string, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
	const port = shipped.get(name);
	if (!port) return false;
	shipped.delete(name);
	server.handleUpgrade(request, socket, head, (opened) => port.connect(opened));
	return true;
}
