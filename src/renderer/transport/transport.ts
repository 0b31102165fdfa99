import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/**
 * One kind of connection. The conversation can tell transports apart only by `capabilities`. A transport does not
 * handle devices, volume, retry policy or credentials.
 */
export interface Transport {
	readonly capabilities: TransportCapabilities;
	/** Resolves once media and commands flow. `signal` ends the attempt or the link. Can be retried. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	/**
	 * Replaces the microphone; `null` sends silence. `undefined`, the initial state, sends nothing at all if the
	 * connection survives that (a room does; for a socket the main process decides what is sent). The caller owns
	 * the track and stops it.
	 */
	setMicrophone(track: MediaStreamTrack | null | undefined): Promise<Result<void, Problem>>;
	/** Sends a command now; false when the link is not up. Never queues a command. */
	send(command: ClientMessage): Promise<boolean>;
	/** Requests final texts for the speech so far; absent or without effect if not supported. */
	finalize?(): void;
	/** Disconnects and frees everything within 2 s, whatever the network does. May be called again. */
	close(): Promise<void>;
	listen(heard: (event: TransportEvent) => void): () => void;
	/** Numbers for the delay gauge and the watchdogs; cheap, at most once a second. */
	stats(): Promise<TransportStats>;
}

export interface TransportCapabilities {
	readonly kind: 'webrtc' | 'websocket';
}

export type TransportEvent =
	| { readonly type: 'link'; readonly link: Link }
	| { readonly type: 'message'; readonly message: ServerMessage }
	/** A translated voice appeared (again). `language` comes from the track's name, lower case. */
	| { readonly type: 'voice'; readonly language: string; readonly track: MediaStreamTrack }
	| { readonly type: 'voice-gone'; readonly language: string }
	/** During a restore: another attempt was refused at once, by the server or something in its place. */
	| { readonly type: 'refused' }
	/** The server asks clients to leave; media flow until it shuts down or the transport reconnects. */
	| { readonly type: 'leaving' }
	/** Speech of this length will never reach the interpreter, ms. */
	| { readonly type: 'speech-lost'; readonly ms: number };

export type Link =
	/** Media and commands flow again; the first time, `open` resolves instead. */
	| { readonly state: 'up' }
	/** The link is being restored by the transport itself; nothing is lost for good yet. */
	| { readonly state: 'restoring'; readonly cause: string }
	/** Ended; the transport will not reconnect. */
	| { readonly state: 'down'; readonly problem: Problem };

export interface TransportStats {
	/** Audio packets sent since `open`; grows while the microphone (or silence) is sent. */
	readonly packetsSent: number;
	/** Average jitter-buffer delay of the playing voice over the last interval, ms; 0 when unknown. */
	readonly jitterBufferMs: number;
	/** Round trip to the server, ms; 0 when unknown. */
	readonly roundTripMs: number;
	readonly packetsReceived: number;
	/**
	 * Responses to the connectivity checks of the path since it was created, about one every 2.5 s: they show
	 * that it is alive although no sound arrives. Absent if the transport has no such checks.
	 */
	readonly pathAnswers?: number | undefined;
	/** Samples invented to hide loss, as a share 0..1 of all received since `open`. */
	readonly concealedRatio: number;
	/** The transport protocol of WebRTC's packets; absent while unknown. `tls`: through a relay on port 443. */
	readonly way?: 'udp' | 'tcp' | 'tls' | undefined;
	/** True if the line is too narrow for the voice, which is therefore not requested; absent = it is requested. */
	readonly holdsVoice?: boolean;
	/** True if only final texts arrive in time, so that partial texts must be left out; absent = they are kept. */
	readonly onlyFinals?: boolean;
}

/** Used before there is a link. */
export const noStats: TransportStats = {
	packetsSent: 0,
	jitterBufferMs: 0,
	roundTripMs: 0,
	packetsReceived: 0,
	concealedRatio: 0,
};
