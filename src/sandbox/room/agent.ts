import {
	AudioTrackFeature,
	DataPacket,
	DataPacket_Kind,
	ParticipantInfo,
	ParticipantInfo_Kind,
	ParticipantInfo_State,
	ParticipantPermission,
	TrackInfo,
	TrackSource,
	TrackType,
	UserPacket,
} from '@livekit/protocol';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createListener, type HeardPacket } from './listener.ts';
import type { Pacer } from './pacer.ts';
import { newSid } from './sids.ts';
import { createVoiceTracks, type VoiceTrack } from './voice-tracks.ts';

/** The translator: the one participant of a room that is ours (protocol 4.3). */
export interface Agent {
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
export interface AgentRoom {
	/** Its tracks changed. */
	changed(): void;
	/** A reliable data message; the room numbers it. */
	data(packet: DataPacket): void;
	/** The conversation is over: disconnect the client. */
	end(): void;
}

/** Lower-cased start of the translator's identity (protocol 4.3). */
const IDENTITY_PREFIX = 'palabra_translator_';

export function createAgent(parts: {
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
