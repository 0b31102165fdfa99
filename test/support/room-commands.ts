import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import type { BrowserCommand } from 'vitest/node';
import { type LivekitServer, type LivekitVersion, startLivekitServer } from './livekit-server.ts';
import { notRun } from './not-run.ts';
import { type LineMode, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** What a browser test needs to join a room of a real server. */
export interface RoomAccess {
	readonly webrtcUrl: string;
	/** Token of the participant. */
	readonly publisher: string;
}

/** Connects through a proxy of its own, which `livekitLine` breaks and restores by the room's name. */
export interface RoomAccessWish {
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
		livekitStart(version: LivekitVersion, what: string): Promise<boolean>;
		livekitStop(version: LivekitVersion): Promise<void>;
		livekitAccess(version: LivekitVersion, wish: RoomAccessWish): Promise<RoomAccess>;
		livekitLine(room: string, what: 'cut' | LineMode): Promise<number>;
		livekitRoom(version: LivekitVersion, room: string, what: 'delete' | { remove: string }): Promise<void>;
		livekitPresent(version: LivekitVersion, room: string): Promise<readonly PresentParticipant[]>;
		collectGarbage(): Promise<void>;
	}
}
