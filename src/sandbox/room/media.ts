import type { SessionDescription } from '@livekit/protocol';
import type { RTCIceCandidateInit, RTCPeerConnection } from 'werift';
import type { HeardPacket } from './listener.ts';
import { allowUplinks, readSections, type Section, type Uplink, withAddress, withAddresses } from './sdp.ts';
import type { Response } from './signal.ts';
import type { VoiceTrack } from './voice-tracks.ts';

export type SignalTarget = 'publisher' | 'subscriber';

/** The peer connections of one client: its microphone, the voices, and data both ways. */
export interface Media {
	/** The client's offer. */
	offer(description: SessionDescription): Promise<void>;
	/** The client's answer to our offer. */
	answer(description: SessionDescription): Promise<void>;
	/** A candidate of the client, in the JSON a browser makes. */
	trickle(side: SignalTarget, candidateJson: string): Promise<void>;
	/** Offers exactly these voices to the client from now on. */
	setVoices(participantSid: string, voices: readonly VoiceTrack[]): Promise<void>;
	/** After a resume: new ICE credentials, where we make the offers. */
	restartIce(): Promise<void>;
	/** False when the channel is not open: the message is lost, as in a real room. */
	send(bytes: Uint8Array): boolean;
	close(): void;
}

/** What media needs of the member it belongs to. */
export interface MediaHooks {
	signal(message: Response): void;
	heard(packet: HeardPacket): void;
	data(bytes: Uint8Array): void;
	/** The connection the client calls primary is up. */
	active(): void;
	/** The tracks (their cids) the client sends, after each of its offers. */
	publishing(cids: readonly string[]): void;
	uplink(cid: string): Uplink | null;
	/** A fault: offers of the client get no answer. */
	silent(): boolean;
	failed(what: string, cause: unknown): void;
}

/** Runs negotiations one after the other: an offer that arrives meanwhile waits. */
export function createTurns(failed: (what: string, cause: unknown) => void) {
	let last: Promise<void> = Promise.resolve();
	return (what: string, run: () => Promise<void>): Promise<void> => {
		last = last.then(run).catch((cause) => failed(what, cause));
		return last;
	};
}

/** Applies an offer, lets `steer` set directions, and gives the text of the answer. */
export async function answerOffer(
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

/** What the client sends, by its own ids. */
export function sentCids(sdp: string): readonly string[] {
	return readSections(sdp).flatMap(({ sends, cid }) => (sends && cid ? [cid] : []));
}

/** A browser's candidate as JSON, for werift; an empty one (end of candidates) is left out. */
export async function addCandidate(pc: RTCPeerConnection, json: string): Promise<void> {
	const init: RTCIceCandidateInit | null = JSON.parse(json);
	if (init?.candidate) await pc.addIceCandidate({ ...init, candidate: withAddress(init.candidate) });
}
