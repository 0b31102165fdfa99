import { connect, createServer, type Socket } from 'node:net';
import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import type { BrowserCommand } from 'vitest/node';
import { type LivekitServer, type LivekitVersion, startLivekitServer } from './livekit-server.ts';
import { notRun } from './not-run.ts';
import { type RoomServer, startRoomServer } from './room-server.ts';

/** The data that a browser test needs to join a room of a real server. */
interface RoomAccess {
	readonly webrtcUrl: string;
	/** Token of the participant. */
	readonly publisher: string;
}

/** Connects through a proxy of its own, which `livekitLine` breaks and restores by the room's name. */
interface RoomAccessWish {
	readonly room: string;
	readonly identity: string;
	/** Default true. */
	readonly canPublish?: boolean;
}

/** Running servers, one per version, shared by the test files that asked for it. */
const servers = new Map<
	LivekitVersion,
	{ readonly start: ReturnType<typeof startLivekitServer>; users: number }
>();
/** Proxies by room. */
const lines = new Map<string, TcpProxy>();

async function required(version: LivekitVersion): Promise<LivekitServer> {
	const server = await servers.get(version)?.start;
	if (!server || 'missing' in server)
		throw new Error(`no LiveKit server ${version}: ask \`livekitStart\` first`);
	return server;
}

/**
 * Whether there is such a server here; if not, the run's list says that `what` was left out. Each
 * call that answered true is paired with a `livekitStop`.
 */
const livekitStart: BrowserCommand<[version: LivekitVersion, what: string]> = async (
	_context,
	version,
	what,
) => {
	const running = servers.get(version) ?? { start: startLivekitServer(version), users: 0 };
	servers.set(version, running);
	running.users += 1;
	const server = await running.start;
	if (!('missing' in server)) return true;
	notRun(what, server.missing);
	return false;
};

const livekitStop: BrowserCommand<[version: LivekitVersion]> = async (_context, version) => {
	const running = servers.get(version);
	if (!running) return;
	running.users -= 1;
	if (running.users > 0) return;
	servers.delete(version);
	const server = await running.start;
	if (!('missing' in server)) await server.stop();
};

const livekitAccess: BrowserCommand<[version: LivekitVersion, wish: RoomAccessWish]> = async (
	_context,
	version,
	wish,
): Promise<RoomAccess> => {
	const server = await required(version);
	const line = lines.get(wish.room) ?? (await startTcpProxy(Number(new URL(server.url).port)));
	lines.set(wish.room, line);
	const token = new AccessToken(server.key, server.secret, { identity: wish.identity, ttl: '10m' });
	token.addGrant({
		room: wish.room,
		roomJoin: true,
		roomCreate: true,
		canPublish: wish.canPublish ?? true,
		canSubscribe: true,
		canPublishData: true,
	});
	return { webrtcUrl: `ws://127.0.0.1:${line.port}`, publisher: await token.toJwt() };
};

/**
 * The signalling of one room: `cut` ends its connections once, the others decide what happens to new ones.
 * Answers how many there have been.
 */
const livekitLine: BrowserCommand<[room: string, what: 'cut' | LineMode]> = (_context, room, what) => {
	const line = lines.get(room);
	if (!line) throw new Error(`no line to ${room}`);
	if (what === 'cut') line.cut();
	else line.set(what);
	return line.connections;
};

const livekitRoom: BrowserCommand<
	[version: LivekitVersion, room: string, what: 'delete' | { remove: string }]
> = async (_context, version, room, what) => {
	const server = await required(version);
	const rooms = new RoomServiceClient(server.url.replace('ws:', 'http:'), server.key, server.secret);
	if (what === 'delete') await rooms.deleteRoom(room);
	else await rooms.removeParticipant(room, what.remove);
};

/** Everybody in the room, by identity, with the names of what they publish. */
const livekitPresent: BrowserCommand<[version: LivekitVersion, room: string]> = async (
	_context,
	version,
	room,
) => {
	const server = await required(version);
	const rooms = new RoomServiceClient(server.url.replace('ws:', 'http:'), server.key, server.secret);
	const present = await rooms.listParticipants(room).catch(() => []);
	return present.map((one) => ({
		identity: one.identity,
		tracks: one.tracks.map((track) => ({
			name: track.name,
			muted: track.muted,
			stereo: track.stereo,
			disableDtx: track.disableDtx,
			disableRed: track.disableRed,
		})),
	}));
};

