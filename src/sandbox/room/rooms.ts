import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import { generationOf, type LivekitGeneration } from './generation.ts';
import { createPacer } from './pacer.ts';
import { createRoom, type Room } from './room.ts';
import { createSignalLink, type JoinOptions, MAX_SIGNAL_BYTES, readJoinOptions, readPath } from './signal.ts';

/** The WebRTC side of the sandbox: one LiveKit-compatible room per session. */
export interface Rooms {
	/** Answers what a LiveKit server answers over plain HTTP; false when the path is not one of its. */
	request(request: IncomingMessage, response: ServerResponse): boolean;
	/** Takes a signalling socket; false when the path is not one of its. */
	upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
	/** Makes a room for a session; the translator is in it before this resolves (unless a fault keeps it out). */
	open(room: string, sessionId: string): Promise<void>;
	/** Disconnects everybody with ROOM_DELETED; afterwards its tokens find no room. Harmless when there is none. */
	close(room: string): Promise<void>;
	/** Told when the first client of a session is there, and when the last one is gone. One listener. */
	onPresence(heard: (sessionId: string, connected: boolean) => void): void;
	closeAll(): Promise<void>;
}

export interface RoomsParts {
	readonly livekit: LivekitGeneration;
	readonly clock: Clock;
	readonly faults: {
		has(name: string, sessionId?: string): boolean;
		/** The number a fault was given, else `otherwise`. Without it faults use their own numbers. */
		number?(name: string, otherwise: number, sessionId?: string): number;
	};
	/** Null for a token that is not ours, has expired, or is no token. */
	verifyToken(token: string): { room: string; identity: string; sessionId: string } | null;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	readonly log?: Logger | undefined;
}

interface Refusal {
	readonly status: 400 | 401 | 404;
	readonly text: string;
}

type Admission =
	| { readonly ok: true; readonly room: Room; readonly identity: string; readonly options: JoinOptions }
	| { readonly ok: false; readonly refusal: Refusal };

/** The page is of another origin than the room: without this the browser hides the status. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
const NOT_FOUND: Refusal = { status: 404, text: '404 page not found' };

export function createRooms(parts: RoomsParts): Rooms {
	const { clock, faults, log = silentLogger } = parts;
	const generation = generationOf(parts.livekit);
	const pacer = createPacer(clock);
	const rooms = new Map<string, Room>();
	const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_SIGNAL_BYTES });
	let presence: (sessionId: string, connected: boolean) => void = () => {};

	function admission(request: IncomingMessage): Admission {
		const options = readJoinOptions(request);
		if (options?.path === 'rtc/v1' && !generation.singlePeer) return refuse(NOT_FOUND);
		if (!options) return refuse({ status: 400, text: 'invalid join request' });
		const claims = parts.verifyToken(options.token);
		if (!claims) return refuse({ status: 401, text: 'invalid authorization token' });
		if (faults.has('room-refuse', claims.sessionId))
			return refuse({ status: 401, text: 'permission denied' });
		const room = rooms.get(claims.room);
		if (!room) return refuse({ status: 404, text: 'requested room does not exist' });
		return { ok: true, room, identity: claims.identity, options };
	}

	function close(name: string): void {
		const room = rooms.get(name);
		rooms.delete(name);
		room?.close();
	}

	return {
		request(request, response) {
			const { pathname } = new URL(request.url ?? '/', 'http://room');
			const target = readPath(pathname);
			if (!target) {
				// livekit-client's prepareConnection asks for the room's own address.
				if (!/^\/livekit\/?$/.test(pathname)) return false;
				response.writeHead(200, CORS).end('OK');
				return true;
			}
			if (request.method === 'OPTIONS') {
				response.writeHead(204, CORS).end();
				return true;
			}
			const admitted = target.validate ? admission(request) : refuse(NOT_FOUND);
			if (admitted.ok) response.writeHead(200, CORS).end('success');
			else response.writeHead(admitted.refusal.status, CORS).end(admitted.refusal.text);
			return true;
		},
		upgrade(request, socket, head) {
			const target = readPath(new URL(request.url ?? '/', 'http://room').pathname);
			if (!target) return false;
			const admitted = target.validate ? refuse(NOT_FOUND) : admission(request);
			if (!admitted.ok) {
				endRefused(socket, admitted.refusal);
				return true;
			}
			sockets.handleUpgrade(request, socket, head, (webSocket) => {
				let place: ReturnType<Room['admit']> | null = null;
				const link = createSignalLink(webSocket, {
					request: (message) => place?.request(message),
					ended: () => place?.ended(),
					malformed: () => log.debug('room: a signal that cannot be read'),
				});
				place = admitted.room.admit(admitted.identity, admitted.options, link);
			});
			return true;
		},
		async open(name, sessionId) {
			close(name);
			rooms.set(
				name,
				createRoom({
					name,
					sessionId,
					clock,
					log,
					generation,
					pacer,
					fault: (fault) => faults.has(fault, sessionId),
					faultNumber: (fault, otherwise) => faults.number?.(fault, otherwise, sessionId) ?? otherwise,
					createInterpreter: parts.createInterpreter,
					presence: (connected) => presence(sessionId, connected),
					ended: () => close(name),
				}),
			);
		},
		async close(name) {
			close(name);
		},
		onPresence(heard) {
			presence = heard;
		},
		async closeAll() {
			for (const name of [...rooms.keys()]) close(name);
			pacer.close();
			sockets.close();
			for (const client of sockets.clients) client.terminate();
		},
	};
}

function refuse(refusal: Refusal): Admission {
	return { ok: false, refusal };
}

function endRefused(socket: Duplex, { status, text }: Refusal): void {
	socket.on('error', () => {});
	socket.end(
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
	);
}
