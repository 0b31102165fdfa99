import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { refusal } from '#sandbox/api/answers.ts';
import type { FaultName, FaultSet } from '#sandbox/faults.ts';
import { warning } from '#sandbox/interpreter/messages.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';

/** Delay of faults after the first audio or text, ms, so that some data can be lost. */
const AFTER_MS = 2000;

const HALF_OPEN_MAX_MS = 60_000;

const WARN_PERIOD_MS = 2000;

const GARBAGE_PERIOD_MS = 300;

/** A slow reader alternates between reading and pausing: about 5 kB per second. */
const SLOW = { readMs: 40, restMs: 1960 };

/** More text than any client should accept. */
const HUGE_CHARACTERS = 50_000_000;

/** Close codes that have a fault `close-CODE`. */
export const CLOSE_CODES = [
	1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 4000, 4001, 4003, 4999,
] as const;

const warnings = [
	['warn-too-fast', WARNING_CODE.tooFast],
	['warn-too-slow', WARNING_CODE.tooSlow],
	['warn-stalled', WARNING_CODE.stalled],
] as const satisfies readonly (readonly [FaultName, string])[];

const GARBAGE: readonly string[] = [
	'',
	'{"message_type":',
	'[]',
	'null',
	'7',
	'"text"',
	'{"__proto__":{"message_type":"error"}}',
	'{"message_type":"output_audio_data","data":{"data":5,"language":null}}',
	'{"message_type":"audio_chunk","data":{"audio":{},"last_chunk":"no"}}',
	'{"message_type":"transcription","segment":null}',
	'['.repeat(100_000),
];

/** One accepted connection as seen by its endpoint. */
export interface Connection {
	readonly open: boolean;
	/** Sends one message as JSON; does nothing once the connection is closed. */
	say(message: object): void;
	/** Sends a text frame unchanged. */
	raw(text: string): void;
	/**
	 * The client sent its first audio or text: starts faults that waited for it. Calling it again is harmless.
	 */
	working(): void;
	close(code: number, reason: string): void;
}

export interface Endpoint {
	/** Handles one frame; text frames are passed as bytes, too. */
	receive(frame: Buffer, options: { binary: boolean }): void;
	/** The connection has ended, from either side. Called once. */
	gone(): void;
}

/** A client with more unread data than this is disconnected, bytes. */
const UNREAD_MAX = 64_000_000;
/** A client that does not finish closing within this time is disconnected, ms. */
const CLOSE_MS = 2000;

/**
 * Owns the socket from now on. `leaving` is called before the service sends its goodbye, so that the client's
 * resources are free when it receives the goodbye; `over` is called once the socket is closed and the endpoint
 * informed.
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
		// Not owned by the scope: the scope ends with the connection, but this timer must continue.
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
	// A close follows every error.
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

/** Starts the faults of a connection once it carries audio or text, until `scope` ends. */
function misbehave(parts: {
	ws: WebSocket;
	scope: Scope;
	faults: FaultSet;
	close: (code: number, reason: string) => void;
	send: (text: string) => void;
}): void {
	const { ws, scope, faults, close, send } = parts;
	if (faults.take('socket-1006')) scope.after(AFTER_MS, () => ws.terminate());
	for (const code of CLOSE_CODES) {
		if (faults.take(`close-${code}`)) scope.after(AFTER_MS, () => close(code, 'on purpose'));
	}
	if (faults.take('half-open')) {
		scope.after(AFTER_MS, () => ws.pause());
		// No event would report that the client has left.
		scope.after(HALF_OPEN_MAX_MS, () => ws.terminate());
	}
	// The library calls this to answer a close.
	if (faults.has('no-close')) ws.close = () => {};
	if (faults.has('slow-reader')) readSlowly(ws, scope);
	if (faults.take('huge-frame')) {
		scope.after(AFTER_MS, () => send(`{"message_type":"huge","data":"${'x'.repeat(HUGE_CHARACTERS)}"}`));
	}
	for (const [fault, code] of warnings) {
		if (faults.has(fault))
			scope.every(WARN_PERIOD_MS, () => send(JSON.stringify(warning(code, 'On purpose'))));
	}
	if (faults.has('garbage-frames')) {
		let turn = 0;
		scope.every(GARBAGE_PERIOD_MS, () => {
			send(GARBAGE[turn % GARBAGE.length] ?? '');
			turn += 1;
		});
	}
}

function readSlowly(ws: WebSocket, scope: Scope): void {
	const rest = () => {
		ws.pause();
		scope.after(SLOW.restMs, () => {
			ws.resume();
			scope.after(SLOW.readMs, rest);
		});
	};
	rest();
}

const PHRASES: Readonly<Record<number, string>> = {
	301: 'Moved Permanently',
	400: 'Bad Request',
	401: 'Unauthorized',
	402: 'Payment Required',
	403: 'Forbidden',
	404: 'Not Found',
	409: 'Conflict',
	429: 'Too Many Requests',
	503: 'Service Unavailable',
};

/** The reason for refusing an upgrade. */
export interface Refusal {
	readonly status: number;
	readonly detail: string;
	readonly errorCode?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Answers an upgrade with a status and the REST error envelope, and ends the connection. */
export function refuseUpgrade(socket: Duplex, path: string, refused: Refusal): void {
	const { status, detail, errorCode, headers = {} } = refused;
	const answer = refusal(status, detail, path, errorCode === undefined ? {} : { errorCode });
	const body = Buffer.from(JSON.stringify(answer.body));
	const all = {
		'Content-Type': 'application/json',
		'Content-Length': String(body.length),
		Connection: 'close',
		...headers,
	};
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
	const head = [`HTTP/1.1 ${status} ${PHRASES[status] ?? 'Refused'}`, ...lines, '', ''].join('\r\n');
	socket.end(Buffer.concat([Buffer.from(head), body]));
}

/** The refusal that a fault requests, or null. `elsewhere` is an address of another origin. */
export function refusedOnPurpose(faults: FaultSet, elsewhere: string): Refusal | null {
	const detail = 'Refused on purpose';
	for (const status of [400, 401, 402, 403, 404, 409, 429, 503] as const) {
		if (faults.take(`upgrade-${status}`)) {
			return { status, detail, headers: status === 429 || status === 503 ? { 'Retry-After': '1' } : {} };
		}
	}
	if (faults.take('upgrade-301')) return { status: 301, detail, headers: { Location: elsewhere } };
	return null;
}
