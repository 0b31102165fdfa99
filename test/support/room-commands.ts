import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import type { BrowserCommand } from 'vitest/node';
import {
	findLivekitServer,
	type LivekitServer,
	type LivekitVersion,
	startLivekitServer,
} from './livekit-server.ts';
import { notRun } from './not-run.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** What a browser test needs to join a room of a real server. */
export interface RoomAccess {
	readonly webrtcUrl: string;
	/** Token of the participant. */
	readonly publisher: string;
}

/** Through a line of its own, which `livekitLine` breaks and mends by the room's name. */
export interface RoomAccessWish {
	readonly room: string;
	readonly identity: string;
	/** Default true. */
	readonly canPublish?: boolean;
}

/** Running servers, one per version, shared by the tests of a run and ended with it. */
const servers = new Map<LivekitVersion, Promise<LivekitServer | null>>();
/** By room. */
const lines = new Map<string, TcpProxy>();

function serverOf(version: LivekitVersion): Promise<LivekitServer | null> {
	let server = servers.get(version);
	if (!server) {
		server = findLivekitServer(version).then((path) => (path ? startLivekitServer(path) : null));
		servers.set(version, server);
	}
	return server;
}

async function required(version: LivekitVersion): Promise<LivekitServer> {
	const server = await serverOf(version);
	if (!server) throw new Error(`no LiveKit server ${version} on this machine`);
	return server;
}

/** Whether there is such a server here; if not, the run's list says that `what` was left out. */
const livekitThere: BrowserCommand<[version: LivekitVersion, what: string]> = async (
	_context,
	version,
	what,
) => {
	if (await serverOf(version)) return true;
	notRun(what, `no LiveKit server ${version}`);
	return false;
};

const livekitAccess: BrowserCommand<[version: LivekitVersion, wish: RoomAccessWish]> = async (
	_context,
	version,
	wish,
): Promise<RoomAccess> => {
	const server = await required(version);
	const line = lines.get(wish.room) ?? (await startTcpProxy(server.port));
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

/** The signalling of one room: `cut` ends its connections once, the others say what becomes of new ones. */
const livekitLine: BrowserCommand<[room: string, what: 'cut' | 'pass' | 'stall' | 'refuse']> = (
	_context,
	room,
	what,
) => {
	const line = lines.get(room);
	if (!line) throw new Error(`no line to ${room}`);
	if (what === 'cut') line.cut();
	else line.set(what);
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

/** Frees what nobody holds any more in the page, so that what is left is what leaks. */
const collectGarbage: BrowserCommand<[]> = async (context) => {
	const session = await context.context.newCDPSession(context.page);
	await session.send('HeapProfiler.collectGarbage');
	await session.detach();
};

export const roomCommands = {
	livekitThere,
	livekitAccess,
	livekitLine,
	livekitRoom,
	livekitPresent,
	collectGarbage,
};

export interface PresentParticipant {
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
		livekitThere(version: LivekitVersion, what: string): Promise<boolean>;
		livekitAccess(version: LivekitVersion, wish: RoomAccessWish): Promise<RoomAccess>;
		livekitLine(room: string, what: 'cut' | 'pass' | 'stall' | 'refuse'): Promise<void>;
		livekitRoom(version: LivekitVersion, room: string, what: 'delete' | { remove: string }): Promise<void>;
		livekitPresent(version: LivekitVersion, room: string): Promise<readonly PresentParticipant[]>;
		collectGarbage(): Promise<void>;
	}
}
