import type { WebSocket } from 'ws';
import type { FaultSet } from '#sandbox/faults.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { misbehave } from './misbehave.ts';

/** One accepted connection as its endpoint sees it. */
export interface Connection {
	readonly open: boolean;
	/** One message as JSON; nothing once the connection is closed. */
	say(message: object): void;
	/** A text frame as it is. */
	raw(text: string): void;
	/** The client sent its first audio or text: faults that wait for work begin. Harmless twice. */
	working(): void;
	close(code: number, reason: string): void;
}

/** What an endpoint does with a connection. */
export interface Endpoint {
	/** One frame; a text frame, too, comes as bytes. */
	receive(frame: Buffer, options: { binary: boolean }): void;
	/** The connection is gone, whoever ended it. Called once. */
	gone(): void;
}

/** A client with more unread than this is given up, bytes. */
const UNREAD_MAX = 64_000_000;
/** A client that does not finish closing is dropped after this. */
const CLOSE_MS = 2000;

/**
 * Owns the socket from here on. `leaving` is called before the service says goodbye, so that whatever the
 * client held is free by the time it hears; `over` once the socket is gone and the endpoint knows.
 */
export function openConnection(parts: {
	ws: WebSocket;
	clock: Clock;
	faults: FaultSet;
	serve: (connection: Connection) => Endpoint;
	leaving: () => void;
	over: () => void;
}): Connection {
	const { ws, clock, faults } = parts;
	const scope = createScope(clock);
	let working = false;
	let closing = false;

	function close(code: number, reason: string): void {
		if (ws.readyState !== ws.OPEN || closing) return;
		closing = true;
		parts.leaving();
		// Not owned by the scope: that ends with the connection, and this timer must not.
		const cancel = clock.after(CLOSE_MS, () => ws.terminate());
		ws.once('close', cancel);
		ws.close(code, reason);
	}

	function send(data: string): void {
		if (ws.readyState !== ws.OPEN) return;
		if (ws.bufferedAmount > UNREAD_MAX) {
			ws.terminate();
			return;
		}
		ws.send(faults.has('binary-frames') ? Buffer.from(data) : data);
	}

	const connection: Connection = {
		get open() {
			return ws.readyState === ws.OPEN;
		},
		say: (message) => send(JSON.stringify(message)),
		raw: send,
		working() {
			if (working) return;
			working = true;
			misbehave({ ws, scope, faults, close, send });
		},
		close,
	};
	const endpoint = parts.serve(connection);
	ws.on('message', (data, binary) => {
		if (ws.readyState === ws.OPEN) endpoint.receive(bytesOf(data), { binary });
	});
	// An error is followed by a close.
	ws.on('error', () => {});
	ws.once('close', () => {
		scope.close();
		endpoint.gone();
		parts.over();
	});
	return connection;
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
	if (Array.isArray(data)) return Buffer.concat(data);
	return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** Strict UTF-8, or null. */
export function textOf(frame: Buffer): string | null {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(frame);
	} catch {
		return null;
	}
}