/** Collects garbage in the page, so that what is left is what leaks. */
const collectGarbage: BrowserCommand<[]> = async (context) => {
	const session = await context.context.newCDPSession(context.page);
	await session.send('HeapProfiler.collectGarbage');
	await session.detach();
};

export const roomCommands = {
	livekitStart,
	livekitStop,
	livekitAccess,
	livekitLine,
	livekitRoom,
	livekitPresent,
	collectGarbage,
};

interface PresentParticipant {
	readonly identity: string;
	readonly tracks: readonly {
		readonly name: string;
		readonly muted: boolean;
		readonly stereo: boolean;
		readonly disableDtx: boolean;
		readonly disableRed: boolean;
	}[];
}

declare module 'vitest/browser' {
	interface BrowserCommands {
		livekitStart(version: LivekitVersion, what: string): Promise<boolean>;
		livekitStop(version: LivekitVersion): Promise<void>;
		livekitAccess(version: LivekitVersion, wish: RoomAccessWish): Promise<RoomAccess>;
		livekitLine(room: string, what: 'cut' | LineMode): Promise<number>;
		livekitRoom(version: LivekitVersion, room: string, what: 'delete' | { remove: string }): Promise<void>;
		livekitPresent(version: LivekitVersion, room: string): Promise<readonly PresentParticipant[]>;
		collectGarbage(): Promise<void>;
	}
}

/** Orders for the far side of a sandbox room. */
type SandboxRoomOrder =
	| { readonly say: object }
	/** Exactly these voices from now on. */
	| { readonly publish: readonly string[] }
	| { readonly line: 'cut' | LineMode }
	/** Closes the client's connection. */
	| { readonly end: true }
	| { readonly stop: true };

interface Running {
	readonly server: RoomServer;
	readonly line: TcpProxy;
}

const rooms = new Map<string, Running>();
let made = 0;

function running(id: string): Running {
	const room = rooms.get(id);
	if (!room) throw new Error(`no sandbox room ${id}`);
	return room;
}

/** A room of the sandbox, behaving like a current or an older LiveKit server. */
const sandboxRoom: BrowserCommand<[livekit: 'current' | 'older']> = async (
	_context,
	livekit,
): Promise<RoomAccess & { id: string }> => {
	const server = await startRoomServer({ livekit });
	const url = new URL(server.url);
	const line = await startTcpProxy(Number(url.port));
	made += 1;
	const id = String(made);
	rooms.set(id, { server, line });
	url.port = String(line.port);
	return { id, webrtcUrl: url.href, publisher: await server.token() };
};

/** Answers the commands that have arrived. */
const sandboxRoomDo: BrowserCommand<[id: string, order?: SandboxRoomOrder]> = async (_context, id, order) => {
	const { server, line } = running(id);
	const recorder = server.recorder();
	if (!order) return recorder.commands;
	if ('say' in order) recorder.port.say(order.say);
	if ('publish' in order) recorder.port.publish(order.publish);
	if ('end' in order) recorder.port.end('done');
	if ('line' in order) {
		if (order.line === 'cut') line.cut();
		else line.set(order.line);
	}
	if ('stop' in order) {
		rooms.delete(id);
		await line.close();
		await server.stop();
	}
	return recorder.commands;
};

export const sandboxRoomCommands = { sandboxRoom, sandboxRoomDo };

declare module 'vitest/browser' {
	interface BrowserCommands {
		sandboxRoom(livekit: 'current' | 'older'): Promise<RoomAccess & { id: string }>;
		sandboxRoomDo(id: string, order?: SandboxRoomOrder): Promise<readonly string[]>;
	}
}

/**
 * `pass`: as if not there. `stall`: takes connections and never answers. `refuse`: hangs up at once.
 * `not-found`: a web server that answers everything with 404.
 */
type LineMode = 'pass' | 'stall' | 'refuse' | 'not-found';

const NOT_FOUND =
	'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n';

/** Stands between a client and a server on loopback, to break the line between them. */
interface TcpProxy {
	readonly port: number;
	/** Ends every connection; new ones pass. */
	cut(): void;
	set(mode: LineMode): void;
	/** Connections taken so far. */
	readonly connections: number;
	close(): Promise<void>;
}

async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
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
