import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import {
	DisconnectReason,
	JoinRequest,
	JoinResponse,
	LeaveRequest,
	LeaveRequest_Action,
	type ParticipantInfo,
	type Room as RoomInfo,
	ServerInfo,
	ServerInfo_Edition,
	type SessionDescription,
	SignalRequest,
	SignalResponse,
	WrappedJoinRequest,
	WrappedJoinRequest_Compression,
} from '@livekit/protocol';
import type { WebSocket } from 'ws';

/** A client's options when it joins, before any message. */
export interface JoinOptions {
	readonly path: 'rtc' | 'rtc/v1';
	readonly token: string;
	/** Resumes an earlier connection: the same peer connections, a new socket. */
	readonly reconnect: boolean;
	/** The participant to resume as, if the client named one; otherwise empty. */
	readonly participantSid: string;
	readonly autoSubscribe: boolean;
	/** Only on `rtc/v1`. */
	readonly publisherOffer: SessionDescription | null;
}

type Target = { readonly path: JoinOptions['path']; readonly validate: boolean };

/** Signals are small; an SDP with many sections has about 30 kB. */
export const MAX_SIGNAL_BYTES = 1_000_000;

/** `<anything>/rtc`, `<anything>/rtc/v1`, each with `/validate`; null for every other path. */
export function readPath(pathname: string): Target | null {
	const match = /\/rtc(\/v1)?(\/validate)?\/?$/.exec(pathname);
	if (!match) return null;
	return { path: match[1] ? 'rtc/v1' : 'rtc', validate: match[2] !== undefined };
}

/** Reads address and headers of a join; null if the request is not a join. */
export function readJoinOptions(request: IncomingMessage): JoinOptions | null {
	const url = new URL(request.url ?? '/', 'http://room');
	const target = readPath(url.pathname);
	if (!target) return null;
	const query = url.searchParams;
	const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
	const token = query.get('access_token') ?? bearer ?? '';
	const wrapped = query.get('join_request');
	if (target.path === 'rtc' || wrapped === null) {
		return {
			path: target.path,
			token,
			reconnect: query.get('reconnect') === '1',
			participantSid: query.get('sid') ?? '',
			autoSubscribe: query.get('auto_subscribe') !== '0',
			publisherOffer: null,
		};
	}
	const join = readJoinRequest(wrapped);
	return (
		join && {
			path: target.path,
			token,
			reconnect: join.reconnect,
			participantSid: join.participantSid,
			autoSubscribe: join.connectionSettings?.autoSubscribe ?? true,
			publisherOffer: join.publisherOffer ?? null,
		}
	);
}

function readJoinRequest(text: string): JoinRequest | null {
	try {
		const wrapped = WrappedJoinRequest.fromBinary(Buffer.from(text, 'base64url'));
		const zipped = wrapped.compression === WrappedJoinRequest_Compression.GZIP;
		return JoinRequest.fromBinary(
			zipped ? gunzipSync(wrapped.joinRequest, { maxOutputLength: MAX_SIGNAL_BYTES }) : wrapped.joinRequest,
		);
	} catch {
		return null;
	}
}

export type Request = SignalRequest['message'];
export type Response = SignalResponse['message'];

export type SignalLink = ReturnType<typeof createSignalLink>;

/**
 * One signalling socket. It answers in the client's encoding: protobuf or JSON.
 * Calls `ended` once, whichever side ends the link, except after the link's own `close`.
 */
export function createSignalLink(
	socket: WebSocket,
	heard: { request(message: Request): void; ended(): void; malformed(): void },
) {
	let json = false;
	let closed = false;
	socket.on('message', (data, binary) => {
		if (closed) return;
		const bytes = Buffer.isBuffer(data)
			? data
			: Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
		json = !binary;
		const request = readRequest(bytes, binary);
		if (request) heard.request(request);
		else heard.malformed();
	});
	socket.on('error', () => socket.terminate());
	socket.on('close', () => {
		if (closed) return;
		closed = true;
		heard.ended();
	});
	return {
		send(message: Response): void {
			if (closed || socket.readyState !== socket.OPEN) return;
			const response = new SignalResponse({ message });
			socket.send(json ? response.toJsonString() : response.toBinary());
		},
		/** Sends a leave message and closes; a second call is harmless. */
		close(): void {
			if (closed) return;
			closed = true;
			socket.close(1000);
		},
		/** Drops the connection without a leave message. */
		drop: (): void => socket.terminate(),
	};
}

function readRequest(bytes: Buffer, binary: boolean): Request | null {
	try {
		return binary
			? SignalRequest.fromBinary(bytes).message
			: SignalRequest.fromJsonString(bytes.toString('utf8'), { ignoreUnknownFields: true }).message;
	} catch {
		return null;
	}
}

/**
 * The LiveKit server that the room imitates. `older` is 1.8.4, the live service's version (protocol 4.1): no
 * `/rtc/v1`, no ids on offers and answers, no sequence numbers on data.
 */
export type LivekitGeneration = 'current' | 'older';

export interface Generation {
	/** `/rtc/v1`: one peer connection, the first offer inside the join request. */
	readonly singlePeer: boolean;
	/** Offers and answers include ids and the map of media sections (servers from 1.9.1 on). */
	readonly ids: boolean;
	/** Reliable data is numbered and repeated after a resume. */
	readonly sequences: boolean;
	readonly serverInfo: ServerInfo;
}

export function generationOf(livekit: LivekitGeneration): Generation {
	const current = livekit === 'current';
	return {
		singlePeer: current,
		ids: current,
		sequences: current,
		serverInfo: new ServerInfo({
			edition: ServerInfo_Edition.Standard,
			version: current ? '1.13.5' : '1.8.4',
			protocol: current ? 17 : 15,
			nodeId: 'ND_sandbox',
		}),
	};
}

/** LiveKit's own default. */
const PING_INTERVAL_S = 5;
const PING_TIMEOUT_S = 15;

/** The first message to a client that has joined; its values are those of real servers. */
export function greeting(of: {
	generation: Generation;
	path: JoinOptions['path'];
	room: RoomInfo;
	self: ParticipantInfo;
	others: readonly ParticipantInfo[];
}): JoinResponse {
	return new JoinResponse({
		room: of.room,
		participant: of.self,
		otherParticipants: [...of.others],
		serverVersion: of.generation.serverInfo.version,
		serverInfo: of.generation.serverInfo,
		subscriberPrimary: of.path === 'rtc',
		pingInterval: PING_INTERVAL_S,
		pingTimeout: PING_TIMEOUT_S,
		enabledPublishCodecs: [{ mime: 'audio/opus' }, { mime: 'audio/red' }],
		fastPublish: of.path === 'rtc',
	});
}

/** Refuses a resume and sends the client the action to take instead, as a LiveKit server does. */
export function refuseResume(link: SignalLink): void {
	const value = new LeaveRequest({
		reason: DisconnectReason.STATE_MISMATCH,
		action: LeaveRequest_Action.RECONNECT,
		canReconnect: true,
	});
	link.send({ case: 'leave', value });
	link.close();
}

/** An id in LiveKit's format: a prefix and 12 characters. Clients check the prefixes `PA` and `TR`. */
export function newSid(prefix: 'RM' | 'PA' | 'TR'): string {
	return `${prefix}_${randomBytes(9).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y')}`;
}
