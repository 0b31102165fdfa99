import { randomBytes } from 'node:crypto';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import { createLivekitAgent, type LivekitAgent } from './livekit-agent.ts';
import { createPacer } from './pacer.ts';
import type { Rooms } from './rooms.ts';

/** Rooms on a real LiveKit deployment: it carries the media, the translator joins it as an agent. */
export interface LivekitRooms extends Rooms {
	/** The deployment's address: a session's `webrtc_url`. */
	readonly url: string;
	/** A publisher's token for one room, good for `ttlS` seconds. */
	tokenFor(room: string, identity: string, sessionId: string, ttlS: number): Promise<string>;
}

export interface LivekitRoomsParts {
	/** LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET. */
	readonly url: string;
	readonly key: string;
	readonly secret: string;
	/** A session is answered before its translator is in the room: joining takes some 80 ms, which no measurement should wait for. */
	readonly joinsLater?: boolean | undefined;
	readonly clock: Clock;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	readonly log?: Logger | undefined;
}

interface Open {
	readonly agent: LivekitAgent;
	readonly sessionId: string;
	connected: boolean;
}

/** The translator's own token: renewed by the server while it is connected. */
const AGENT_TOKEN_S = 6 * 3600;

/**
 * Needs the packages `livekit-server-sdk`, `@livekit/rtc-node` and `opus-decoder`: `open` and
 * `tokenFor` reject with a sentence that names the missing one.
 */
export function createLivekitRooms(parts: LivekitRoomsParts): LivekitRooms {
	const { clock, key, secret, url, log = silentLogger } = parts;
	const pacer = createPacer(clock);
	const rooms = new Map<string, Open>();
	let presence: (sessionId: string, connected: boolean) => void = () => {};

	async function token(
		room: string,
		identity: string,
		ttlS: number,
		kind: 'standard' | 'agent',
		name: string,
	) {
		const { AccessToken } = await load('livekit-server-sdk', () => import('livekit-server-sdk'));
		const made = new AccessToken(key, secret, { identity, name, ttl: ttlS });
		if (kind === 'agent') made.kind = kind;
		made.addGrant({ room, roomJoin: true, canPublish: true, canSubscribe: true, canPublishData: true });
		return made.toJwt();
	}

	async function deleteRoom(room: string): Promise<void> {
		const { RoomServiceClient } = await load('livekit-server-sdk', () => import('livekit-server-sdk'));
		await new RoomServiceClient(url.replace(/^ws/, 'http'), key, secret).deleteRoom(room);
	}

	async function close(name: string): Promise<void> {
		const open = rooms.get(name);
		if (!open) return;
		rooms.delete(name);
		// The room first, so that the client is told ROOM_DELETED and not that the translator left.
		await deleteRoom(name).catch((cause) => log.warn('room: could not be deleted', { cause: String(cause) }));
		await open.agent.close();
		if (open.connected) presence(open.sessionId, false);
	}

	return {
		url,
		tokenFor: (room, identity, _sessionId, ttlS) => token(room, identity, ttlS, 'standard', identity),
		request: () => false,
		upgrade: () => false,
		async open(name, sessionId) {
			await close(name);
			// Unless this is set, the package writes debug lines to standard output, which is ours.
			process.env.NODE_ENV ??= 'production';
			const rtc = await load('@livekit/rtc-node', () => import('@livekit/rtc-node'));
			const { OpusDecoder } = await load('opus-decoder', () => import('opus-decoder'));
			const agent = createLivekitAgent({
				rtc,
				decoder: () => new OpusDecoder({ channels: 1 }),
				clock,
				log,
				pacer,
				sessionId,
				createInterpreter: parts.createInterpreter,
				presence(others) {
					const open = rooms.get(name);
					if (open?.agent !== agent || open.connected === others > 0) return;
					open.connected = others > 0;
					presence(sessionId, open.connected);
				},
				end: () => void close(name),
			});
			rooms.set(name, { agent, sessionId, connected: false });
			const identity = `palabra_translator_${randomBytes(6).toString('hex')}`;
			const join = async () => {
				try {
					await agent.join(url, await token(name, identity, AGENT_TOKEN_S, 'agent', identity));
				} catch (cause) {
					rooms.delete(name);
					await agent.close();
					throw new Error('the LiveKit deployment does not let the translator in', { cause });
				}
			};
			if (!parts.joinsLater) return join();
			void join().catch((cause) => log.warn('room: no translator', { cause: String(cause) }));
		},
		close,
		onPresence(heard) {
			presence = heard;
		},
		async closeAll() {
			await Promise.all([...rooms.keys()].map(close));
			pacer.close();
		},
	};
}

/** These packages are not part of the app: a sandbox on a real deployment needs them installed. */
async function load<Module>(name: string, get: () => Promise<Module>): Promise<Module> {
	try {
		return await get();
	} catch (cause) {
		throw new Error(`a sandbox on a LiveKit deployment needs the npm package ${name}`, { cause });
	}
}
