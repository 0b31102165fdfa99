import {
	MediaStream,
	type RTCDataChannel,
	RTCPeerConnection,
	RTCRtpCodecParameters,
	RTCRtpHeaderExtensionParameters,
	type RTCRtpTransceiver,
	RtpHeader,
	RtpPacket,
} from 'werift';
import type { HeardPacket } from './listener.ts';
import type { VoiceTrack } from './voice-tracks.ts';

/** RFC 6464, client to server. */
const AUDIO_LEVEL_URI = 'urn:ietf:params:rtp-hdrext:ssrc-audio-level';
/** RFC 8843 15: says which section of the SDP a packet belongs to. */
const MID_URI = 'urn:ietf:params:rtp-hdrext:sdes:mid';

const OPUS = { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 111 };
/** Never received nor sent, but a client that offers video sections gets an answer it can keep. */
const VP8 = { mimeType: 'video/VP8', clockRate: 90_000, payloadType: 96 };

export interface PeerEvents {
	heard(packet: HeardPacket): void;
	data(bytes: Uint8Array): void;
	connected(): void;
}

/**
 * Without a list of servers werift 0.25.2 asks Google's, and an offer waits for the answer: seconds where name lookups
 * are slow. So it is given a server that does not exist (port 9, discard), on this computer, and does not wait.
 */
const NO_STUN = { iceServers: [{ urls: 'stun:127.0.0.1:9' }], iceStunGatherTimeout: 0 };

/** A peer connection as every room uses it: Opus, loopback and local addresses, no STUN server. */
export function createPeer(events: PeerEvents): RTCPeerConnection {
	const pc = new RTCPeerConnection({
		...NO_STUN,
		iceAdditionalHostAddresses: ['127.0.0.1'],
		iceUseIpv6: false,
		bundlePolicy: 'max-bundle',
		codecs: {
			audio: [new RTCRtpCodecParameters({ ...OPUS, parameters: 'minptime=10;useinbandfec=1' })],
			video: [new RTCRtpCodecParameters(VP8)],
		},
		headerExtensions: {
			audio: [MID_URI, AUDIO_LEVEL_URI].map((uri) => new RTCRtpHeaderExtensionParameters({ uri })),
			video: [],
		},
	});
	const skipped = new WeakSet<object>();
	const tracks = new WeakSet<object>();
	pc.onTrack.subscribe((track) => {
		if (track.kind !== 'audio' || tracks.has(track)) return;
		tracks.add(track);
		track.onReceiveRtp.subscribe((packet, extensions) => {
			events.heard({
				ssrc: packet.header.ssrc,
				timestamp: packet.header.timestamp,
				payload: packet.payload,
				levelDb: readLevel(extensions?.[AUDIO_LEVEL_URI]),
			});
		});
	});
	pc.onDataChannel.subscribe((channel) => listenTo(channel, events));
	pc.connectionStateChange.subscribe((state) => {
		if (state !== 'connected') return;
		skipRepeatedRecords(pc, skipped);
		events.connected();
	});
	return pc;
}

/**
 * werift 0.25.2 sends its encrypted Finished under a running record number and then counts from 0
 * again, so one later record repeats that number and the far side drops it as a replay: the second
 * message came up to a second late. Continuing to count from beyond it avoids that. Once per transport.
 */
function skipRepeatedRecords(pc: RTCPeerConnection, skipped: WeakSet<object>): void {
	for (const { dtls } of pc.dtlsTransports) {
		if (!dtls || skipped.has(dtls)) continue;
		skipped.add(dtls);
		dtls.dtls.recordSequenceNumber += 64;
	}
}

export function listenTo(channel: RTCDataChannel, events: PeerEvents): void {
	channel.onMessage.subscribe((message) => {
		if (typeof message !== 'string') events.data(message);
	});
}

function readLevel(value: unknown): number | null {
	if (typeof value !== 'object' || value === null || !('level' in value)) return null;
	return typeof value.level === 'number' ? value.level : null;
}

/** `<participant>|<track>`: how clients know whose track it is (livekit-client `unpackStreamId`). */
export function streamFor(participantSid: string, voice: VoiceTrack): MediaStream {
	return new MediaStream({ id: `${participantSid}|${voice.sid}` });
}

/** Plays a voice through a transceiver; the result ends it. */
export function playOn(transceiver: RTCRtpTransceiver, voice: VoiceTrack): () => void {
	return voice.listen(({ payload, sequence, timestamp, marker }) => {
		const header = new RtpHeader({
			sequenceNumber: sequence,
			timestamp,
			marker,
			payloadType: OPUS.payloadType,
		});
		transceiver.sender.sendRtp(new RtpPacket(header, Buffer.from(payload))).catch(() => {});
	});
}
