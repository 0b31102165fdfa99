import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	causeOf,
	createReconnect,
	failureOf,
	failureOfEnd,
	problemOfEnd,
	restoreConnection,
	ruleOf,
	type SocketEnd,
} from './socket-ends.ts';

describe('close codes', () => {
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
});

const closed = (code: number) => ({ by: 'peer', code, reason: '' }) as const;
const error = (code: string): ServiceErrorMessage => ({ type: 'error', code, text: 'words', field: 'a.b' });
const lost = failureOfEnd(closed(1006), null);

describe('what a close means', () => {
	test.each([
		...[1001, 1005, 1006, 1011, 1012, 1013, 1014, 4000, 4999].map((code) => [code, 'again'] as const),
		...[1002, 1003, 1007, 1009].map((code) => [code, 'stop'] as const),
		...[4001, 4003, 4401, 4403].map((code) => [code, 'auth'] as const),
		[1000, 'over'],
		[1008, 'wait'],
	] as const)('%i: %s', (code, rule) => expect(ruleOf(closed(code), null)).toBe(rule));

	test.each([
		['SERVICE_TIMEOUT', 'again'],
		['VALIDATION_ERROR', 'stop'],
		['RATE_LIMIT_EXCEEDED', 'wait'],
		['UNAUTHORIZED', 'auth'],
		['SOMETHING_NEW', 'again'],
	])('1008 right after %s: %s', (code, rule) => expect(ruleOf(closed(1008), error(code))).toBe(rule));

	test('a half-open path and a broken frame are tried again', () => {
		expect(ruleOf({ by: 'silence' }, null)).toBe('again');
		expect(ruleOf({ by: 'failure', cause: 'X' }, null)).toBe('again');
	});
});

describe('reconnecting', () => {
	test('waits 1, 2, 4 and 8 s and then gives up with the last cause', () => {
		const reconnect = createReconnect(() => 0.5);
		const verdicts = Array.from({ length: 5 }, () => reconnect.after(lost, 0));
		expect(verdicts.slice(0, 4)).toEqual(
			[1000, 2000, 4000, 8000].map((afterMs) => ({ do: 'again', afterMs })),
		);
		expect(verdicts[4]).toEqual({ do: 'stop', problem: { kind: 'connection-lost', reason: 'closed 1006' } });
	});

	test('begins anew only after half a minute of running', () => {
		const reconnect = createReconnect(() => 0.5);
		reconnect.after(lost, 0);
		reconnect.live(1000);
		expect(reconnect.after(lost, 20_000)).toEqual({ do: 'again', afterMs: 2000 });
		reconnect.live(30_000);
		expect(reconnect.after(lost, 60_000)).toEqual({ do: 'again', afterMs: 1000 });
	});

	test('after a bare 1008 waits a minute, once', () => {
		const reconnect = createReconnect(() => 0.5);
		const limited = failureOfEnd(closed(1008), null);
		expect(reconnect.after(limited, 0)).toEqual({ do: 'again', afterMs: 60_000 });
		expect(reconnect.after(limited, 60_000)).toMatchObject({ do: 'stop', problem: { kind: 'rate-limited' } });
	});

	test.each([
		[5000, 5000],
		[60_000, 60_000],
		[60_001, 60_000],
		[0, 60_000],
	])('asked to wait %d ms, it waits %d', (retryAfterMs, afterMs) => {
		const limited = failureOf({ kind: 'rate-limited', retryAfterMs });
		expect(createReconnect(() => 0.5).after(limited, 0)).toEqual({ do: 'again', afterMs });
	});

	test.each([
		[29_999, 'stop'],
		[30_000, 'again'],
	] as const)('a wait is forgiven after half a minute of running: after %d ms it does %s', (ranMs, next) => {
		const reconnect = createReconnect(() => 0.5);
		const limited = failureOf({ kind: 'rate-limited', retryAfterMs: 1000 });
		reconnect.after(limited, 0);
		reconnect.live(1000);
		expect(reconnect.after(limited, 1000 + ranMs).do).toBe(next);
	});

	test.each([
		failureOf({ kind: 'api-key-rejected', status: 403 }),
		failureOf({ kind: 'task-refused', field: '', detail: '' }),
		failureOf({ kind: 'no-credit', detail: '' }),
		failureOf({ kind: 'socket-off', socket: 's2s' }),
		failureOfEnd(closed(1000), null),
		failureOfEnd(closed(4001), null),
		failureOfEnd(closed(1008), error('VALIDATION_ERROR')),
	])('never tries again after $problem.kind', (failure) =>
		expect(createReconnect(() => 0)).toSatisfy(
			(it: ReturnType<typeof createReconnect>) => it.after(failure, 0).do === 'stop',
		),
	);

	test('is bounded whatever happens in a row, and never faster than the connection limit', () => {
		const troubles = fc.constantFrom(
			lost,
			failureOfEnd(closed(1008), null),
			failureOf({ kind: 'rate-limited', retryAfterMs: 1 }),
		);
		fc.assert(
			fc.property(
				fc.array(troubles, { minLength: 12, maxLength: 30 }),
				fc.double({ min: 0, max: 0.999, noNaN: true }),
				(list, random) => {
					const reconnect = createReconnect(() => random);
					const verdicts = list.map((failure) => reconnect.after(failure, 0));
					expect(verdicts.filter((verdict) => verdict.do === 'again').length).toBeLessThanOrEqual(5);
				},
			),
		);
	});
});

