import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Accounts } from '#sandbox/accounts.ts';
import type { FaultSet, Faults } from '#sandbox/faults.ts';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { SessionStore } from '#sandbox/session-store.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Admitted, createAdmission, type Visitor } from './admission.ts';
import { type Connection, type Endpoint, openConnection } from './connection.ts';
import { type Refusal, refusedOnPurpose, refuseUpgrade } from './refuse.ts';
import { serveSpeechToSpeech } from './speech-to-speech.ts';
import { readTranscription, serveSpeechToText } from './speech-to-text.ts';
import { serveTextToSpeech } from './text-to-speech.ts';

/** Larger frames end the connection with 1009. */
const FRAME_MAX = 2 * 1024 * 1024;
/** Close reason for a deleted session (protocol 4.7). */
const DELETED = 'session deleted';

export type Product = 's2s' | 'stt' | 'tts';

/** The three WebSocket endpoints (protocol 5). */
export interface Sockets {
	/** Takes an upgrade request; false when the path is none of ours. */
	upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
	/** Closes what runs on that session, which no longer exists. */
	closeSession(sessionId: string): void;
	/** Ends all connections at once. */
	close(): void;
}

export interface SocketsParts {
	readonly clock: Clock;
	readonly accounts: Accounts;
	readonly faults: Faults;
	readonly store: SessionStore;
	/** The caller closes it. */
	readonly synthesizer: Synthesizer;
	/** Null: there is no such voice. */
	readonly timbreOf: (voiceId: string) => Timbre | null;
	/** Gives [0, 1). */
	readonly random: () => number;
	readonly generation: 'current' | 'older';
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	/** An address of another origin that leads nowhere, for `upgrade-301`. */
	elsewhere(path: string): string;
}

interface Request {
	readonly product: Product;
	readonly path: string;
	readonly query: URLSearchParams;
}

export function createSockets(parts: SocketsParts): Sockets {
	const { clock, random, synthesizer, timbreOf } = parts;
	const admission = createAdmission(parts);
	const server = new WebSocketServer({ noServer: true, maxPayload: FRAME_MAX, clientTracking: false });
	const all = new Set<WebSocket>();
	/** Connections left hanging in the middle of their upgrade. */
	const hanging = new Set<Duplex>();
	const connections = new Map<Connection, string>();
	/** Who is being transcribed: one at a time (protocol 2.3). */
	const transcribed = new Set<string>();

	/** What is wrong with a request, checked before a session is spent on it. */
	function refusal({ product, path, query }: Request, visitor: Visitor | null): Refusal | null {
		// Speech to text says 401, the others 403 (protocol 2.3).
		if (!visitor)
			return { status: product === 'stt' ? 401 : 403, detail: 'The credential is missing or not known' };
		const purposely = refusedOnPurpose(visitor.faults, parts.elsewhere(path));
		if (purposely || product !== 'stt') return purposely;
		const asked = readTranscription(query);
		if (!asked.ok) return { status: 400, detail: asked.error };
		if (transcribed.has(visitor.identity))
			return { status: 409, detail: 'A session of this identity is active' };
		return null;
	}

	function endpointOf(
		product: Product,
		connection: Connection,
		own: { query: URLSearchParams; faults: FaultSet; admitted: Admitted },
	): Endpoint {
		const { generation } = parts;
		const common = { connection, clock, faults: own.faults, synthesizer, timbreOf, random, generation };
		if (product === 'tts') return serveTextToSpeech(common);
		if (product === 's2s') {
			const { sessionId } = own.admitted;
			return serveSpeechToSpeech({
				...common,
				createInterpreter: (port) => parts.createInterpreter(port, sessionId),
			});
		}
		const asked = readTranscription(own.query);
		if (!asked.ok) throw new Error('checked before the upgrade');
		return serveSpeechToText({ ...common, settings: asked.value });
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
		upgrade(req, socket, head) {
			const request = readRequest(req.url ?? '');
			if (!request) return false;
			// A client that leaves in the middle is no fault of ours.
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
			// Whether or not the upgrade succeeds, the session use ends with the connection.
			socket.once('close', () => {
				admitted.leave();
				if (request.product === 'stt') transcribed.delete(visitor.identity);
			});
			server.handleUpgrade(req, socket, head, (ws) => accept(ws, request, visitor, admitted));
			return true;
		},
		closeSession(sessionId) {
			for (const [connection, session] of connections)
				if (session === sessionId) connection.close(1000, DELETED);
		},
		close() {
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

/** Speech to speech has any one segment before it, or none (protocol 2.1). */
function productOf(path: string): Product | null {
	if (/^\/streaming-api\/(?:[^/]+\/)?v1\/speech-to-speech\/stream$/.test(path)) return 's2s';
	if (path === '/asr/v1/speech-to-text/stream') return 'stt';
	return path === '/tts-api/v1/text-to-speech/stream' ? 'tts' : null;
}
