import { isIP } from 'node:net';
import { MediaSectionsRequirement, SessionDescription } from '@livekit/protocol';
import {
	MediaStream,
	type RTCDataChannel,
	type RTCIceCandidateInit,
	RTCPeerConnection,
	RTCRtpCodecParameters,
	RTCRtpHeaderExtensionParameters,
	type RTCRtpTransceiver,
	RtpHeader,
	RtpPacket,
} from 'werift';
import type { HeardPacket } from './listener.ts';
import type { Generation, Response } from './signal.ts';
import type { VoiceTrack } from './voices.ts';

type SignalTarget = 'publisher' | 'subscriber';

/** The peer connections of one client: its microphone, the voices, and data in both directions. */
export interface Media {
	offer(description: SessionDescription): Promise<void>;
	answer(description: SessionDescription): Promise<void>;
	/** A candidate of the client, in a browser's JSON format. */
	trickle(side: SignalTarget, candidateJson: string): Promise<void>;
	/** From now on, offers exactly these voices to the client. */
	setVoices(participantSid: string, voices: readonly VoiceTrack[]): Promise<void>;
	/** After a resume: sends new ICE credentials if we make the offers. */
	restartIce(): Promise<void>;
	/** False if the channel is not open: the message is lost, as in a real room. */
	send(bytes: Uint8Array): boolean;
	close(): void;
}

export interface MediaHooks {
	signal(message: Response): void;
	heard(packet: HeardPacket): void;
	data(bytes: Uint8Array): void;
	/** The client's primary connection is established. */
	active(): void;
	/** The tracks (their cids) that the client sends, reported after each of its offers. */
	publishing(cids: readonly string[]): void;
	uplink(cid: string): Uplink | null;
	/** A fault: offers of the client are not answered. */
	silent(): boolean;
	failed(what: string, cause: unknown): void;
}

/** Runs negotiations one after the other: a new offer waits for the current one. */
function createTurns(failed: (what: string, cause: unknown) => void) {
	let last: Promise<void> = Promise.resolve();
	return (what: string, run: () => Promise<void>): Promise<void> => {
		last = last.then(run).catch((cause) => failed(what, cause));
		return last;
	};
}

/** Applies an offer, lets `steer` set directions, and returns the text of the answer. */
async function answerOffer(
	pc: RTCPeerConnection,
	sdp: string,
	steer: (sections: readonly Section[]) => void,
	uplink: (cid: string) => Uplink | null,
): Promise<string> {
	const sections = readSections(sdp);
	steer(sections);
	await pc.setRemoteDescription({ type: 'offer', sdp: withAddresses(sdp) });
	steer(sections);
	const answer = await pc.createAnswer();
	await pc.setLocalDescription(answer);
	return allowUplinks(pc.localDescription?.sdp ?? answer.sdp, (mid) => {
		const section = sections.find((candidate) => candidate.mid === mid && candidate.sends);
		return section ? uplink(section.cid) : null;
	});
}

/** The client's own ids of the tracks that it sends. */
function sentCids(sdp: string): readonly string[] {
	return readSections(sdp).flatMap(({ sends, cid }) => (sends && cid ? [cid] : []));
}

/** Adds a browser's JSON candidate to werift; ignores an empty one (end of candidates). */
async function addCandidate(pc: RTCPeerConnection, json: string): Promise<void> {
	const init: RTCIceCandidateInit | null = JSON.parse(json);
	if (init?.candidate) await pc.addIceCandidate({ ...init, candidate: withAddress(init.candidate) });
}

/** RFC 6464, client to server. */
const AUDIO_LEVEL_URI = 'urn:ietf:params:rtp-hdrext:ssrc-audio-level';
/** RFC 8843 15: names the SDP section a packet belongs to. */
const MID_URI = 'urn:ietf:params:rtp-hdrext:sdes:mid';

const OPUS = { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 111 };
/** Never received or sent, but lets us answer the video sections that a client offers. */
const VP8 = { mimeType: 'video/VP8', clockRate: 90_000, payloadType: 96 };

interface PeerEvents {
	heard(packet: HeardPacket): void;
	data(bytes: Uint8Array): void;
	connected(): void;
}

/**
 * Without a list of servers werift 0.25.2 queries Google's, and an offer waits for the answer: seconds if name
 * lookups are slow. So we configure a server that does not exist (port 9, discard) on this computer, and do not
 * wait.
 */
const NO_STUN = { iceServers: [{ urls: 'stun:127.0.0.1:9' }], iceStunGatherTimeout: 0 };