test.each([
	[0, [800, 1600, 3200, 6400]],
	[0.25, [900, 1800, 3600, 7200]],
	[1, [1200, 2400, 4800, 9600]],
])('with the luck of %d it waits %j: a fifth less to a fifth more', (luck, delays) => {
	const reconnect = createReconnect(() => luck);
	expect(delays.map(() => reconnect.after(lost, 0))).toEqual(
		delays.map((afterMs) => ({ do: 'again', afterMs })),
	);
});

test('what ran counts for the failure after it alone', () => {
	const reconnect = createReconnect(() => 0.5);
	reconnect.after(lost, 0);
	reconnect.live(0);
	expect(reconnect.after(lost, 30_000)).toEqual({ do: 'again', afterMs: 1000 });
	expect(reconnect.after(lost, 60_000)).toEqual({ do: 'again', afterMs: 2000 });
});

test('what may be done about a connection that could not be made', () => {
	const rules = (problems: readonly Problem[]) => problems.map((problem) => failureOf(problem).rule);
	expect(
		rules([
			{ kind: 'service-unreachable', cause: 'x' },
			{ kind: 'certificate-untrusted', cause: 'x' },
			{ kind: 'timed-out', what: 'x', afterMs: 1 },
			{ kind: 'connection-lost', reason: 'x' },
			{ kind: 'interpreter-silent', afterMs: 1 },
			...[408, 409, 500, 503].map((status) => ({ kind: 'service-failed', status, detail: '' }) as const),
		]),
	).toEqual(Array(9).fill('again'));
	expect(
		rules([
			{ kind: 'rate-limited', retryAfterMs: 1 },
			{ kind: 'api-key-rejected', status: 401 },
			...[400, 410, 499].map((status) => ({ kind: 'service-failed', status, detail: '' }) as const),
			{ kind: 'cancelled' },
		]),
	).toEqual(['wait', 'auth', 'stop', 'stop', 'stop', 'stop']);
});

describe('restoring a connection', () => {
	/** The attempts end as `ends` lists them; the last one repeats. */
	function stage(...ends: readonly (Problem | 'fine' | 'gone')[]) {
		const clock = createManualClock();
		const control = new AbortController();
		const at: number[] = [];
		const tried: unknown[] = [];
		const restored = restoreConnection(lost, {
			reconnect: createReconnect(() => 0.5),
			clock,
			signal: control.signal,
			tried: ({ problem }, next) => void tried.push([problem.kind, next.do]),
			async connectOnce() {
				const end = ends[Math.min(at.length, ends.length - 1)] ?? 'fine';
				at.push(clock.now());
				if (end === 'gone') control.abort();
				return typeof end === 'string' ? ok() : err(failureOf(end));
			},
		});
		return { clock, control, at, tried, restored };
	}

	test('tries again, each time a little later, until there is one', async () => {
		const rig = stage({ kind: 'timed-out', what: 'x', afterMs: 1 }, 'fine');
		await rig.clock.run(60_000);
		expect(await rig.restored).toEqual(ok());
		expect(rig.at).toEqual([1000, 3000]);
		expect(rig.tried).toEqual([
			['connection-lost', 'again'],
			['timed-out', 'again'],
		]);
	});

	test('stops at what cannot be helped, with that problem', async () => {
		const problem: Problem = { kind: 'no-credit', detail: '' };
		const rig = stage(problem);
		await rig.clock.run(60_000);
		expect(await rig.restored).toEqual(err(problem));
		expect([rig.at, rig.tried.at(-1), rig.clock.pending]).toEqual([[1000], ['no-credit', 'stop'], 0]);
	});

	test('ends while it waits, and with the connection that nobody wants any more', async () => {
		const waiting = stage('fine');
		await waiting.clock.run(999);
		waiting.control.abort();
		expect([await waiting.restored, waiting.at]).toEqual([err({ kind: 'cancelled' }), []]);
		const made = stage('gone');
		await made.clock.run(1000);
		expect([await made.restored, made.at]).toEqual([err({ kind: 'cancelled' }), [1000]]);
	});
});
