import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createScope } from '#shared/lib/scope.ts';
import { createAccounts } from './accounts.ts';
import { createRestServer } from './api/server.ts';
import { createSessionApi } from './api/sessions.ts';
import { createFaults, type Faults, isFaultName } from './faults.ts';
import { createGlossaryApi } from './glossaries/glossary-api.ts';
import { createGlossaryStore } from './glossaries/glossary-store.ts';
import { createInterpreter } from './interpreter/interpreter.ts';
import type { Interpreter, InterpreterTransport } from './interpreter/transport.ts';
import { createLivekitRooms } from './room/livekit-rooms.ts';
import { createRooms, type Rooms, type RoomsParts } from './room/rooms.ts';
import { createSessionStore } from './session-store.ts';
import { createSockets, type Sockets } from './sockets/sockets.ts';
import { createSynthesizer } from './speech/synthesizer.ts';
import { createSystemClock } from './system-clock.ts';
import { createUploads } from './voices/uploads.ts';
import { createVoiceApi } from './voices/voice-api.ts';
import { createVoiceStore } from './voices/voice-store.ts';

/** How the sandbox behaves. */
export interface SandboxOptions {
	/** Default 127.0.0.1. */
	readonly host?: string;
	/** Default 0: any free port. */
	readonly port?: number;
	/** Default: a fresh random key. */
	readonly key?: string;
	/** Which generation of the service to be (protocol 4.4). Default current. */
	readonly generation?: 'current' | 'older';
	/** Which generation of LiveKit the room behaves like. Default current. */
	readonly livekit?: 'current' | 'older';
	/** Default script. */
	readonly interpreter?: 'script' | 'echo';
	/** For measurements: sits in front of each conversation's interpreter and may answer in its place. */
	readonly interpose?: ((interpreter: Interpreter, port: InterpreterTransport) => Interpreter) | undefined;
	/** Faults switched on for everyone; a key `K+NAME` switches one for one caller. */
	readonly faults?: readonly string[];
	/** Where clients find the rooms when it is not where we listen, as behind a TLS front. */
	readonly publicWebrtc?: string | undefined;
	/** A real LiveKit deployment that carries the rooms in place of our own server. */
	readonly liveKit?:
		| { readonly url: string; readonly key: string; readonly secret: string; readonly joinsLater?: boolean }
		| undefined;
}

/** What the first line of output says. */
export interface SandboxAddresses {
	readonly api: string;
	readonly key: string;
	readonly voice_token: string;
	readonly s2s: string;
	readonly stt: string;
	readonly tts: string;
	readonly webrtc: string;
}

export interface Sandbox {
	readonly addresses: SandboxAddresses;
	/** Sessions open now, for tests: what a bill would count. */
	openSessions(): readonly { readonly id: string; readonly createdAt: number; readonly connected: boolean }[];
	/** How many sessions were ever created and deleted. */
	counts(): { readonly created: number; readonly deleted: number; readonly requests: number };
	/** Switches a fault on or off for everyone while running. */
	setFault(name: string, on: boolean): void;
	close(): Promise<void>;
}

