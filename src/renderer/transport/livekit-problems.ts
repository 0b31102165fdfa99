import type { ConnectionErrorReason, DisconnectReason } from 'livekit-client';
import type { Problem } from '#shared/problem.ts';

/**
 * The library's reasons for a failed join,
 * with the HTTP `status` if there is one (livekit-client 2.18.7 `room/errors.ts`).
 */
const REFUSALS: {
	readonly [Reason in keyof typeof ConnectionErrorReason]: (status: number | undefined) => Problem;
} = {
	// 404 is "requested room does not exist": the session behind the token is gone.
	NotAllowed: (status) =>
		status === 404
			? { kind: 'session-lost', cause: 'room-not-found' }
			: { kind: 'room-refused', reason: status ? `not-allowed-${status}` : 'not-allowed' },
	ServerUnreachable: () => ({ kind: 'room-unreachable', reason: 'server-unreachable' }),
	InternalError: () => ({ kind: 'room-unreachable', reason: 'no-media-connection' }),
	Cancelled: () => ({ kind: 'cancelled' }),
	LeaveRequest: () => ({ kind: 'room-refused', reason: 'sent-away' }),
	Timeout: () => ({ kind: 'room-unreachable', reason: 'timeout' }),
	WebSocket: () => ({ kind: 'room-unreachable', reason: 'websocket' }),
	ServiceNotFound: () => ({ kind: 'room-unreachable', reason: 'not-a-room-server' }),
};

/** The problem for each reason of the server to end the room (livekit protocol `DisconnectReason`). */
const ENDINGS: { readonly [Reason in keyof typeof DisconnectReason]: Problem } = {
	/** The library gave up reconnecting, which includes a token that has expired meanwhile. */
	UNKNOWN_REASON: { kind: 'connection-lost', reason: 'gave-up' },
	/** We ended the room: `close` was called, or the page is going away. */
	CLIENT_INITIATED: { kind: 'cancelled' },
	DUPLICATE_IDENTITY: { kind: 'opened-elsewhere' },
	SERVER_SHUTDOWN: { kind: 'connection-lost', reason: 'server-shutdown' },
	PARTICIPANT_REMOVED: { kind: 'session-lost', cause: 'participant-removed' },
	ROOM_DELETED: { kind: 'session-lost', cause: 'room-deleted' },
	STATE_MISMATCH: { kind: 'connection-lost', reason: 'state-mismatch' },
	JOIN_FAILURE: { kind: 'connection-lost', reason: 'join-failure' },
	MIGRATION: { kind: 'connection-lost', reason: 'migration' },
	SIGNAL_CLOSE: { kind: 'connection-lost', reason: 'signal-closed' },
	ROOM_CLOSED: { kind: 'session-lost', cause: 'room-closed' },
	/** These reasons concern telephone calls; listed so that every reason is handled. */
	USER_UNAVAILABLE: { kind: 'session-lost', cause: 'user-unavailable' },
	USER_REJECTED: { kind: 'session-lost', cause: 'user-rejected' },
	SIP_TRUNK_FAILURE: { kind: 'session-lost', cause: 'sip-trunk-failure' },
	CONNECTION_TIMEOUT: { kind: 'connection-lost', reason: 'timeout' },
	MEDIA_FAILURE: { kind: 'connection-lost', reason: 'media-failure' },
	AGENT_ERROR: { kind: 'session-lost', cause: 'agent-error' },
};

/** The problem of an error of `connect` or `publishTrack`. Reads the number: `reasonName` may be old (2.18.7). */
export function joinProblem(
	error: unknown,
	names: { readonly ConnectionErrorReason: Readonly<Record<number, string>> } | null,
): Problem {
	if (!(error instanceof Error)) return { kind: 'room-unreachable', reason: typeof error };
	if (error.name === 'ConnectionError' && 'reason' in error && typeof error.reason === 'number') {
		const name = names?.ConnectionErrorReason[error.reason];
		if (name !== undefined && name in REFUSALS)
			return REFUSALS[name as keyof typeof REFUSALS](statusOf(error));
	}
	// `PublishTrackError`: 403 no permission to publish, 408 no signal connection in time.
	if (error.name === 'PublishTrackError') {
		return statusOf(error) === 403
			? { kind: 'room-refused', reason: 'publishing-not-allowed' }
			: { kind: 'room-unreachable', reason: 'publishing' };
	}
	return { kind: 'room-unreachable', reason: error.name };
}

/** `name` is the reason's name; undefined when the library gave none. */
export function endProblem(name: string | undefined): Problem {
	return name !== undefined && name in ENDINGS
		? ENDINGS[name as keyof typeof ENDINGS]
		: ENDINGS.UNKNOWN_REASON;
}

function statusOf(error: Error): number | undefined {
	return 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
