import {
	type AddTrackRequest,
	ConnectionQuality,
	ConnectionQualityUpdate,
	DataPacket,
	DataPacket_Kind,
	type DisconnectReason,
	LeaveRequest,
	LeaveRequest_Action,
	ParticipantInfo,
	ParticipantInfo_Kind,
	ParticipantInfo_State,
	ParticipantPermission,
	ParticipantUpdate,
	Pong,
	ReconnectResponse,
	type Room as RoomInfo,
	SignalTarget,
	type SyncState,
	TrackInfo,
	TrackPublishedResponse,
	TrackSubscribed,
	TrackType,
} from '@livekit/protocol';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { HeardPacket } from './listener.ts';
import { createOnePeer, createTwoPeers, type MediaHooks, type Uplink } from './peers.ts';
import {
	type Generation,
	greeting,
	type JoinOptions,
	newSid,
	type Request,
	type SignalLink,
} from './signal.ts';
import type { VoiceTrack } from './voices.ts';

/** How many numbered messages are kept for repetition after a resume. */
const KEPT = 200;

/** The room as seen by a member. */
export interface MemberRoom {
	heard(packet: HeardPacket): void;
	data(payload: Uint8Array): void;
	/** Some data of `info()` changed. */
	changed(): void;
	/** The member left, or did not return in time. It has been closed. */
	gone(): void;
	fault(name: string): boolean;
}

/** Time for a client to reconnect, ms; livekit-client tries for about 48 s, but resumes only at first. */
const RETURN_MS = 20_000;

export type Member = ReturnType<typeof createMember>;