/** A peer connection for any room: Opus, loopback and local addresses, no STUN server. */
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
 * werift 0.25.2 sends its encrypted Finished with a running record number and then restarts at 0, so one later
 * record repeats that number and the receiver drops it as a replay: the second message arrived up to a second
 * late. This function skips that number, once per transport.
 */
function skipRepeatedRecords(pc: RTCPeerConnection, skipped: WeakSet<object>): void {
	for (const { dtls } of pc.dtlsTransports) {
		if (!dtls || skipped.has(dtls)) continue;
		skipped.add(dtls);
		dtls.dtls.recordSequenceNumber += 64;
	}
}

function listenTo(channel: RTCDataChannel, events: PeerEvents): void {
	channel.onMessage.subscribe((message) => {
		if (typeof message !== 'string') events.data(message);
	});
}

function readLevel(value: unknown): number | null {
	if (typeof value !== 'object' || value === null || !('level' in value)) return null;
	return typeof value.level === 'number' ? value.level : null;
}

/** `<participant>|<track>`: tells clients whose track it is (livekit-client `unpackStreamId`). */
function streamFor(participantSid: string, voice: VoiceTrack): MediaStream {
	return new MediaStream({ id: `${participantSid}|${voice.sid}` });
}

/** Plays a voice through a transceiver; call the returned function to stop. */
function playOn(transceiver: RTCRtpTransceiver, voice: VoiceTrack): () => void {
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

interface PlayedByOne {
	readonly voice: VoiceTrack;
	readonly participantSid: string;
	/** The section of the client's offer on which the voice is sent; null until one is assigned. */
	mid: string | null;
	stop: () => void;
}

/**
 * `/rtc/v1`: only the client makes offers. Voices use sections on which the client offers to receive; if there
 * are too few, or their contents change, we request another offer. The client opens the data channels.
 */
export function createOnePeer(hooks: MediaHooks): Media {
	const turn = createTurns(hooks.failed);
	const pc = createPeer({ heard: hooks.heard, data: hooks.data, connected: hooks.active });
	let reliable: RTCDataChannel | null = null;
	pc.onDataChannel.subscribe((channel) => {
		if (channel.label === '_reliable') reliable = channel;
	});
	let played: readonly PlayedByOne[] = [];
	/** Sections to receive on, in the client's last offer. */
	let offered: readonly string[] = [];
	/**
	 * Sections with a voice in our last answer.
	 * Leave each out of one answer before it is used again, or the browser misses the new track.
	 */
	let busy: readonly string[] = [];
	let closed = false;

	function free(): readonly string[] {
		return offered.filter((mid) => !busy.includes(mid) && !played.some((entry) => entry.mid === mid));
	}

	function place(): void {
		const places = [...free()];
		for (const entry of played) entry.mid ??= places.shift() ?? null;
	}

	function steer(sections: readonly Section[]): void {
		for (const section of sections) {
			const transceiver = transceiverOf(section.mid);
			if (!transceiver) continue;
			const entry = played.find(({ mid }) => mid === section.mid);
			transceiver.setDirection(entry ? 'sendonly' : section.sends ? 'recvonly' : 'inactive');
			if (entry) transceiver.sender.setStreams([streamFor(entry.participantSid, entry.voice)]);
		}
	}

	function transceiverOf(mid: string): RTCRtpTransceiver | undefined {
		return pc.getTransceivers().find((transceiver) => transceiver.mid === mid);
	}

	/** (Re)connects each voice to its section's sender. */
	function connect(): void {
		for (const entry of played) {
			entry.stop();
			const transceiver = entry.mid === null ? undefined : transceiverOf(entry.mid);
			entry.stop = transceiver ? playOn(transceiver, entry.voice) : () => {};
		}
	}

	function askForOffer(): void {
		const missing = played.filter(({ mid }) => mid === null).length - free().length;
		hooks.signal({
			case: 'mediaSectionsRequirement',
			value: new MediaSectionsRequirement({ numAudios: Math.max(0, missing), numVideos: 0 }),
		});
	}

	return {
		offer: (description) =>
			turn('offer', async () => {
				if (closed || hooks.silent()) return;
				const steerAll = (sections: readonly Section[]) => {
					offered = sections.flatMap(({ kind, sends, receives, mid }) =>
						kind === 'audio' && receives && !sends ? [mid] : [],
					);
					place();
					steer(sections);
				};
				const sdp = await answerOffer(pc, description.sdp, steerAll, hooks.uplink);
				connect();
				busy = played.flatMap(({ mid }) => mid ?? []);
				const midToTrackId: Record<string, string> = {};
				for (const { mid, voice } of played) if (mid !== null) midToTrackId[mid] = voice.sid;
				hooks.signal({
					case: 'answer',
					value: new SessionDescription({ type: 'answer', sdp, id: description.id, midToTrackId }),
				});
				hooks.publishing(sentCids(description.sdp));
				if (played.some(({ mid }) => mid === null)) askForOffer();
			}),
		// We made no offer that the client could answer.
		answer: async () => {},
		trickle: (_side, json) =>
			turn('trickle', async () => {
				if (!closed) await addCandidate(pc, json);
			}),
		setVoices: (participantSid, voices) =>
			turn('voices', async () => {
				for (const entry of played) if (!voices.includes(entry.voice)) entry.stop();
				played = voices.map(
					(voice): PlayedByOne =>
						played.find((entry) => entry.voice === voice) ?? { voice, participantSid, mid: null, stop() {} },
				);
				// Before the first offer no renegotiation is needed: that offer will include the voices.
				if (pc.remoteDescription) askForOffer();
			}),
		// The client restarts ICE in its own offer.
		restartIce: async () => {},
		send(bytes) {
			if (reliable?.readyState !== 'open') return false;
			reliable.send(Buffer.from(bytes));
			return true;
		},
		close() {
			closed = true;
			for (const { stop } of played) stop();
			pc.close().catch(() => {});
		},
	};
}

interface PlayedByTwo {
	readonly voice: VoiceTrack;
	readonly transceiver: RTCRtpTransceiver;
	readonly stop: () => void;
}

/** `/rtc`: the client offers what it sends, we offer what it receives; we open the data channels. */
export function createTwoPeers(generation: Generation, hooks: MediaHooks): Media {
	const turn = createTurns(hooks.failed);
	const events = { heard: hooks.heard, data: hooks.data };
	const publisher = createPeer({ ...events, connected() {} });
	const subscriber = createPeer({ ...events, connected: hooks.active });
	const reliable = subscriber.createDataChannel('_reliable', { ordered: true });
	const lossy = subscriber.createDataChannel('_lossy', { ordered: false, maxRetransmits: 0 });
	for (const channel of [reliable, lossy]) listenTo(channel, { ...events, connected() {} });
	/**
	 * Transceivers without a voice, kept for reuse: sections of an SDP cannot be removed. Each must first have
	 * been offered as inactive, or the browser would not notice a new track.
	 */
	const spare: RTCRtpTransceiver[] = [];
	let retired: RTCRtpTransceiver[] = [];
	let retiring: RTCRtpTransceiver[] = [];
	let played: readonly PlayedByTwo[] = [];
	let offerId = 0;
	/** Our offer awaits its answer; later changes go into the next offer. */
	let waiting = false;
	let again = false;
	let closed = false;

	async function offer(iceRestart = false): Promise<void> {
		if (closed) return;
		if (waiting && !iceRestart) {
			again = true;
			return;
		}
		waiting = true;
		again = false;
		retiring = [...retiring, ...retired.splice(0)];
		await subscriber.setLocalDescription(await subscriber.createOffer({ iceRestart }));
		offerId += 1;
		const midToTrackId: Record<string, string> = {};
		for (const { voice, transceiver } of played) midToTrackId[transceiver.mid ?? ''] = voice.sid;
		hooks.signal({
			case: 'offer',
			value: new SessionDescription({
				type: 'offer',
				sdp: subscriber.localDescription?.sdp ?? '',
				...(generation.ids ? { id: offerId, midToTrackId } : {}),
			}),
		});
	}

	function play(participantSid: string, voice: VoiceTrack): PlayedByTwo {
		const streams = [streamFor(participantSid, voice)];
		let transceiver = spare.pop();
		if (transceiver) {
			transceiver.sender.setStreams(streams);
			transceiver.sender.replaceRTP({ sequenceNumber: 0, timestamp: 0 });
			transceiver.setDirection('sendonly');
		} else {
			transceiver = subscriber.addTransceiver('audio', { direction: 'sendonly', streams });
		}
		return { voice, transceiver, stop: playOn(transceiver, voice) };
	}

	return {
		offer: (description) =>
			turn('offer', async () => {
				if (closed || hooks.silent()) return;
				const sdp = await answerOffer(publisher, description.sdp, () => {}, hooks.uplink);
				hooks.signal({
					case: 'answer',
					value: new SessionDescription({
						type: 'answer',
						sdp,
						...(generation.ids ? { id: description.id } : {}),
					}),
				});
				hooks.publishing(sentCids(description.sdp));
			}),
		answer: (description) =>
			turn('answer', async () => {
				if (closed || subscriber.signalingState !== 'have-local-offer') return;
				if (description.id !== 0 && description.id < offerId) return;
				await subscriber.setRemoteDescription({ type: 'answer', sdp: withAddresses(description.sdp) });
				waiting = false;
				spare.push(...retiring.splice(0));
				if (again) await offer();
			}),
		trickle: (side, json) =>
			turn('trickle', async () => {
				if (!closed) await addCandidate(side === 'publisher' ? publisher : subscriber, json);
			}),
		setVoices: (participantSid, voices) =>
			turn('voices', async () => {
				const gone = played.filter(({ voice }) => !voices.includes(voice));
				for (const { transceiver, stop } of gone) {
					stop();
					transceiver.setDirection('inactive');
				}
				retired = [...retired, ...gone.map(({ transceiver }) => transceiver)];
				played = voices.map(
					(voice) => played.find((candidate) => candidate.voice === voice) ?? play(participantSid, voice),
				);
				await offer();
			}),
		restartIce: () => turn('restart', () => offer(true)),
		send(bytes) {
			if (reliable.readyState !== 'open') return false;
			reliable.send(Buffer.from(bytes));
			return true;
		},
		close() {
			closed = true;
			for (const { stop } of played) stop();
			for (const pc of [publisher, subscriber]) pc.close().catch(() => {});
		},
	};
}

/** The properties of one media section of an offer that the room needs. */
interface Section {
	readonly mid: string;
	readonly kind: string;
	/** The offerer sends on this section. */
	readonly sends: boolean;
	/** The offerer is ready to receive on this section. */
	readonly receives: boolean;
	/** The offerer's id of its track, '' if it sends none: livekit-client's `cid`. */
	readonly cid: string;
}

/** How an uplink may be encoded, according to the client's announcement of the track. */
export interface Uplink {
	readonly dtx: boolean;
	readonly stereo: boolean;
}

export function readSections(sdp: string): readonly Section[] {
	return split(sdp)
		.slice(1)
		.map((text) => {
			const has = (line: string) => text.includes(`\na=${line}\r`) || text.includes(`\na=${line}\n`);
			const rejected = /^m=\w+ 0 /.test(text);
			return {
				mid: /\na=mid:(\S+)/.exec(text)?.[1] ?? '',
				kind: /^m=(\w+)/.exec(text)?.[1] ?? '',
				sends: !rejected && (has('sendrecv') || has('sendonly')),
				receives: !rejected && (has('sendrecv') || has('recvonly')),
				cid: /\na=msid:\S+ (\S+)/.exec(text)?.[1] ?? '',
			};
		});
}

/** Adds what a LiveKit server adds to its answer: browsers use DTX and stereo only then (RFC 7587 6.1). */
export function allowUplinks(sdp: string, uplinkOf: (mid: string) => Uplink | null): string {
	return split(sdp)
		.map((text) => {
			const uplink = uplinkOf(/\na=mid:(\S+)/.exec(text)?.[1] ?? '');
			if (!uplink || !text.startsWith('m=audio')) return text;
			const extras = `${uplink.dtx ? ';usedtx=1' : ''}${uplink.stereo ? ';stereo=1' : ''}`;
			return text.replace(/(\na=fmtp:111 [^\r\n]*)/, `$1${extras}`);
		})
		.join('');
}

/**
 * Replaces the name in a candidate (`candidate:…`, RFC 8839 5.1) with loopback if the name hides its address, as in
 * pages without microphone permission. werift queries mDNS for IPv4 only: if nobody answers, all later work waits
 * for 10 s. A client elsewhere is found by its own checks (RFC 8445 7.3.1.3); but after a restart werift accepts
 * those only if it knows a candidate.
 */
function withAddress(candidate: string): string {
	const fields = candidate.split(' ');
	return isIP(fields[4] ?? '') === 0 ? fields.with(4, '127.0.0.1').join(' ') : candidate;
}

/** The SDP with an address in every candidate. */
export function withAddresses(sdp: string): string {
	return sdp.replace(
		/^a=(candidate:[^\r\n]*)/gm,
		(_line, candidate: string) => `a=${withAddress(candidate)}`,
	);
}

function split(sdp: string): readonly string[] {
	return sdp.split(/(?=^m=)/m);
}
