import type {
	RemoteTrack,
	RemoteTrackPublication,
	Room,
	RoomEvent,
	RoomEventCallbacks,
} from 'livekit-client';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import type { Livekit } from './livekit.ts';
import { endProblem, joinProblem } from './livekit-problems.ts';
import { createLinkStats } from './livekit-stats.ts';
import { createRoomFit } from './room-fit.ts';
import { heedLeave, limitResumes, retries } from './room-resume.ts';
import { createMicrophoneSlot, createVoiceTracks } from './room-tracks.ts';
import { type Link, noStats, type TransportEvent, type TransportStats } from './transport.ts';

/**
 * A server that leaves on purpose sends the reason on another channel, which may lose a packet: wait four round
 * trips, but at least this long.
 */
const REASON_MS = 400;

const ROUND_TRIPS = 4;

/** If the channel is lost again this soon, joining anew does not help: leave it to the library. */
const AGAIN_MS = 30_000;

/** A bad line may take longer to acknowledge, but leaving does not wait longer than this. */
const LIMIT_MS = 400;

/** `DataChannelKind.RELIABLE`, whose value the library does not export. */
const RELIABLE = 0;
/** If more than this is unsent, nothing gets through, and refusing a command is better than delivering it late. */
const MAX_BUFFERED_BYTES = 65_536;
/** Join attempts at a server that answers 404. */
const MAX_ASKINGS = 2;
/** Share of the 2 s that `close` may take; after that we close the connections ourselves. */
const LEAVE_LIMIT_MS = 1500;

export { joinProblem };

export interface RoomGrant {
	readonly webrtcUrl: string;
	/** Token of one participant; never logged. */
	readonly publisher: string;
}

export type RoomStay = ReturnType<typeof createRoomStay>;