/** One client in a room: its membership survives a new signalling socket, but not a new join. */
export function createMember(parts: {
	clock: Clock;
	log: Logger;
	generation: Generation;
	identity: string;
	options: JoinOptions;
	link: SignalLink;
	room: MemberRoom;
}) {
	const { clock, log, generation, identity, options, room } = parts;
	const sid = newSid('PA');
	const joinedAtMs = Math.floor(clock.wall());
	const uplinks = createUplinks();
	const line = createDataLine(generation);
	const subscriptions = new Map<string, boolean>();
	let link: SignalLink | null = parts.link;
	let state = ParticipantInfo_State.JOINING;
	let version = 1;
	let closed = false;
	let forget: Cancel = () => {};
	let offered: { readonly from: string; readonly voices: readonly VoiceTrack[] } = { from: '', voices: [] };

	const hooks: MediaHooks = {
		signal: (message) => link?.send(message),
		heard(packet) {
			for (const trackSid of uplinks.takeHeard()) {
				link?.send({ case: 'trackSubscribed', value: new TrackSubscribed({ trackSid }) });
			}
			room.heard(packet);
		},
		data(bytes) {
			const payload = line.read(bytes);
			if (payload) room.data(payload);
		},
		active() {
			if (state === ParticipantInfo_State.ACTIVE) return;
			state = ParticipantInfo_State.ACTIVE;
			changed();
			// On this computer the quality never drops, so it is sent once.
			const perfect = { participantSid: sid, quality: ConnectionQuality.EXCELLENT, score: 5 };
			link?.send({ case: 'connectionQuality', value: new ConnectionQualityUpdate({ updates: [perfect] }) });
		},
		publishing(cids) {
			if (uplinks.settle(cids)) changed();
		},
		uplink: (cid) => uplinks.uplink(cid),
		silent: () => room.fault('room-no-answer'),
		failed: (what, cause) => {
			if (!closed) log.warn('room: a negotiation failed', { what, cause: String(cause) });
		},
	};
	const media = options.path === 'rtc/v1' ? createOnePeer(hooks) : createTwoPeers(generation, hooks);

	function info(as = state): ParticipantInfo {
		const tracks = [...uplinks.infos()];
		return new ParticipantInfo({
			sid,
			identity,
			name: identity,
			state: as,
			joinedAt: BigInt(Math.floor(joinedAtMs / 1000)),
			joinedAtMs: BigInt(joinedAtMs),
			version,
			kind: ParticipantInfo_Kind.STANDARD,
			isPublisher: tracks.length > 0,
			permission: new ParticipantPermission({
				canSubscribe: true,
				canPublish: true,
				canPublishData: true,
				canUpdateMetadata: false,
			}),
			tracks,
		});
	}

	function changed(): void {
		if (closed) return;
		version += 1;
		link?.send({ case: 'update', value: new ParticipantUpdate({ participants: [info()] }) });
		room.changed();
	}

	function showVoices(): void {
		const wanted = offered.voices.filter((voice) => subscriptions.get(voice.sid) ?? options.autoSubscribe);
		void media.setVoices(offered.from, wanted);
	}

	function close(): void {
		if (closed) return;
		closed = true;
		forget();
		media.close();
		link?.close();
		link = null;
	}

	function leave(): void {
		close();
		room.gone();
	}

	function repeatMissed(sync: SyncState): void {
		for (const { publisherSid, lastSeq } of sync.datachannelReceiveStates) {
			for (const bytes of line.missed(publisherSid, lastSeq)) media.send(bytes);
		}
	}

	function subscribe(sids: readonly string[], on: boolean): void {
		for (const trackSid of sids) subscriptions.set(trackSid, on);
		showVoices();
	}

	function request(message: Request): void {
		if (closed) return;
		switch (message.case) {
			case 'offer':
				void media.offer(message.value);
				return;
			case 'answer':
				void media.answer(message.value);
				return;
			case 'trickle': {
				const side = message.value.target === SignalTarget.PUBLISHER ? 'publisher' : 'subscriber';
				void media.trickle(side, message.value.candidateInit);
				return;
			}
			case 'addTrack': {
				const track = uplinks.announce(message.value);
				const value = new TrackPublishedResponse({ cid: message.value.cid, track });
				link?.send({ case: 'trackPublished', value });
				changed();
				return;
			}
			case 'mute':
				if (uplinks.mute(message.value.sid, message.value.muted)) changed();
				return;
			case 'subscription': {
				const { trackSids, participantTracks, subscribe: on } = message.value;
				subscribe([...trackSids, ...participantTracks.flatMap((entry) => entry.trackSids)], on);
				return;
			}
			case 'syncState':
				repeatMissed(message.value);
				return;
			case 'leave':
				leave();
				return;
			case 'ping':
			case 'pingReq':
				pong(message);
				return;
			default:
				// Ignore video layers, data tracks, metadata and scenarios: an audio room needs none of them.
				return;
		}
	}

	function pong(message: Request): void {
		if (room.fault('no-pong')) return;
		const now = BigInt(Math.floor(clock.wall()));
		if (message.case === 'ping') link?.send({ case: 'pong', value: now });
		if (message.case !== 'pingReq') return;
		const value = new Pong({ lastPingTimestamp: message.value.timestamp, timestamp: now });
		link?.send({ case: 'pongResp', value });
	}

	return {
		sid,
		identity,
		info,
		/** Greets a client that has just joined. */
		welcome(first: JoinOptions, others: readonly ParticipantInfo[], roomInfo: RoomInfo): void {
			link?.send({
				case: 'join',
				value: greeting({ generation, path: first.path, room: roomInfo, self: info(), others }),
			});
			if (first.publisherOffer) void media.offer(first.publisherOffer);
		},
		/** Continues with a new socket. */
		resume(next: SignalLink, others: readonly ParticipantInfo[]): void {
			forget();
			link?.close();
			link = next;
			link.send({
				case: 'reconnect',
				value: new ReconnectResponse({
					serverInfo: generation.serverInfo,
					...(generation.sequences ? { lastMessageSeq: line.lastRead } : {}),
				}),
			});
			link.send({ case: 'update', value: new ParticipantUpdate({ participants: [info(), ...others] }) });
			void media.restartIce();
		},
		/** Handles a message on the member's current socket. */
		request,
		/** The current socket is closed. */
		unlinked(): void {
			if (closed) return;
			link = null;
			forget();
			forget = clock.after(RETURN_MS, leave);
		},
		/** Reports changes of other participants. */
		update(others: readonly ParticipantInfo[]): void {
			link?.send({ case: 'update', value: new ParticipantUpdate({ participants: [...others] }) });
		},
		/** Sets the participant that sends the voices, and the voices themselves. */
		setVoices(from: string, voices: readonly VoiceTrack[]): void {
			offered = { from, voices };
			showVoices();
		},
		send(packet: DataPacket): void {
			const bytes = line.write(packet);
			if (!closed && !media.send(bytes)) log.debug('room: data for a client that is not ready is lost');
		},
		sendLeave(reason: DisconnectReason, action: LeaveRequest_Action): void {
			const canReconnect = action !== LeaveRequest_Action.DISCONNECT;
			link?.send({ case: 'leave', value: new LeaveRequest({ reason, action, canReconnect }) });
		},
		dropLink: (): void => link?.drop(),
		/** Ends the membership. Calling it again is harmless. */
		close,
	};
}

