import { describe, expect, test } from 'vitest';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { causeOf, problemOfEnd, ruleOf, type SocketEnd } from './close-codes.ts';

const closed = (code: number): SocketEnd => ({ by: 'peer', code, reason: 'words of the peer' });
const silent: SocketEnd = { by: 'silence' };
const failure: SocketEnd = { by: 'failure', cause: 'ECONNRESET' };
const error = (code: string): ServiceErrorMessage => ({ type: 'error', code, text: 'no', field: 'a.b' });

test.each([
	['VALIDATION_ERROR', 'stop'],
	['BAD_REQUEST', 'stop'],
	['AUTH_UNAUTHORIZED', 'auth'],
	['FORBIDDEN', 'auth'],
	['RATE_LIMIT_EXCEEDED', 'wait'],
	['TOO_MANY_CONNECTIONS', 'wait'],
	['SERVICE_TIMEOUT', 'again'],
	['', 'again'],
])('1008 after %s: %s; any other close goes by its own number', (code, rule) => {
	expect(ruleOf(closed(1008), error(code))).toBe(rule);
	expect(ruleOf(closed(1011), error(code))).toBe('again');
	expect(ruleOf(closed(1000), error(code))).toBe('over');
	expect(ruleOf(silent, error(code))).toBe('again');
	expect(ruleOf(failure, error(code))).toBe('again');
});

describe('an end as a person meets it', () => {
	const said = (code: string) => ({ code, errors: [{ code, detail: 'no', field: 'a.b' }] });
	test.each<[string, SocketEnd, ServiceErrorMessage | null, unknown]>([
		['refused', closed(4401), null, { kind: 'api-key-rejected', status: 403 }],
		[
			'refused with words',
			closed(1008),
			error('UNAUTHORIZED'),
			{ kind: 'api-key-rejected', status: 403, ...said('UNAUTHORIZED') },
		],
		['closed', closed(1000), null, { kind: 'session-lost', cause: 'closed by the service' }],
		['too many', closed(1008), null, { kind: 'rate-limited', retryAfterMs: 60_000 }],
		[
			'too many, with words',
			closed(1008),
			error('RATE_LIMIT'),
			{ kind: 'rate-limited', retryAfterMs: 60_000, ...said('RATE_LIMIT') },
		],
		[
			'a task that is wrong',
			closed(1008),
			error('VALIDATION_ERROR'),
			{ kind: 'task-refused', field: 'a.b', detail: 'no' },
		],
		[
			'another mistake',
			closed(1008),
			error('BAD_REQUEST'),
			{ kind: 'connection-lost', reason: 'BAD_REQUEST', final: true },
		],
		[
			'a frame too large',
			closed(1009),
			null,
			{ kind: 'connection-lost', reason: 'closed 1009', final: true },
		],
		['a number', closed(1011), null, { kind: 'connection-lost', reason: 'closed 1011' }],
		['silence', silent, null, { kind: 'connection-lost', reason: 'no answer to a ping' }],
		['the network', failure, null, { kind: 'connection-lost', reason: 'ECONNRESET' }],
	])('%s', (_, end, before, problem) => expect(problemOfEnd(end, before)).toEqual(problem));

	test('is a word that is never the peer’s', () => {
		expect([closed(1006), silent, failure].map(causeOf)).toEqual([
			'closed 1006',
			'no answer to a ping',
			'ECONNRESET',
		]);
	});
});