/** One connection to one room. Never reused after `close`. */
export function createRoomStay(parts: {
	readonly livekit: Livekit;
	readonly grant: RoomGrant;
	readonly clock: Clock;
	readonly log: Logger;
	/** Null = silence, undefined = nothing. */
	readonly microphone: MediaStreamTrack | null | undefined;
	readonly joinLimitMs: number;
	readonly tell: (event: TransportEvent) => void;
}) {
	const { livekit, grant, log } = parts;
	const scope = createScope(parts.clock);
	const room = new livekit.Room({
		// Two peer connections: faster to the first packet, and no probe of `/rtc/v1`,
		// which the service answers with 404 (protocol 4.1).
		singlePeerConnection: false,
		adaptiveStream: false,
		dynacast: false,
		// The owner of the microphone stops its track.
		stopLocalTrackOnUnpublish: false,
		webAudioMix: false,
		reconnectPolicy: retries,
	});
	limitAskings(livekit, room);
	endStreamsWithSockets(room);
	limitResumes({
		livekit,
		engine: room.engine,
		clock: parts.clock,
		log,
		joinLimitMs: parts.joinLimitMs,
		refused() {
			if (link === 'restoring') tell({ type: 'refused' });
		},
	});
	const leaveNotice = heedLeave({
		room,
		clock: parts.clock,
		log,
		channel: () => room.engine?.dataChannelForKind(RELIABLE) ?? null,
		isUp: () => link === 'up',
		leaving: () => tell({ type: 'leaving' }),
	});
	scope.add(leaveNotice.close);
	const slot = createMicrophoneSlot(livekit, room.localParticipant, parts.microphone);
	const numbers = createLinkStats();
	const fit = createRoomFit({ room, clock: parts.clock, log, sender: () => slot.sender });
	const channelWatch = createChannelWatch({
		clock: parts.clock,
		log,
		channel: () => room.engine?.dataChannelForKind(RELIABLE) ?? null,
		roundTripMs: () => room.engine.client.rtt,
		mayJoin: () => link === 'up',
		joinAnew: () => play('full-reconnect'),
	});
	scope.add(channelWatch.close);
	const heard = new Map<string, RemoteTrack>();
	const encoder = new TextEncoder();
	let link: Link['state'] | 'joining' = 'joining';
	let alive = 0;
	let answersBefore = 0;

	function tell(event: TransportEvent): void {
		if (!scope.closed) parts.tell(event);
	}

	const voices = createVoiceTracks(tell);

	function setLink(next: Link): void {
		// Before it has joined, `join` itself reports the outcome.
		if (link === 'joining' || link === 'down' || next.state === link) return;
		link = next.state;
		if (link === 'up') fit.forget();
		log.info('room link', { state: next.state, cause: next.state === 'restoring' ? next.cause : undefined });
		tell({ type: 'link', link: next });
	}

	function subscribed(track: RemoteTrack, publication: RemoteTrackPublication): void {
		if (track.kind !== livekit.Track.Kind.Audio) return;
		heard.set(publication.trackSid, track);
		voices.add(publication.trackSid, publication.trackName, track.mediaStreamTrack);
		if (fit.holdsVoice) publication.setEnabled(false);
	}

	function unsubscribed(track: RemoteTrack, publication: RemoteTrackPublication): void {
		heard.delete(publication.trackSid);
		voices.remove(publication.trackSid);
		endTrack(track);
	}

	scope.add(
		listenToRoom(
			room,
			roomEventTable({
				signalReconnecting: () => setLink({ state: 'restoring', cause: 'signal' }),
				reconnecting: () => setLink({ state: 'restoring', cause: 'media' }),
				reconnected: () => {
					channelWatch.follow();
					setLink({ state: 'up' });
				},
				disconnected: (reason) => {
					const name = reason === undefined ? undefined : livekit.DisconnectReason[reason];
					setLink({ state: 'down', problem: endProblem(name) });
				},
				trackSubscribed: subscribed,
				trackUnsubscribed: unsubscribed,
				trackSubscriptionFailed: (_sid, _participant, reason) => log.warn('voice not subscribed', { reason }),
				dataReceived: (payload, participant) => {
					if (participant?.identity === room.localParticipant.identity) return;
					tell({ type: 'message', message: decodeServerMessage(payload) });
				},
			}),
		),
	);

	/** While no sound is requested, the connectivity checks show that the path is alive. */
	function withoutVoice(stats: TransportStats): TransportStats {
		const { holdsVoice } = fit;
		const answers = stats.pathAnswers ?? answersBefore;
		if (holdsVoice && answers > answersBefore) alive += 1;
		answersBefore = answers;
		const packetsReceived = stats.packetsReceived + alive;
		return holdsVoice ? { ...stats, packetsReceived, holdsVoice } : { ...stats, packetsReceived };
	}

	/**
	 * Called when the computer is on another network, or back on the same one. The library first contacts the
	 * server and, if that answers at the new address, goes on as if nothing had happened; it would notice the
	 * missing media only after seconds. So reconnect everything at once: the socket, then both connections by an
	 * ICE restart (2.18.7: this is what its `signal-reconnect` does).
	 */
	function makeWayAnew(): void {
		if (link !== 'up') return;
		log.info('the network is another one');
		play('signal-reconnect');
	}

	/** The library has no API for this, so use its test hook. */
	function play(scenario: 'signal-reconnect' | 'full-reconnect'): void {
		void room.simulateScenario(scenario).catch(() => {});
	}

	window.addEventListener('online', makeWayAnew);
	scope.add(() => window.removeEventListener('online', makeWayAnew));

	return {
		/** Resolves once media and commands can flow; rejects with the library's error. */
		async join(): Promise<void> {
			// Publish before `connect`: the first negotiation includes the track, 100 ms sooner (measured).
			const published = slot.publish();
			const connected = room.connect(grant.webrtcUrl, grant.publisher, {
				peerConnectionTimeout: parts.joinLimitMs,
				websocketTimeout: parts.joinLimitMs,
			});
			await Promise.all([connected, published]);
			await commandsOpen(room);
			channelWatch.follow();
			link = 'up';
		},
		setMicrophone: slot.set,
		async send(command: ClientMessage): Promise<boolean> {
			const channel = link === 'up' ? room.engine?.dataChannelForKind(RELIABLE) : undefined;
			// The library would queue the command for a closed channel; a late pause is worse than a refused one.
			if (channel?.readyState !== 'open' || channel.bufferedAmount > MAX_BUFFERED_BYTES) return false;
			try {
				// No topic (protocol 4.4).
				await room.localParticipant.publishData(encoder.encode(JSON.stringify(command)), { reliable: true });
				return true;
			} catch {
				return false;
			}
		},
		async stats(): Promise<TransportStats> {
			try {
				const stats = await numbers.read(
					slot.sender,
					[...heard.values()].flatMap(({ receiver }) => receiver ?? []),
				);
				// Adapt even while the library restores its socket: the sound itself may be blocking it.
				if (link !== 'down') fit.take(numbers.line());
				const fitted = fit.onlyFinals ? { ...stats, onlyFinals: true } : stats;
				return fit.holdsVoice || alive > 0 ? withoutVoice(fitted) : fitted;
			} catch {
				// A connection that closes meanwhile has no statistics.
				return noStats;
			}
		},
		async close(): Promise<void> {
			scope.close();
			slot.close();
			// The last command before leaving is Stop.
			if (link === 'up') await endChannel(room.engine?.dataChannelForKind(RELIABLE), parts.clock);
			await leave(room, parts.clock, log);
			for (const track of heard.values()) endTrack(track);
			heard.clear();
		},
	};
}