/**
 * Starts the service on this computer; rejects when the port is taken or a fault is unknown. The
 * caller owns it and must `close` it.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const host = options.host ?? '127.0.0.1';
	const clock = createSystemClock();
	const scope = createScope(clock);
	const faults = createFaults();
	for (const fault of options.faults ?? []) must(faults.set(fault, true));
	const accounts = createAccounts({ clock, faults, key: options.key, liveKit: options.liveKit });
	let port = options.port ?? 0;
	let requests = 0;
	const address = (scheme: string, path: string) =>
		`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;

	const roomAddress = () => options.publicWebrtc ?? options.liveKit?.url ?? address('ws', '/livekit/');

	const synthesizer = createSynthesizer();
	const voiceStore = createVoiceStore(clock, scope);
	const glossaryStore = createGlossaryStore(clock);
	const store = createSessionStore({
		clock,
		gone(session) {
			void rooms.close(session.room);
			sockets.closeSession(session.id);
		},
	});
	const makeInterpreter =
		(carrier: 'room' | 'socket') => (transport: InterpreterTransport, sessionId: string) => {
			const interpreter = createInterpreter({
				kind: options.interpreter ?? 'script',
				generation: options.generation ?? 'current',
				clock,
				random: Math.random,
				faults: faults.of(sessionId),
				transport: {
					...transport,
					end(why) {
						store.ended(sessionId);
						transport.end(why);
					},
				},
				timbreOf: voiceStore.timbreOf,
				glossaries: glossaryStore,
				voice(text, language, timbre) {
					const placeholder = faults.of(sessionId).has('placeholder-voice');
					if (carrier === 'socket') return synthesizer.readFrames(text, language, { timbre, placeholder });
					return placeholder ? Promise.resolve(null) : synthesizer.readOpus(text, language, { timbre });
				},
			});
			return options.interpose?.(interpreter, transport) ?? interpreter;
		};
	const rooms: Rooms = options.liveKit
		? createLivekitRooms({ ...options.liveKit, clock, createInterpreter: makeInterpreter('room') })
		: createRooms({
				livekit: options.livekit ?? 'current',
				clock,
				faults: roomFaults(faults),
				verifyToken(token) {
					const claims = accounts.readToken(token);
					return claims && store.get(claims.sessionId) ? claims : null;
				},
				createInterpreter: makeInterpreter('room'),
			});
	const sockets: Sockets = createSockets({
		clock,
		accounts,
		faults,
		store,
		synthesizer,
		timbreOf: voiceStore.timbreOf,
		random: Math.random,
		generation: options.generation ?? 'current',
		createInterpreter: makeInterpreter('socket'),
		elsewhere: (path) => `ws://localhost:${port}/elsewhere${path}`,
	});
	rooms.onPresence((sessionId, connected) => store.presence(sessionId, connected));

	const sessions = createSessionApi({
		store,
		async open(session, caller) {
			faults.share(session.id, caller);
			await rooms.open(session.room, session.id);
			const claims = { room: session.room, identity: `user_${session.number}`, sessionId: session.id };
			const own = faults.of(caller);
			let webrtcUrl = roomAddress();
			if (own.has('bad-webrtc-url')) webrtcUrl = 'ws://127.0.0.1:1/livekit/';
			if (own.has('private-webrtc-url')) webrtcUrl = 'ws://10.11.12.13:7880/livekit/';
			return { publisher: accounts.publisherToken(claims), webrtcUrl };
		},
	});
	const uploads = createUploads({ clock, scope, store: voiceStore, address: () => address('http', '') });
	const voices = createVoiceApi({ store: voiceStore, uploads });
	const glossaries = createGlossaryApi(glossaryStore);
	const rest = createRestServer({
		...{ clock, scope, accounts, faults, sessions, voices, glossaries },
		port: () => port,
	});

	const server = createServer((req, res) => {
		if (isRoomPath(req.url) && rooms.request(req, res)) return;
		if (uploads.handle(req, res)) return;
		requests += 1;
		rest.handle(req, res).catch(() => res.destroy());
	});
	server.on('upgrade', (req, socket, head) => {
		if (isRoomPath(req.url) && rooms.upgrade(req, socket, head)) return;
		if (!sockets.upgrade(req, socket, head))
			socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
	});
	let closing: Promise<void> | undefined;
	async function shut(): Promise<void> {
		scope.close();
		sockets.close();
		synthesizer.close();
		store.close();
		const closed = new Promise((done) => server.close(done));
		await rooms.closeAll();
		server.closeAllConnections();
		await closed;
	}

	try {
		await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done));
	} catch (failure) {
		await shut();
		throw failure;
	}
	port = (server.address() as AddressInfo).port;

	return {
		addresses: {
			api: address('http', ''),
			key: accounts.key,
			voice_token: accounts.voiceToken,
			s2s: address('ws', '/streaming-api/{hash}/v1/speech-to-speech/stream'),
			stt: address('ws', '/asr/v1/speech-to-text/stream'),
			tts: address('ws', '/tts-api/v1/text-to-speech/stream'),
			webrtc: roomAddress(),
		},
		openSessions: () => store.list().map(({ id, createdAt, connected }) => ({ id, createdAt, connected })),
		counts: () => ({ ...store.counts(), requests }),
		setFault: (name, on) => must(faults.set(name, on)),
		close() {
			closing ??= shut();
			return closing;
		},
	};
}

/** The room asks by name and session; a name that is in no table is off. */
function roomFaults(faults: Faults): RoomsParts['faults'] {
	const of = (sessionId: string | undefined) => (sessionId === undefined ? faults : faults.of(sessionId));
	return {
		has: (name, sessionId) => isFaultName(name) && of(sessionId).has(name),
		number: (name, otherwise, sessionId) =>
			isFaultName(name) ? of(sessionId).number(name, otherwise) : otherwise,
	};
}

function isRoomPath(url: string | undefined): boolean {
	return /^\/livekit(?:[/?]|$)/.test(url ?? '');
}

function must(result: { readonly ok: true } | { readonly ok: false; readonly error: string }): void {
	if (!result.ok) throw new Error(result.error);
}
