import { randomBytes } from 'node:crypto';
import type { AudioSource, LocalAudioTrack, RemoteTrack, Room as RtcRoom } from '@livekit/rtc-node';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { OPUS_CLOCK_HZ, SILENCE } from '#sandbox/speech/codec.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import type { Rooms } from './room.ts';
import { createPacer, createVoiceTracks, type Pacer, type VoiceTrack } from './voices.ts';

/** Frames sent ahead, so that a late timer is not audible: LiveKit plays silence when its queue is empty. */
const LEAD_FRAMES = 3;

const FRAME_MS = 20;

/** Rooms on a real LiveKit deployment, which transports the media; the translator joins as an agent. */
export interface LivekitRooms extends Rooms {
	/** The deployment's address: a session's `webrtc_url`. */
	readonly url: string;
	/** A publisher's token for one room, valid for `ttlS` seconds. */
	tokenFor(room: string, identity: string, sessionId: string, ttlS: number): Promise<string>;
}

interface Open {
	readonly agent: LivekitAgent;
	readonly sessionId: string;
	connected: boolean;
}

/** Validity of the translator's own token, which the server renews while it is connected. */
const AGENT_TOKEN_S = 6 * 3600;

/** Needs the packages that it loads: `open` and `tokenFor` reject with the name of a missing one. */
export function createLivekitRooms(parts: {
	/** LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET. */
	readonly url: string;
	readonly key: string;
	readonly secret: string;
	/**
	 * Answers requests before the translator has joined: joining takes 80 ms, which would distort measurements.
	 */
	readonly joinsLater?: boolean | undefined;
	readonly clock: Clock;
	createInterpreter(port: InterpreterTransport, sessionId: string): Interpreter;
	readonly log?: Logger | undefined;
}): LivekitRooms {
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
		// Close the room first, so that the client receives ROOM_DELETED and not the translator's departure.
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
			// Without this setting, the package writes debug lines to standard output, which we use ourselves.
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

/** Loads a package that is not part of the app: a sandbox on a real deployment needs it installed. */
async function load<Module>(name: string, get: () => Promise<Module>): Promise<Module> {
	try {
		return await get();
	} catch (cause) {
		throw new Error(`a sandbox on a LiveKit deployment needs the npm package ${name}`, { cause });
	}
}

type RtcNode = typeof import('@livekit/rtc-node');

/** Turns Opus packets of one voice into 48 kHz mono samples. The caller frees it. */
interface VoiceDecoder {
	readonly ready: Promise<void>;
	decodeFrame(packet: Uint8Array): { readonly channelData: readonly Float32Array[] };
	free(): void;
}

interface Published {
	readonly voice: VoiceTrack;
	readonly source: AudioSource;
	/** Stops listening to the voice and unpublishes the track. */
	readonly remove: () => Promise<void>;
}

type LivekitAgent = ReturnType<typeof createLivekitAgent>;

/** The translator as a participant of a real LiveKit room. */
function createLivekitAgent(parts: {
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
}) {
	const { rtc, log } = parts;
	const room = new rtc.Room();
	const voices = createVoiceTracks(parts.pacer, () => false);
	const encoder = new TextEncoder();
	let published: readonly Published[] = [];
	let closed = false;
	let turn: Promise<void> = Promise.resolve();

	/** Publishes tracks one after the other; a failure is reported and does not stop the next. */
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
		/** Joins the room; rejects if the deployment refuses it. */
		async join(url: string, token: string): Promise<void> {
			await room.connect(url, token, { autoSubscribe: true, dynacast: false });
			count();
		},
		async close(): Promise<void> {
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
		// Ignore the rejection: it only occurs after the source was closed.
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
