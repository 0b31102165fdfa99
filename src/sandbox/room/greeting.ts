import {
	DisconnectReason,
	JoinResponse,
	LeaveRequest,
	LeaveRequest_Action,
	type ParticipantInfo,
	type Room as RoomInfo,
} from '@livekit/protocol';
import type { Generation } from './generation.ts';
import type { JoinOptions, SignalLink } from './signal.ts';

/** As LiveKit's own defaults. */
const PING_INTERVAL_S = 5;
const PING_TIMEOUT_S = 15;

/** The first message to a client that has joined; the values are those of the real servers. */
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

/** Refuses a resume and tells the client what to do instead, as a LiveKit server does. */
export function refuseResume(link: SignalLink): void {
	const value = new LeaveRequest({
		reason: DisconnectReason.STATE_MISMATCH,
		action: LeaveRequest_Action.RECONNECT,
		canReconnect: true,
	});
	link.send({ case: 'leave', value });
	link.close();
}
