import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { AS_HEARD, COMMAND_LIMIT } from '#shared/protocol/limits.ts';
import { REST_ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { createGlossaryApi, createGlossaryStore } from './api/glossaries.ts';
import { createRestServer } from './api/server.ts';
import { createSessionApi, createSessionStore, type SessionStore } from './api/sessions.ts';
import { createUploads } from './api/uploads.ts';
import { createVoiceApi, createVoiceStore } from './api/voices.ts';
import { createFaults, type FaultSet, type Faults, isFaultName } from './faults.ts';
import { createInterpreter } from './interpreter/interpreter.ts';
import type { Interpreter, InterpreterTransport } from './interpreter/transport.ts';
import type { LocalInterpreter } from './local/local-interpreter.ts';
import { createLivekitRooms } from './room/livekit-rooms.ts';
import { createRooms, type Rooms, type RoomsParts } from './room/room.ts';
import {
	type Connection,
	type Endpoint,
	openConnection,
	type Refusal,
	refusedOnPurpose,
	refuseUpgrade,
} from './sockets/connection.ts';
import { serveSpeechToSpeech } from './sockets/speech-to-speech.ts';
import { readTranscription, serveSpeechToText } from './sockets/speech-to-text.ts';
import { serveTextToSpeech } from './sockets/text-to-speech.ts';
import { createSynthesizer, type Synthesizer } from './speech/synthesizer.ts';
import type { Timbre } from './speech/timbre.ts';
import { createSystemClock } from './system-clock.ts';

/** Larger frames close the connection with 1009. */
const FRAME_MAX = 2 * 1024 * 1024;

/** Close reason for a deleted session (protocol 4.7). */
const DELETED = 'session deleted';

export interface SandboxOptions {
	/** Default 127.0.0.1. */
	readonly host?: string;
	/** Default 0: any free port. */
	readonly port?: number;
	/** Default: a fresh random key. */
	readonly key?: string;
	/** Generation of the service to imitate (protocol 4.4). Default current. */
	readonly generation?: 'current' | 'older';
	/** Generation of LiveKit that the room imitates. Default current. */
	readonly livekit?: 'current' | 'older';
	/** Default script. `local` really interprets, through its sockets. */
	readonly interpreter?: 'script' | 'echo' | 'local';
	/** Folder of the models for `local`. */
	readonly models?: string | undefined;
	/** For measurements: wraps each conversation's interpreter and may answer in its place. */
	readonly interpose?: ((interpreter: Interpreter, port: InterpreterTransport) => Interpreter) | undefined;
	/** Faults switched on for everyone; a key `K+NAME` switches one on for a single caller. */
	readonly faults?: readonly string[];
	/**
	 * Address of the rooms for clients if it differs from the address where we listen, as behind a TLS proxy.
	 */
	readonly publicWebrtc?: string | undefined;
	/** A real LiveKit deployment that hosts the rooms instead of our own server. */
	readonly liveKit?:
		| { readonly url: string; readonly key: string; readonly secret: string; readonly joinsLater?: boolean }
		| undefined;
}

/** The contents of the first line of output. */
export interface SandboxAddresses {
	readonly api: string;
	readonly key: string;
	readonly voice_token: string;
	readonly s2s: string;
	readonly stt: string;
	readonly tts: string;
	readonly webrtc: string;
	/** The name of a file of the local interpreter that was refused, because it is not the published one. */
	readonly damaged?: string;
}

export interface Sandbox {
	readonly addresses: SandboxAddresses;
	/** Sessions currently open, for tests: those that a bill would count. */
	openSessions(): readonly { readonly id: string; readonly createdAt: number; readonly connected: boolean }[];
	/** How many sessions were created and deleted in total. */
	counts(): { readonly created: number; readonly deleted: number; readonly requests: number };
	/** Switches a fault on or off for everyone while the sandbox runs. */
	setFault(name: string, on: boolean): void;
	close(): Promise<void>;
}

/**
 * Starts the service on this computer; rejects if the port is in use or a fault is unknown.
 * The caller must `close` it.
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

	const local = options.interpreter === 'local' ? await openLocal(options.models ?? 'models', clock) : null;
	const synthesizer = createSynthesizer(local?.speak);
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
				kind: options.interpreter === 'echo' ? 'echo' : 'script',
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
				createEngine:
					local && carrier === 'socket'
						? (ports) => local.createEngine(ports, glossaryStore, synthesizer)
						: undefined,
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
		local,
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
		clock,
		scope,
		accounts,
		faults,
		sessions,
		voices,
		glossaries,
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
		const ended = local?.close();
		store.close();
		const closed = new Promise((done) => server.close(done));
		await rooms.closeAll();
		server.closeAllConnections();
		await Promise.all([closed, ended]);
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
			...(local?.damaged && { damaged: local.damaged }),
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

/** Imports the module here, because its libraries are large and only this interpreter needs them. */
async function openLocal(folder: string, clock: Clock): Promise<LocalInterpreter> {
	const { createLocalInterpreter } = await import('./local/local-interpreter.ts');
	return createLocalInterpreter(folder, clock);
}

/** Looks up the room's faults by name and session; an unknown name counts as off. */
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

type Product = 's2s' | 'stt' | 'tts';

interface Request {
	readonly product: Product;
	readonly path: string;
	readonly query: URLSearchParams;
}

type Sockets = ReturnType<typeof createSockets>;

/** The three WebSocket endpoints (protocol 5). */
function createSockets(parts: {
	readonly clock: Clock;
	readonly accounts: Accounts;
	readonly faults: Faults;
	readonly store: SessionStore;
	/** The caller must close it. */
	readonly synthesizer: Synthesizer;
	readonly timbreOf: (voiceId: string) => Timbre | null;
	/** Returns [0, 1). */
	readonly random: () => number;
	readonly local: LocalInterpreter | null;
	readonly generation: 'current' | 'older';
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	/** An address of another origin with no server, for `upgrade-301`. */
	elsewhere(path: string): string;
}) {
	const { clock, random, synthesizer, timbreOf } = parts;
	const admission = createAdmission(parts);
	const server = new WebSocketServer({ noServer: true, maxPayload: FRAME_MAX, clientTracking: false });
	const all = new Set<WebSocket>();
	/** Connections kept open in the middle of their upgrade. */
	const hanging = new Set<Duplex>();
	const connections = new Map<Connection, string>();
	/** Identities with a transcription in progress: one at a time (protocol 2.3). */
	const transcribed = new Set<string>();

	/** The fault of a request, checked before a session is created for it. */
	function refusal({ product, path, query }: Request, visitor: Visitor | null): Refusal | null {
		// Speech to text answers 401, the other products 403 (protocol 2.3).
		if (!visitor)
			return { status: product === 'stt' ? 401 : 403, detail: 'The credential is missing or not known' };
		const purposely = refusedOnPurpose(visitor.faults, parts.elsewhere(path));
		if (purposely || product !== 'stt') return purposely;
		const asked = readTranscription(query);
		if (!asked.ok) return { status: 400, detail: asked.error };
		if (transcribed.has(visitor.identity) && !parts.local)
			return { status: 409, detail: 'A session of this identity is active' };
		return null;
	}

	function endpointOf(
		product: Product,
		connection: Connection,
		own: { query: URLSearchParams; faults: FaultSet; admitted: Admitted },
	): Endpoint {
		const { generation, local } = parts;
		const asHeard = local !== null && own.query.get('pace') === AS_HEARD.query.pace;
		const common = {
			connection,
			clock,
			faults: own.faults,
			synthesizer,
			timbreOf,
			random,
			generation,
			asHeard,
			isHere: local !== null,
		};
		if (product === 'tts') return serveTextToSpeech({ ...common, translate: local?.translate });
		if (product === 's2s') {
			const { sessionId } = own.admitted;
			return serveSpeechToSpeech({
				...common,
				createInterpreter: (port) => parts.createInterpreter(port, sessionId),
			});
		}
		const asked = readTranscription(own.query);
		if (!asked.ok) throw new Error('checked before the upgrade');
		return serveSpeechToText({
			...common,
			settings: asked.value,
			createTranscriber: local?.createTranscriber,
		});
	}

	function accept(ws: WebSocket, request: Request, visitor: Visitor, admitted: Admitted): void {
		all.add(ws);
		ws.once('close', () => all.delete(ws));
		if (!admission.count(visitor) || visitor.faults.take('bare-1008')) {
			ws.on('error', () => {});
			admitted.leave();
			ws.close(1008, 'too many connections');
			return;
		}
		const { product, query } = request;
		const connection = openConnection({
			ws,
			clock,
			faults: visitor.faults,
			serve: (opened) => endpointOf(product, opened, { query, faults: visitor.faults, admitted }),
			leaving: admitted.leave,
			over() {
				connections.delete(connection);
			},
		});
		connections.set(connection, admitted.sessionId);
	}

	return {
		/** Accepts an upgrade request; false if the path is not ours. */
		upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean {
			const request = readRequest(req.url ?? '');
			if (!request) return false;
			// A client may leave in the middle of a request; that is not an error of ours.
			socket.on('error', () => {});
			const visitor = admission.visitor(req, request.query);
			const refused = refusal(request, visitor);
			if (refused || !visitor) {
				refuseUpgrade(socket, request.path, refused ?? { status: 403, detail: 'Not known' });
				return true;
			}
			if (visitor.faults.take('upgrade-hang')) {
				hanging.add(socket);
				socket.once('close', () => hanging.delete(socket));
				return true;
			}
			const admitted = admission.enter(visitor);
			if ('status' in admitted) {
				refuseUpgrade(socket, request.path, admitted);
				return true;
			}
			if (request.product === 'stt') transcribed.add(visitor.identity);
			// The session is in use until the connection ends, whether or not the upgrade succeeds.
			socket.once('close', () => {
				admitted.leave();
				if (request.product === 'stt') transcribed.delete(visitor.identity);
			});
			server.handleUpgrade(req, socket, head, (ws) => accept(ws, request, visitor, admitted));
			return true;
		},
		closeSession(sessionId: string): void {
			for (const [connection, session] of connections)
				if (session === sessionId) connection.close(1000, DELETED);
		},
		close(): void {
			for (const socket of hanging) socket.destroy();
			for (const ws of all) ws.terminate();
			server.close();
		},
	};
}

function readRequest(url: string): Request | null {
	const [path = '', query = ''] = url.split('?', 2);
	const product = productOf(path);
	return product && { product, path, query: new URLSearchParams(query) };
}

/** Speech to speech may have any single segment before it, or none (protocol 2.1). */
function productOf(path: string): Product | null {
	if (/^\/streaming-api\/(?:[^/]+\/)?v1\/speech-to-speech\/stream$/.test(path)) return 's2s';
	if (path === '/asr/v1/speech-to-text/stream') return 'stt';
	return path === '/tts-api/v1/text-to-speech/stream' ? 'tts' : null;
}

/** The client that requests a socket. */
interface Visitor {
	/** The identity for counting connections: the key, or the session of the token. */
	readonly identity: string;
	readonly faults: FaultSet;
	/** The session of a publisher token; null for an API key, which gets its own session. */
	readonly sessionId: string | null;
}

/** A session in use by one connection. */
interface Admitted {
	readonly sessionId: string;
	/** Leaves the session; deletes one created for the connection (protocol 3.7). Can be called again. */
	leave(): void;
}

function createAdmission(parts: {
	clock: Clock;
	accounts: Accounts;
	faults: Faults;
	store: SessionStore;
	/** This computer has no plan: sessions are not counted. */
	local: LocalInterpreter | null;
}) {
	const { clock, accounts, faults, store } = parts;
	const opened = new Map<string, readonly number[]>();
	/** Number of connections of each session: with at least one it counts as connected. */
	const present = new Map<string, number>();

	function byToken(token: string): Visitor | null {
		const claims = readToken(accounts, token);
		if (!claims || !store.get(claims.sessionId)) return null;
		const { sessionId } = claims;
		return { identity: sessionId, faults: faults.of(sessionId), sessionId };
	}

	function move(sessionId: string, by: 1 | -1): void {
		const now = (present.get(sessionId) ?? 0) + by;
		if (now > 0) present.set(sessionId, now);
		else present.delete(sessionId);
		store.presence(sessionId, now > 0);
	}

	return {
		/** Authenticates by API key or publisher token in query or header (protocol 2.2); null if neither is valid. */
		visitor(req: IncomingMessage, query: URLSearchParams): Visitor | null {
			const bearer = /^Bearer\s+(\S+)\s*$/i.exec(req.headers.authorization ?? '')?.[1];
			const sent = bearer ?? query.get('token') ?? '';
			const caller = accounts.caller(sent);
			if (caller === null) return byToken(sent);
			return { identity: caller, faults: faults.of(caller), sessionId: null };
		},
		/** Counts a connection; false if it exceeds the limit per minute (protocol 4.4). */
		count({ identity }: Visitor): boolean {
			const now = clock.now();
			const recent = (opened.get(identity) ?? []).filter((at) => now - at < COMMAND_LIMIT.sockets.windowMs);
			if (recent.length >= COMMAND_LIMIT.sockets.count && !parts.local) return false;
			opened.set(identity, [...recent, now]);
			return true;
		},
		enter(visitor: Visitor): Admitted | Refusal {
			const made =
				visitor.sessionId === null ? store.create({ intent: 'api', faults: visitor.faults }) : null;
			if (made && !made.ok) {
				const detail = 'The number of parallel sessions of this plan is used up';
				return { status: 403, detail, errorCode: REST_ERROR_CODE.sessionLimit };
			}
			const sessionId = made ? made.value.id : (visitor.sessionId ?? '');
			if (made) faults.share(sessionId, visitor.identity);
			move(sessionId, 1);
			let here = true;
			return {
				sessionId,
				leave() {
					if (!here) return;
					here = false;
					move(sessionId, -1);
					if (made) store.remove(sessionId);
				},
			};
		},
	};
}

/** Text that only looks like a token may be unreadable. */
function readToken(accounts: Accounts, token: string) {
	try {
		return accounts.readToken(token);
	} catch {
		return null;
	}
}