/**
 * The library learns from a track's stream that the track has ended, but a closed connection sends the stream no
 * event. Anything that still references the sound, such as the AudioContext that measured it, would keep the
 * library's track, and with it the whole connection, in memory.
 */
function endTrack({ mediaStream, mediaStreamTrack: track }: RemoteTrack): void {
	mediaStream?.dispatchEvent(new MediaStreamTrackEvent('removetrack', { track }));
}

/**
 * The library retries a server that answers 404 at once and for ever (2.18.7, `RTCEngine.join`, meant for the
 * fall-back from `/rtc/v1`): hundreds of requests until our own limit. Each attempt is a nested call in the
 * previous one, so this counts their depth.
 */
function limitAskings(livekit: Livekit, room: Room): void {
	const engine = room.engine;
	const join = engine.join.bind(engine);
	let depth = 0;
	engine.join = async (...wish) => {
		if (depth >= MAX_ASKINGS) throw livekit.ConnectionError.serviceNotFound('no rooms here', 'v0-rtc');
		depth += 1;
		try {
			return await join(...wish);
		} finally {
			depth -= 1;
		}
	};
}

/** Until our own reliable channel is open, commands would wait in the library. */
async function commandsOpen(room: Room): Promise<void> {
	const channel = room.engine.dataChannelForKind(RELIABLE);
	if (channel?.readyState === 'open') return;
	if (channel?.readyState === 'connecting') {
		await new Promise<void>((resolve, reject) => {
			channel.addEventListener('open', () => resolve(), { once: true });
			channel.addEventListener('close', () => reject(new Error('data channel closed')), { once: true });
		});
		return;
	}
	await room.engine.ensureDataTransportConnected(RELIABLE, false);
}

async function leave(room: Room, clock: Clock, log: Logger): Promise<void> {
	const engine = room.engine;
	let cancel = () => {};
	const limit = new Promise<'late'>((resolve) => {
		cancel = clock.after(LEAVE_LIMIT_MS, () => resolve('late'));
	});
	try {
		if ((await Promise.race([room.disconnect(false), limit])) === 'late') {
			log.warn('room did not let go in time');
			void engine?.close().catch(() => {});
		}
	} catch (failure) {
		log.warn('leaving the room failed', { name: failure instanceof Error ? failure.name : typeof failure });
	} finally {
		cancel();
		room.removeAllListeners();
		room.localParticipant.removeAllListeners();
	}
}

