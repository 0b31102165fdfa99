import { ConnectionError, ConnectionErrorReason, DisconnectReason, PublishTrackError } from 'livekit-client';
import { describe, expect, test } from 'vitest';
import { endProblem, joinProblem } from './livekit-problems.ts';

const names = { ConnectionErrorReason };

describe('why a room could not be joined', () => {
	test.each([
		[
			'token refused',
			ConnectionError.notAllowed('', 401),
			{ kind: 'room-refused', reason: 'not-allowed-401' },
		],
		[
			'not permitted',
			ConnectionError.notAllowed('', 403),
			{ kind: 'room-refused', reason: 'not-allowed-403' },
		],
		['room gone', ConnectionError.notAllowed('', 404), { kind: 'session-lost', cause: 'room-not-found' }],
		[
			'no answer',
			ConnectionError.serverUnreachable(''),
			{ kind: 'room-unreachable', reason: 'server-unreachable' },
		],
		[
			'no media path',
			ConnectionError.internal(''),
			{ kind: 'room-unreachable', reason: 'no-media-connection' },
		],
		['cancelled', ConnectionError.cancelled(''), { kind: 'cancelled' }],
		[
			'sent away',
			ConnectionError.leaveRequest('', DisconnectReason.ROOM_CLOSED),
			{ kind: 'room-refused', reason: 'sent-away' },
		],
		['too slow', ConnectionError.timeout(''), { kind: 'room-unreachable', reason: 'timeout' }],
		['socket', ConnectionError.websocket(''), { kind: 'room-unreachable', reason: 'websocket' }],
		[
			'not a room server',
			ConnectionError.serviceNotFound('', 'v0-rtc'),
			{ kind: 'room-unreachable', reason: 'not-a-room-server' },
		],
		[
			'may not publish',
			new PublishTrackError('', 403),
			{ kind: 'room-refused', reason: 'publishing-not-allowed' },
		],
		[
			'not published in time',
			new PublishTrackError('', 408),
			{ kind: 'room-unreachable', reason: 'publishing' },
		],
		['anything else', new TypeError('x'), { kind: 'room-unreachable', reason: 'TypeError' }],
		['not even an error', 'no', { kind: 'room-unreachable', reason: 'string' }],
	])('%s', (_what, thrown, problem) => {
		expect(joinProblem(thrown, names)).toEqual(problem);
	});

	test('is judged by the number of the reason, which the library rewrites without its name', () => {
		const error = ConnectionError.serverUnreachable(
			'could not establish signal connection',
		) as ConnectionError;
		error.reason = ConnectionErrorReason.NotAllowed;
		error.status = 401;
		expect(error.reasonName).toBe('ServerUnreachable');
		expect(joinProblem(error, names)).toEqual({ kind: 'room-refused', reason: 'not-allowed-401' });
	});

	test('has an answer to every reason of this version', () => {
		for (const reason of Object.values(ConnectionErrorReason)) {
			if (typeof reason !== 'number') continue;
			const error = ConnectionError.internal('') as ConnectionError;
			error.reason = reason;
			expect(joinProblem(error, names).kind, ConnectionErrorReason[reason]).toBeDefined();
		}
	});
});

describe('why a room is over', () => {
	test.each([
		[undefined, { kind: 'connection-lost', reason: 'gave-up' }],
		['SOMETHING_NEW', { kind: 'connection-lost', reason: 'gave-up' }],
		['UNKNOWN_REASON', { kind: 'connection-lost', reason: 'gave-up' }],
		['CLIENT_INITIATED', { kind: 'cancelled' }],
		['DUPLICATE_IDENTITY', { kind: 'opened-elsewhere' }],
		['SERVER_SHUTDOWN', { kind: 'connection-lost', reason: 'server-shutdown' }],
		['PARTICIPANT_REMOVED', { kind: 'session-lost', cause: 'participant-removed' }],
		['ROOM_DELETED', { kind: 'session-lost', cause: 'room-deleted' }],
		['STATE_MISMATCH', { kind: 'connection-lost', reason: 'state-mismatch' }],
		['JOIN_FAILURE', { kind: 'connection-lost', reason: 'join-failure' }],
		['MIGRATION', { kind: 'connection-lost', reason: 'migration' }],
		['SIGNAL_CLOSE', { kind: 'connection-lost', reason: 'signal-closed' }],
		['ROOM_CLOSED', { kind: 'session-lost', cause: 'room-closed' }],
		['USER_UNAVAILABLE', { kind: 'session-lost', cause: 'user-unavailable' }],
		['USER_REJECTED', { kind: 'session-lost', cause: 'user-rejected' }],
		['SIP_TRUNK_FAILURE', { kind: 'session-lost', cause: 'sip-trunk-failure' }],
		['CONNECTION_TIMEOUT', { kind: 'connection-lost', reason: 'timeout' }],
		['MEDIA_FAILURE', { kind: 'connection-lost', reason: 'media-failure' }],
		['AGENT_ERROR', { kind: 'session-lost', cause: 'agent-error' }],
	])('%s', (name, problem) => {
		expect(endProblem(name)).toEqual(problem);
	});
});