interface Announced {
	readonly info: TrackInfo;
	sent: boolean;
	told: boolean;
}

/** The tracks a client announced. No property is required: name, source, stereo or mono (protocol 4.2). */
function createUplinks() {
	const byCid = new Map<string, Announced>();
	const all = () => [...byCid.values()];
	return {
		/** Repeating an announcement returns the same track. */
		announce(request: AddTrackRequest): TrackInfo {
			const known = byCid.get(request.cid);
			if (known) return known.info;
			const info = new TrackInfo({
				sid: newSid('TR'),
				type: request.type,
				name: request.name,
				source: request.source,
				muted: request.muted,
				disableDtx: request.disableDtx,
				disableRed: request.disableRed,
				stereo: request.stereo,
				stream: request.stream,
				audioFeatures: request.audioFeatures,
				mimeType: request.type === TrackType.AUDIO ? 'audio/opus' : '',
			});
			byCid.set(request.cid, { info, sent: false, told: false });
			return info;
		},
		mute(sid: string, muted: boolean): boolean {
			const found = all().find(({ info }) => info.sid === sid);
			if (!found || found.info.muted === muted) return false;
			found.info.muted = muted;
			return true;
		},
		uplink(cid: string): Uplink | null {
			const found = byCid.get(cid);
			return found ? { dtx: !found.info.disableDtx, stereo: found.info.stereo } : null;
		},
		/** `cids`: the tracks that the client sends now. Any other counts as unpublished. True if there was one. */
		settle(cids: readonly string[]): boolean {
			let changed = false;
			for (const [cid, track] of byCid) {
				if (cids.includes(cid)) {
					track.sent = true;
				} else if (track.sent) {
					byCid.delete(cid);
					changed = true;
				}
			}
			return changed;
		},
		/** Returns tracks whose media arrives but whose client has not been informed yet. */
		takeHeard(): readonly string[] {
			const fresh = all().filter(({ sent, told }) => sent && !told);
			for (const track of fresh) track.told = true;
			return fresh.map(({ info }) => info.sid);
		},
		infos: (): readonly TrackInfo[] => all().map(({ info }) => info),
	};
}

/** Data to and from one client, numbered if the LiveKit generation numbers it. */
export function createDataLine(options: { readonly sequences: boolean }) {
	const kept: { readonly sender: string; readonly sequence: number; readonly bytes: Uint8Array }[] = [];
	let written = 0;
	let lastRead = 0;
	return {
		/** Numbers and encodes one of our packets. */
		write(packet: DataPacket): Uint8Array {
			if (!options.sequences || packet.kind !== DataPacket_Kind.RELIABLE) return packet.toBinary();
			written += 1;
			const numbered = packet.clone();
			numbered.sequence = written;
			const bytes = numbered.toBinary();
			kept.push({ sender: packet.participantSid, sequence: written, bytes });
			if (kept.length > KEPT) kept.shift();
			return bytes;
		},
		/** The packets that the client missed, if `last` was the last number it received from `senderSid`. */
		missed: (senderSid: string, last: number): readonly Uint8Array[] =>
			kept
				.filter(({ sender, sequence }) => sender === senderSid && sequence > last)
				.map(({ bytes }) => bytes),
		/** The payload of a client's user message; null for anything else and for a repeated one. */
		read(bytes: Uint8Array): Uint8Array | null {
			const packet = decode(bytes);
			if (packet?.value.case !== 'user') return null;
			if (options.sequences && packet.sequence > 0) {
				if (packet.sequence <= lastRead) return null;
				lastRead = packet.sequence;
			}
			return packet.value.value.payload;
		},
		/** The last number received from the client, 0 = none: the client repeats later packets. */
		get lastRead(): number {
			return lastRead;
		},
	};
}

function decode(bytes: Uint8Array): DataPacket | null {
	try {
		return DataPacket.fromBinary(bytes);
	} catch {
		return null;
	}
}
