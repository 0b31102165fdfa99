import type { AudioSource, LocalAudioTrack, RemoteTrack, Room as RtcRoom } from '@livekit/rtc-node';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { OPUS_CLOCK_HZ, SILENCE } from '#sandbox/speech/opus.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Pacer } from './pacer.ts';
import { createVoiceTracks, type VoiceTrack } from './voice-tracks.ts';

export type RtcNode = typeof import('@livekit/rtc-node');

/** Turns Opus packets of one voice into 48 kHz mono samples. The caller frees it. */
export interface VoiceDecoder {
	readonly ready: Promise<void>;
	decodeFrame(packet: Uint8Array): { readonly channelData: readonly Float32Array[] };
	free(): void;
}

/** The translator as a participant of a real LiveKit room. */
export interface LivekitAgent {
	/** Joins; rejects when the deployment does not let it in. */
	join(url: string, token: string): Promise<void>;
	close(): Promise<void>;
}

interface Published {
	readonly voice: VoiceTrack;
	readonly source: AudioSource;
	/** Stops listening to the voice and takes the track back. */
	readonly remove: () => Promise<void>;
}

/** How many frames to send ahead, so that a late timer of ours is not heard: LiveKit plays silence when its queue is empty. */
const LEAD_FRAMES = 3;
const FRAME_MS = 20;

export function createLivekitAgent(parts: {
	rtc: RtcNode;
	decoder: () => VoiceDecoder;
	clock: Clock;
	log: Logger;
	pacer: Pacer;
	sessionId: string;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	/** The number of other participants changed. */
	presence(others: number): void;
	/** `end_task`: disconnect the client. */
	end(): void;
}): LivekitAgent {
	const { rtc, log } = parts;
	const room = new rtc.Room();
	const voices = createVoiceTracks(parts.pacer, () => false);
	const encoder = new TextEncoder();
	let published: readonly Published[] = [];
	let closed = false;
	let turn: Promise<void> = Promise.resolve();

	/** Publishes one after the other; a failure is reported and does not stop the next. */
	function inTurn(what: string, run: () => Promise<void>): Promise<void> {
		turn = turn.then(run).catch((cause) => {
			if (!closed) log.warn('room: the translator failed', { what, cause: String(cause) });
		});
		return turn;
	}

	async function republish(): Promise<void> {
		const wanted = voices.all();
		for (const entry of published) if (!wanted.includes(entry.voice)) await entry.remove();
		const kept = published.filter((entry) => wanted.includes(entry.voice));
		published = kept;
		for (const voice of wanted) {
			if (closed || kept.some((entry) => entry.voice === voice)) continue;
			published = [...published, await publishVoice(rtc, room, voice, parts.decoder())];
		}
	}

	const port: InterpreterTransport = {
		say(message) {
			const bytes = encoder.encode(JSON.stringify(message));
			void inTurn('say', async () => {
				if (!closed) await room.localParticipant?.publishData(bytes, { reliable: true });
			});
		},
		publish(languages) {
			if (!closed && voices.set(languages)) void inTurn('publish', republish);
		},
		speak: (language, speech) => voices.speak(language, speech.packets),
		end: parts.end,
	};
	const interpreter = parts.createInterpreter(port, parts.sessionId);

	function listenTo(track: RemoteTrack): void {
		if (track.kind !== rtc.TrackKind.KIND_AUDIO) return;
		const stream = new rtc.AudioStream(track, {
			sampleRate: OPUS_CLOCK_HZ,
			numChannels: 1,
			frameSizeMs: FRAME_MS,
		});
		void (async () => {
			for await (const frame of stream) {
				if (closed) return;
				interpreter.hear(rmsOf(frame.data), (frame.samplesPerChannel * 1000) / frame.sampleRate);
			}
		})().catch((cause) => {
			if (!closed) log.warn('room: the microphone can no longer be heard', { cause: String(cause) });
		});
	}

	const count = () => parts.presence(room.remoteParticipants.size);
	room.on(rtc.RoomEvent.TrackSubscribed, listenTo);
	room.on(rtc.RoomEvent.DataReceived, (payload) => interpreter.command(payload));
	room.on(rtc.RoomEvent.ParticipantConnected, count);
	room.on(rtc.RoomEvent.ParticipantDisconnected, count);
	room.on(rtc.RoomEvent.Disconnected, () => {
		if (!closed) log.warn('room: the translator was disconnected from the LiveKit deployment');
	});

	return {
		async join(url, token) {
			await room.connect(url, token, { autoSubscribe: true, dynacast: false });
			count();
		},
		async close() {
			if (closed) return;
			closed = true;
			interpreter.close();
			voices.close();
			await turn;
			for (const { remove } of published) await remove().catch(() => {});
			await room.disconnect().catch(() => {});
		},
	};
}

async function publishVoice(
	rtc: RtcNode,
	room: RtcRoom,
	voice: VoiceTrack,
	decoder: VoiceDecoder,
): Promise<Published> {
	await decoder.ready;
	const source = new rtc.AudioSource(OPUS_CLOCK_HZ, 1);
	const track: LocalAudioTrack = rtc.LocalAudioTrack.createAudioTrack(voice.name, source);
	const options = new rtc.TrackPublishOptions({
		source: rtc.TrackSource.SOURCE_MICROPHONE,
		dtx: false,
		red: false,
	});
	const publication = await room.localParticipant?.publishTrack(track, options);
	const capture = (packet: Uint8Array) => {
		const samples = decoder.decodeFrame(packet).channelData[0];
		if (!samples || samples.length === 0) return;
		const frame = new rtc.AudioFrame(toS16(samples), OPUS_CLOCK_HZ, 1, samples.length);
		// Rejects only once the source is closed, when nobody listens any more.
		source.captureFrame(frame).catch(() => {});
	};
	for (let lead = 0; lead < LEAD_FRAMES; lead += 1) capture(SILENCE);
	const deafen = voice.listen(({ payload }) => capture(payload));
	return {
		voice,
		source,
		async remove() {
			deafen();
			decoder.free();
			if (publication?.sid) await room.localParticipant?.unpublishTrack(publication.sid);
			await source.close();
		},
	};
}

/** Linear RMS, 0..1. */
function rmsOf(samples: Int16Array): number {
	let sum = 0;
	for (const sample of samples) sum += sample * sample;
	return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length) / 0x8000;
}

function toS16(samples: Float32Array): Int16Array {
	return Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 0x7fff);
}