/**
 * Closes a data channel and resolves when the far end has closed its side, which happens after all sent data has
 * arrived (RFC 8831, 6.7), or after 400 ms. Closing the connection itself loses data that is still in transit.
 */
function endChannel(channel: RTCDataChannel | undefined, clock: Clock): Promise<void> {
	if (channel?.readyState !== 'open') return Promise.resolve();
	return new Promise((resolve) => {
		const done = () => {
			cancel();
			channel.removeEventListener('close', done);
			resolve();
		};
		const cancel = clock.after(LIMIT_MS, done);
		channel.addEventListener('close', done);
		channel.close();
	});
}

type SignalSocket = NonNullable<Room['engine']['client']['ws']>;

/**
 * The library reads its socket as a stream and never ends that stream when the socket has closed (2.18.7,
 * `WebSocketStream`). The browser keeps the waiting reader, the socket and all its listeners as long as the page
 * lives, for each room and each reconnection. So end the stream with its socket.
 */
function endStreamsWithSockets(room: Room): void {
	const { client } = room.engine;
	let current = client.ws;
	Object.defineProperty(client, 'ws', {
		get: () => current,
		set(next: SignalSocket | undefined) {
			current = next;
			if (next) void endWithSocket(next).catch(() => {});
		},
	});
}

/** Called before the library learns that the socket has opened, so that this sees each reader of the library. */
async function endWithSocket(socket: SignalSocket): Promise<void> {
	// A socket that never opens has no stream.
	const { readable } = await socket.opened;
	const getReader: () => ReadableStreamDefaultReader<string | ArrayBuffer> =
		readable.getReader.bind(readable);
	const readers: ReadableStreamDefaultReader<string | ArrayBuffer>[] = [];
	Reflect.set(readable, 'getReader', () => {
		const reader = getReader();
		readers.push(reader);
		return reader;
	});
	await socket.closed.catch(() => {});
	// Only the active reader can cancel; the others have released their lock and reject.
	for (const reader of readers) await reader.cancel().catch(() => {});
}

/**
 * Notices that the far end of our connections is gone. The only sign is that the far end closes its channels: the
 * connections still report that they are up, and the socket stays open. The library (2.18.7) compares its state
 * every four seconds and gives up at the third check, nine seconds later; we join the room anew at once.
 *
 * `channel` returns the channel in use now, or null; `mayJoin` returns whether the link is believed to be up.
 */
export function createChannelWatch(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly channel: () => Pick<RTCDataChannel, 'readyState' | keyof EventTarget> | null;
	readonly roundTripMs: () => number;
	readonly mayJoin: () => boolean;
	readonly joinAnew: () => void;
}): { follow(): void; close(): void } {
	const { clock, log, channel, mayJoin, joinAnew } = parts;
	let end: Cancel = () => {};
	let joinedMs = Number.NEGATIVE_INFINITY;

	function follow(): void {
		end();
		const followed = channel();
		let wait: Cancel = () => {};
		const lost = () => {
			wait = clock.after(Math.max(REASON_MS, ROUND_TRIPS * parts.roundTripMs()), () => {
				if (!mayJoin() || channel() !== followed || clock.now() < joinedMs + AGAIN_MS) return;
				log.info('the far end has closed our channels');
				joinedMs = clock.now();
				joinAnew();
			});
		};
		followed?.addEventListener('close', lost, { once: true });
		end = () => {
			wait();
			followed?.removeEventListener('close', lost);
		};
		// A channel that closed while the link was being restored sends no further event.
		if (followed?.readyState === 'closing' || followed?.readyState === 'closed') lost();
	}

	return { follow, close: () => end() };
}

/** Ignored on purpose, with the reason. */
type Ignored = `ignored: ${string}`;

