import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
	AudioTrackFeature,
	DataPacket,
	DataPacket_Kind,
	DisconnectReason,
	LeaveRequest_Action,
	ParticipantInfo,
	ParticipantInfo_Kind,
	ParticipantInfo_State,
	ParticipantPermission,
	Room as RoomInfo,
	TrackInfo,
	TrackSource,
	TrackType,
	UserPacket,
} from '@livekit/protocol';
import { WebSocketServer } from 'ws';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import { createListener, type HeardPacket } from './listener.ts';
import { createMember, type Member } from './member.ts';
import {
	createSignalLink,
	type Generation,
	generationOf,
	type JoinOptions,
	type LivekitGeneration,
	MAX_SIGNAL_BYTES,
	newSid,
	type Request,
	readJoinOptions,
	readPath,
	refuseResume,
	type SignalLink,
} from './signal.ts';
import { createPacer, createVoiceTracks, type Pacer, type VoiceTrack } from './voices.ts';

/** Payloads of a data channel that are not messages, repeated in turn. */
const pieces: readonly (() => Uint8Array)[] = [
	() => new Uint8Array(0),
	() => Uint8Array.of(0xff, 0xfe, 0x00, 0x80),
	() => text('not json'),
	() => text('{"message_type":'),
	() => text('null'),
	() => text('[1,2,3]'),
	() => text('"text"'),
	() => text('{"message_type":42,"data":[]}'),
	() => text('{"message_type":"partial_transcription","data":null}'),
	() => text('{"message_type":"never_heard_of","data":{"a":1}}'),
	() => text(JSON.stringify({ message_type: 'error', data: { code: null, desc: 'x'.repeat(10_000) } })),
	() => text('['.repeat(5000) + ']'.repeat(5000)),
];

/** Lower-cased start of the translator's identity (protocol 4.3). */
const IDENTITY_PREFIX = 'palabra_translator_';

/** One session's room: the translator, and the clients with the session's token. */
interface Room {
	/** Admits a client, or restores its membership; returns handlers for its socket's messages and end. */
	admit(
		identity: string,
		options: JoinOptions,
		link: SignalLink,
	): { request(message: Request): void; ended(): void };
	close(): void;
}

/** Delay of faults that need a client with an established connection, ms. */
const FAULT_AFTER_MS = 5000;
/**
 * After this long without a client, the translator forgets its task: a client that returns must set it again.
 */
const FORGET_TASK_MS = 30_000;

