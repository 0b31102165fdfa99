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
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Generation } from './generation.ts';
import { refuseResume } from './greeting.ts';
import { createListener, type HeardPacket } from './listener.ts';
import { createMember, type Member } from './member.ts';
import type { Pacer } from './pacer.ts';
import { newSid } from './sids.ts';
import type { JoinOptions, Request, SignalLink } from './signal.ts';
import { createVoiceTracks, type VoiceTrack } from './voice-tracks.ts';

/** Payloads of a data channel that are not messages: one after the other, for ever. */
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

/** One session's room: the translator, and whoever holds the session's token. */
export interface Room {
	/** Takes a client in, or gives it its place back; what to do with its socket's messages and end. */
	admit(
		identity: string,
		options: JoinOptions,
		link: SignalLink,
	): { request(message: Request): void; ended(): void };
	close(): void;
}

/** When faults strike that need a client which has settled in. */
const FAULT_AFTER_MS = 5000;
/** Without a client for this long, the translator forgets its task: a client that returns must set it again. */
const FORGET_TASK_MS = 30_000;

export function createRoom(parts: {
	readonly name: string;
	readonly sessionId: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly generation: Generation;
	readonly pacer: Pacer;
	fault(name: string): boolean;
	/** The number a fault was given, else `otherwise`. */
	faultNumber(name: string, otherwise: number): number;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	/** The first client has come, or the last one has gone. */
	presence(connected: boolean): void;
	/** The conversation was ended from inside: the owner closes the room. */
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

/** The translator: the one participant of a room that is ours (protocol 4.3). */
interface Agent {
	readonly sid: string;
	readonly identity: string;
	info(state?: ParticipantInfo_State): ParticipantInfo;
	voices(): readonly VoiceTrack[];
	/** A data message of a client, whichever channel it came on. */
	command(payload: Uint8Array): void;
	/** A packet of a client's audio. */
	heard(packet: HeardPacket): void;
	/** Bytes as they are, as a data message of the translator. */
	sendRaw(payload: Uint8Array): void;
	close(): void;
}

/** What the agent needs of its room. */
interface AgentRoom {
	/** Its tracks changed. */
	changed(): void;
	/** A reliable data message; the room numbers it. */
	data(packet: DataPacket): void;
	/** The conversation is over: disconnect the client. */
	end(): void;
}

function createAgent(parts: {
	clock: Clock;
	pacer: Pacer;
	sessionId: string;
	doubled: () => boolean;
	room: AgentRoom;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
}): Agent {
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
		info: (state = ParticipantInfo_State.ACTIVE) =>
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
		voices: () => voices.all(),
		command: (payload) => interpreter.command(payload),
		heard: (packet) => listener.heard(packet),
		sendRaw,
		close() {
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