/** How we handle every event of the library. A version with another event, or an entry left out, does not compile. */
type RoomEventTable = {
	readonly [Name in `${RoomEvent}`]: Name extends keyof RoomEventCallbacks
		? RoomEventCallbacks[Name] | Ignored
		: Ignored;
};

export type HandledEvent =
	| 'signalReconnecting'
	| 'reconnecting'
	| 'reconnected'
	| 'disconnected'
	| 'trackSubscribed'
	| 'trackUnsubscribed'
	| 'trackSubscriptionFailed'
	| 'dataReceived';

const OURS = 'ignored: our microphone and output modules own the devices';
const PLAYED = 'ignored: the mixer plays the tracks, not the library';
const NOT_SENT = 'ignored: the service does not use it (protocol 4)';

export function roomEventTable(handlers: Pick<RoomEventTable, HandledEvent>): RoomEventTable {
	return {
		...handlers,
		connected: 'ignored: `connect` resolves',
		connectionStateChanged: 'ignored: the events for each change say the same',
		signalConnected: 'ignored: half of a connection is none',
		moved: NOT_SENT,
		mediaDevicesChanged: OURS,
		mediaDevicesError: OURS,
		activeDeviceChanged: OURS,
		localAudioSilenceDetected: OURS,
		audioPlaybackChanged: PLAYED,
		videoPlaybackChanged: PLAYED,
		participantConnected: 'ignored: readiness is told by messages, not by who is there',
		participantActive: 'ignored: as participantConnected',
		participantDisconnected: 'ignored: normal during a reconnect (ecosystem 3.5)',
		participantMetadataChanged: NOT_SENT,
		participantNameChanged: NOT_SENT,
		participantAttributesChanged: NOT_SENT,
		participantPermissionsChanged: NOT_SENT,
		participantEncryptionStatusChanged: NOT_SENT,
		encryptionError: NOT_SENT,
		roomMetadataChanged: NOT_SENT,
		recordingStatusChanged: NOT_SENT,
		activeSpeakersChanged: 'ignored: the mixer measures the voice itself',
		connectionQualityChanged: 'ignored: the statistics say more',
		trackPublished: 'ignored: the server subscribes us to everything by itself',
		trackUnpublished: 'ignored: `trackUnsubscribed` comes with it',
		trackMuted: 'ignored: a muted voice is a silent one',
		trackUnmuted: 'ignored: as trackMuted',
		trackStreamStateChanged: 'ignored: pausing is for video',
		trackSubscriptionPermissionChanged: NOT_SENT,
		trackSubscriptionStatusChanged: 'ignored: `trackSubscribed` and `trackUnsubscribed` say the same',
		localTrackPublished: 'ignored: `publishTrack` resolves',
		localTrackUnpublished: 'ignored: the library publishes again after a reconnect by itself',
		localTrackSubscribed: 'ignored: who listens is the service’s affair',
		dcBufferStatusChanged: 'ignored: what is sent is small, and looked at before sending',
		chatMessage: NOT_SENT,
		sipDTMFReceived: NOT_SENT,
		transcriptionReceived: NOT_SENT,
		metricsReceived: NOT_SENT,
		dataTrackPublished: NOT_SENT,
		dataTrackUnpublished: NOT_SENT,
		localDataTrackPublished: NOT_SENT,
		localDataTrackUnpublished: NOT_SENT,
	};
}

/** Returns a function that removes every handler. */
function listenToRoom(room: Room, table: RoomEventTable): () => void {
	const removals: (() => void)[] = [];
	for (const [name, handler] of Object.entries(table)) {
		if (typeof handler !== 'function') continue;
		// The table's type matches each handler to its event; iterating over entries loses that.
		room.on(name as keyof RoomEventCallbacks, handler as never);
		removals.push(() => void room.off(name as keyof RoomEventCallbacks, handler as never));
	}
	return () => {
		for (const remove of removals) remove();
	};
}