function createRoom(parts: {
	readonly name: string;
	readonly sessionId: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly generation: Generation;
	readonly pacer: Pacer;
	fault(name: string): boolean;
	/** The number given with a fault, else `otherwise`. */
	faultNumber(name: string, otherwise: number): number;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	/** The first client has joined, or the last one has left. */
	presence(connected: boolean): void;
	/** The conversation was ended within the room: the owner closes the room. */
	ended(): void;
}): Room {
	const { clock, log, fault } = parts;
	const scope = createScope(clock);
	const members = new Map<string, Member>();
	const struck = new Set<string>();
	const info = new RoomInfo({
		sid: newSid('RM'),
		name: parts.name,
		creationTime: BigInt(Math.floor(clock.wall() / 1000)),
		emptyTimeout: 300,
		departureTimeout: 20,
	});
	let agent: Agent | null = null;
	let connected = false;
	let forgetTask: Cancel = () => {};

	function agentJoins(): void {
		if (scope.closed) return;
		agent = createAgent({
			clock,
			pacer: parts.pacer,
			sessionId: parts.sessionId,
			doubled: () => fault('double-track'),
			createInterpreter: parts.createInterpreter,
			room: {
				changed: tellAboutAgent,
				data: sendToAll,
				end: () => parts.ended(),
			},
		});
		tellAboutAgent();
	}

	function agentLeaves(): void {
		const left = agent?.info(ParticipantInfo_State.DISCONNECTED);
		agent?.close();
		agent = null;
		for (const member of members.values()) {
			member.setVoices('', []);
			if (left) member.update([left]);
		}
	}

	function tellAboutAgent(): void {
		for (const member of members.values()) {
			if (!agent) return;
			member.update([agent.info()]);
			member.setVoices(agent.sid, agent.voices());
		}
	}

	function sendToAll(packet: DataPacket): void {
		for (const member of members.values()) member.send(packet);
	}

	function others(than: Member): ReturnType<Agent['info']>[] {
		const rest = [...members.values()].filter((member) => member !== than).map((member) => member.info());
		return agent ? [agent.info(), ...rest] : rest;
	}

	function noticePresence(): void {
		const now = members.size > 0;
		if (now === connected) return;
		connected = now;
		forgetTask();
		if (!now) {
			forgetTask = scope.after(FORGET_TASK_MS, () => {
				if (!agent) return;
				agentLeaves();
				agentJoins();
			});
		}
		parts.presence(now);
	}

	function join(identity: string, options: JoinOptions, link: SignalLink): Member {
		const older = members.get(identity);
		if (older) {
			older.sendLeave(DisconnectReason.DUPLICATE_IDENTITY, LeaveRequest_Action.DISCONNECT);
			older.close();
		}
		const member: Member = createMember({
			clock,
			log,
			generation: parts.generation,
			identity,
			options,
			link,
			room: {
				heard: (packet) => agent?.heard(packet),
				data: (payload) => agent?.command(payload),
				changed: () => tellOthers(member),
				gone: () => removeMember(member),
				fault,
			},
		});
		members.set(identity, member);
		member.welcome(options, others(member), info);
		if (agent) member.setVoices(agent.sid, agent.voices());
		else member.setVoices('', []);
		tellOthers(member);
		noticePresence();
		strike(member);
		return member;
	}

	function tellOthers(about: Member): void {
		for (const member of members.values()) if (member !== about) member.update([about.info()]);
	}

	function removeMember(member: Member): void {
		if (members.get(member.identity) !== member) return;
		members.delete(member.identity);
		const left = member.info(ParticipantInfo_State.DISCONNECTED);
		for (const other of members.values()) other.update([left]);
		noticePresence();
	}

	function once(name: string): boolean {
		if (struck.has(name) || !fault(name)) return false;
		struck.add(name);
		return true;
	}

	function attach(member: Member): ReturnType<Room['admit']> {
		return { request: (message) => member.request(message), ended: () => member.unlinked() };
	}

	function strike(member: Member): void {
		if (once('agent-leaves')) {
			scope.after(parts.faultNumber('agent-leaves', FAULT_AFTER_MS), agentLeaves);
		}
		if (once('signal-drop')) {
			scope.after(parts.faultNumber('signal-drop', FAULT_AFTER_MS), () => member.dropLink());
		}
		if (once('leave-reconnect')) {
			scope.after(parts.faultNumber('leave-reconnect', FAULT_AFTER_MS), () =>
				member.sendLeave(DisconnectReason.SERVER_SHUTDOWN, LeaveRequest_Action.RECONNECT),
			);
		}
		if (once('data-garbage')) {
			let turn = 0;
			scope.every(200, () => {
				const bytes = garbage(turn++);
				if (bytes) agent?.sendRaw(bytes);
			});
		}
	}

	if (!fault('agent-never')) {
		if (fault('agent-late')) scope.after(parts.faultNumber('agent-late', FAULT_AFTER_MS), agentJoins);
		else agentJoins();
	}

	return {
		admit(identity, options, link) {
			const nobody = { request() {}, ended() {} };
			if (fault('room-hang')) return nobody;
			if (options.reconnect) {
				const old = members.get(identity);
				const same = old && (options.participantSid === '' || options.participantSid === old.sid);
				if (!same || fault('resume-refused')) {
					refuseResume(link);
					return nobody;
				}
				old.resume(link, others(old));
				return attach(old);
			}
			return attach(join(identity, options, link));
		},
		close() {
			if (scope.closed) return;
			for (const member of members.values()) {
				member.sendLeave(DisconnectReason.ROOM_DELETED, LeaveRequest_Action.DISCONNECT);
				member.close();
			}
			members.clear();
			agent?.close();
			agent = null;
			noticePresence();
			scope.close();
		},
	};
}

/** The room as seen by its agent. */
interface AgentRoom {
	/** The agent's tracks changed. */
	changed(): void;
	/** Sends a reliable data message; the room numbers it. */
	data(packet: DataPacket): void;
	/** The conversation is over: disconnect the client. */
	end(): void;
}

type Agent = ReturnType<typeof createAgent>;

