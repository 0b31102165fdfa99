import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { createLivekitRooms } from '#sandbox/room/livekit-rooms.ts';
import { createRooms, type RoomsParts } from '#sandbox/room/room.ts';
import { createSystemClock } from '#sandbox/system-clock.ts';
import { type LivekitVersion, startLivekitServer } from './livekit-server.ts';

/** An interpreter that writes down what it was told, and says what the test says. */
interface Recorder {
	readonly port: InterpreterTransport;
	readonly commands: string[];
	/** Every packet heard. */
	readonly levels: { readonly level: number; readonly durationMs: number; readonly atMs: number }[];
	/** The Opus packets themselves. */
	readonly packets: Uint8Array[];
	closed: boolean;
}

export interface RoomServer {
	/** As a session's `webrtc_url`. */
	readonly url: string;
	token(): Promise<string>;
	/** The newest interpreter of the room. */
	recorder(): Recorder;
	readonly presence: boolean[];
	/** Triggers the one-time faults that wait for it (`byHand`). */
	strike(): void;
	closeRoom(): Promise<void>;
	stop(): Promise<void>;
}

/** A delay that nothing else uses, to recognise these timers. */
const BY_HAND_MS = 1_000_000_000;

export const ROOM = 'room-1';
export const SESSION = 'session-1';
export const IDENTITY = 'publisher-1';

/** An interpreter factory that remembers what it made, newest last. */
function createRecorders() {
	const made: Recorder[] = [];
	return {
		newest(): Recorder {
			const last = made.at(-1);
			if (!last) throw new Error('no interpreter was made');
			return last;
		},
		count: () => made.length,
		create(port: InterpreterTransport): Interpreter {
			const recorder: Recorder = { port, commands: [], levels: [], packets: [], closed: false };
			made.push(recorder);
			return {
				command: (text) =>
					recorder.commands.push(typeof text === 'string' ? text : new TextDecoder().decode(text)),
				hear: (level, durationMs) => recorder.levels.push({ level, durationMs, atMs: performance.now() }),
				heardPacket: (payload) => recorder.packets.push(payload),
				close: () => {
					recorder.closed = true;
				},
			};
		},
	};
}

/** The sandbox's rooms over HTTP, with one open room. */
export async function startRoomServer(options: {
	livekit: RoomsParts['livekit'];
	faults?: readonly string[];
	/** Faults that would strike some time after a join wait for `strike` instead, until the test is ready. */
	byHand?: boolean;
}): Promise<RoomServer> {
	const faults = new Set(options.faults);
	const clock = createSystemClock();
	const held: (() => void)[] = [];
	const recorders = createRecorders();
	const presence: boolean[] = [];
	const rooms = createRooms({
		livekit: options.livekit,
		clock: {
			...clock,
			after(delayMs, run) {
				if (delayMs < BY_HAND_MS) return clock.after(delayMs, run);
				held.push(run);
				return () => void held.splice(held.indexOf(run) >>> 0, 1);
			},
		},
		faults: {
			has: (name) => faults.has(name),
			number: (_name, otherwise) => (options.byHand ? BY_HAND_MS : Math.min(otherwise, 1500)),
		},
		verifyToken: readUnsigned,
		createInterpreter: recorders.create,
	});
	rooms.onPresence((_session, connected) => presence.push(connected));
	const server = createServer((request, response) => {
		if (!rooms.request(request, response)) response.writeHead(404).end();
	});
	server.on('upgrade', (request, socket, head) => {
		if (!rooms.upgrade(request, socket, head)) socket.destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await rooms.open(ROOM, SESSION);
	return {
		url: `ws://127.0.0.1:${port}/livekit/`,
		token: async () => unsignedToken({ sub: IDENTITY, room: ROOM, session: SESSION }),
		recorder: recorders.newest,
		presence,
		strike() {
			if (held.length === 0) throw new Error('nothing waits to happen');
			for (const run of held.splice(0)) run();
		},
		closeRoom: () => rooms.close(ROOM),
		async stop() {
			await rooms.closeAll();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** livekit-client only decodes a token, so tests of the room need no signature. */
export function unsignedToken(claims: { sub: string; room: string; session: string }): string {
	const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
	return `${part({ alg: 'none' })}.${part({ ...claims, exp: 4_000_000_000 })}.x`;
}

function readUnsigned(token: string): { room: string; identity: string; sessionId: string } | null {
	try {
		const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
		if (typeof claims !== 'object' || claims === null) return null;
		const { sub, room, session } = claims as Record<string, unknown>;
		if (typeof sub !== 'string' || typeof room !== 'string' || typeof session !== 'string') return null;
		return { room, identity: sub, sessionId: session };
	} catch {
		return null;
	}
}

/** A real LiveKit server with the sandbox's translator in one room of it, or why there is none. */
export async function startLivekitRoomServer(
	version: LivekitVersion,
): Promise<RoomServer | { missing: string }> {
	const server = await startLivekitServer(version);
	if ('missing' in server) return server;
	const room = `room-${randomBytes(4).toString('hex')}`;
	const recorders = createRecorders();
	const presence: boolean[] = [];
	const rooms = createLivekitRooms({
		...server,
		clock: createSystemClock(),
		createInterpreter: recorders.create,
	});
	rooms.onPresence((_session, connected) => presence.push(connected));
	await rooms.open(room, SESSION);
	return {
		url: rooms.url,
		token: () => rooms.tokenFor(room, IDENTITY, SESSION, 600),
		recorder: recorders.newest,
		presence,
		strike() {
			throw new Error('a real server has no faults to strike');
		},
		closeRoom: () => rooms.close(room),
		async stop() {
			await rooms.closeAll();
			await server.stop();
		},
	};
}