/** The translator: the participant that the sandbox itself adds to each room (protocol 4.3). */
function createAgent(parts: {
	clock: Clock;
	pacer: Pacer;
	sessionId: string;
	doubled: () => boolean;
	room: AgentRoom;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
}) {
	const { clock, room, sessionId } = parts;
	const sid = newSid('PA');
	const identity = `${IDENTITY_PREFIX}${sid.slice(3)}`;
	const joinedAtMs = Math.floor(clock.wall());
	const voices = createVoiceTracks(parts.pacer, parts.doubled);
	const encoder = new TextEncoder();
	let version = 1;
	let closed = false;

	function sendRaw(payload: Uint8Array): void {
		if (closed) return;
		const user = new UserPacket({ payload, participantSid: sid, participantIdentity: identity });
		room.data(
			new DataPacket({
				kind: DataPacket_Kind.RELIABLE,
				participantIdentity: identity,
				participantSid: sid,
				value: { case: 'user', value: user },
			}),
		);
	}

	const port: InterpreterTransport = {
		say: (message) => sendRaw(encoder.encode(JSON.stringify(message))),
		publish(languages) {
			if (closed || !voices.set(languages)) return;
			version += 1;
			room.changed();
		},
		speak: (language, speech) => voices.speak(language, speech.packets),
		end: () => room.end(),
	};
	const interpreter = parts.createInterpreter(port, sessionId);
	const listener = createListener(clock, {
		hear: (level, durationMs) => interpreter.hear(level, durationMs),
		heardPacket: (payload) => interpreter.heardPacket?.(payload),
	});

	return {
		sid,
		identity,
		info: (state: ParticipantInfo_State = ParticipantInfo_State.ACTIVE): ParticipantInfo =>
			new ParticipantInfo({
				sid,
				identity,
				name: identity,
				state,
				joinedAt: BigInt(Math.floor(joinedAtMs / 1000)),
				joinedAtMs: BigInt(joinedAtMs),
				version,
				kind: ParticipantInfo_Kind.AGENT,
				isPublisher: voices.all().length > 0,
				permission: new ParticipantPermission({ canPublish: true, canSubscribe: true, canPublishData: true }),
				tracks: voices.all().map(trackInfo),
			}),
		voices: (): readonly VoiceTrack[] => voices.all(),
		/** Handles a data message of a client on any channel. */
		command: (payload: Uint8Array): void => interpreter.command(payload),
		heard: (packet: HeardPacket): void => listener.heard(packet),
		/** Sends unchanged bytes as a data message of the translator. */
		sendRaw,
		close(): void {
			if (closed) return;
			closed = true;
			listener.close();
			interpreter.close();
			voices.close();
		},
	};
}

function trackInfo(voice: VoiceTrack): TrackInfo {
	return new TrackInfo({
		sid: voice.sid,
		type: TrackType.AUDIO,
		name: voice.name,
		source: TrackSource.MICROPHONE,
		mimeType: 'audio/opus',
		disableDtx: true,
		disableRed: true,
		audioFeatures: [AudioTrackFeature.TF_NO_DTX],
		stream: voice.sid,
	});
}

function garbage(turn: number): Uint8Array | undefined {
	return pieces[turn % pieces.length]?.();
}

function text(value: string): Uint8Array {
	return new TextEncoder().encode(value);
}

export interface RoomsParts {
	readonly livekit: LivekitGeneration;
	readonly clock: Clock;
	readonly faults: {
		has(name: string, sessionId?: string): boolean;
		/** The number given with a fault, else `otherwise`. If absent, faults use their own numbers. */
		number?(name: string, otherwise: number, sessionId?: string): number;
	};
	/** Null if the token is foreign, expired or malformed. */
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

/** The page's origin differs from the room's: without these headers the browser hides the status. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
const NOT_FOUND: Refusal = { status: 404, text: '404 page not found' };

export type Rooms = ReturnType<typeof createRooms>;

/** The WebRTC side of the sandbox: one LiveKit-compatible room per session. */
export function createRooms(parts: RoomsParts) {
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
		/** Answers the plain HTTP requests of a LiveKit server; false if the path is not one of these. */
		request(request: IncomingMessage, response: ServerResponse): boolean {
			const { pathname } = new URL(request.url ?? '/', 'http://room');
			const target = readPath(pathname);
			if (!target) {
				// livekit-client's prepareConnection requests the room's own address.
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
		/** Accepts a signalling socket; false if the path is not one of ours. */
		upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
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
		/**
		 * Opens a room for a session; the translator has joined before this resolves (unless a fault prevents it).
		 */
		async open(name: string, sessionId: string): Promise<void> {
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
		/** Disconnects everybody with ROOM_DELETED; no room takes its tokens afterwards. Harmless if it is gone. */
		async close(name: string): Promise<void> {
			close(name);
		},
		/** Called when the first client of a session has joined, and when the last one has left. One listener. */
		onPresence(heard: (sessionId: string, connected: boolean) => void): void {
			presence = heard;
		},
		async closeAll(): Promise<void> {
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
