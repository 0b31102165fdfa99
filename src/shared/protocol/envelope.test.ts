import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '#shared/problem.ts';
import { errorFacts, problemOfAnswer, problemOfOdd, readErrorEnvelope } from './envelope.ts';

describe('an error envelope', () => {
	test('gives every record whole, the first for the sentence', () => {
		const body = {
			ok: false,
			errors: [
				{
					type: 'https://example.com/errors#invalid',
					status: 422,
					title: 'Invalid',
					detail: 'Name is too short',
					instance: '/saas/voice/clone',
					error_code: 100022,
					loc: ['body', 'data', 'name'],
				},
				{
					status: 422,
					title: 'Invalid',
					detail: 'Unknown language',
					error_code: 100022,
					source: { pointer: '/samples/0/lang_code' },
				},
			],
		};
		expect(readErrorEnvelope(422, body)).toEqual({
			status: 422,
			detail: 'Name is too short',
			code: '100022',
			errors: [
				{
					type: 'https://example.com/errors#invalid',
					status: 422,
					title: 'Invalid',
					detail: 'Name is too short',
					instance: '/saas/voice/clone',
					code: '100022',
					field: 'name',
				},
				{
					status: 422,
					title: 'Invalid',
					detail: 'Unknown language',
					code: '100022',
					field: 'samples.0.lang_code',
				},
			],
		});
	});

	test.each([
		[{ errors: [{ title: 'Forbidden resource' }] }, 'Forbidden resource'],
		[{ error: 'session not found' }, 'session not found'],
		[{ error: { message: 'no such thing' } }, 'no such thing'],
		[{ detail: [{ loc: ['query', 'ttl_seconds'], msg: 'Field required' }] }, 'Field required'],
		[{ detail: 'Not authenticated' }, 'Not authenticated'],
		[{ message: 'Bad' }, 'Bad'],
		[{ errors: ['first', 'second'] }, 'first'],
		['{"error":"as text"}', 'as text'],
		['plain words', 'plain words'],
		['', ''],
		[null, ''],
	])('%j says %j', (body, detail) => {
		expect(readErrorEnvelope(400, body).detail).toBe(detail);
	});

	test.each([
		[
			'numbers as text',
			{ errors: [{ status: '403', title: 7, error_code: '12' }] },
			[{ status: 403, title: '7', code: '12' }],
		],
		['one record, not a list', { errors: { detail: 'one' } }, [{ detail: 'one' }]],
		['a text, not a list', { errors: 'all wrong' }, [{ detail: 'all wrong' }]],
		['the old form', { error: 'old words' }, [{ detail: 'old words' }]],
		['a bare problem document', { type: 'about:x', title: 'No' }, [{ type: 'about:x', title: 'No' }]],
		[
			'what says nothing',
			{ errors: [null, 5, [], {}, { type: 'about:x' }, { detail: 'yes' }] },
			[{ detail: 'yes' }],
		],
		['an empty list beside a text', { errors: [], message: 'there' }, [{ detail: 'there' }]],
		[
			'a path in front of the sentence',
			{ errors: [{ detail: 'body.data.name: no' }] },
			[{ detail: 'body.data.name: no', field: 'body.data.name' }],
		],
		['nothing', { errors: [] }, []],
	])('reads %s', (_, body, errors) => {
		expect(readErrorEnvelope(400, body).errors).toEqual(errors);
	});

	test('of a hundred records the first 32 are kept, each text at most 300 characters and without secrets', () => {
		const record = {
			title: 'plbr_1234 x'.padEnd(5000, 'x'),
			detail: 'Bearer abc.def '.padEnd(5000, 'y'),
			type: 'https://example.com/?token=abc&'.padEnd(5000, 'z'),
			instance: '/a?key=abc&'.padEnd(5000, 'i'),
			error_code: 'plbr_5678',
			loc: ['plbr_9012'],
		};
		const few = (number: number) => readErrorEnvelope(400, { errors: Array(number).fill(record) }).errors;
		expect([few(32), few(33), few(100)].map(({ length }) => length)).toEqual([32, 32, 32]);
		const [first] = few(1);
		for (const text of Object.values(first ?? {})) {
			expect(String(text).length).toBeLessThanOrEqual(300);
			expect(text).not.toMatch(/plbr_|abc/);
		}
	});

	test('never shows a secret, markup, or more than 300 characters', () => {
		const { detail } = readErrorEnvelope(403, {
			error: `<b>Bearer abc.def</b> eyJabc.def.ghi plbr_1234 ${'x'.repeat(5000)}`,
		});
		expect(detail).toMatch(/^Bearer \[redacted\] \[jwt\] \[key\] x+$/);
		expect(detail.length).toBe(300);
	});
});

describe('a refusal', () => {
	test('that speaks of a session quota is the limit, of a balance the credit', () => {
		const kindOf = (error: string, status = 403) => problemOfAnswer(status, { error }, 'create-session').kind;
		expect(kindOf('Session quota exceeded')).toBe('session-limit');
		expect(kindOf('Too many active sessions', 429)).toBe('session-limit');
		expect(kindOf('Too many requests', 429)).toBe('rate-limited');
		expect(kindOf('Insufficient balance to open a session')).toBe('no-credit');
		expect(kindOf('Quota used up')).toBe('no-credit');
		expect(kindOf('Not for you')).toBe('forbidden');
	});

	test('of anything but a create is not the limit, and only the code makes it the credit', () => {
		const kindOf = (body: unknown) => problemOfAnswer(403, body, 'list-sessions').kind;
		expect(kindOf({ error: 'Parallel session limit reached' })).toBe('forbidden');
		expect(kindOf({ error: 'credit card required' })).toBe('forbidden');
		expect(kindOf({ errors: [{ error_code: 100050 }] })).toBe('no-credit');
	});

	test('of throttling keeps how long to wait', () => {
		expect(problemOfAnswer(429, '', 'list-sessions', 5000)).toEqual({
			kind: 'rate-limited',
			retryAfterMs: 5000,
		});
	});

	test.each([
		[401, 'list-sessions', 'api-key-rejected'],
		[402, 'list-sessions', 'no-credit'],
		[403, 'list-sessions', 'forbidden'],
		[403, 'create-session', 'forbidden'],
		[404, 'read-session', 'not-found'],
		[409, 'create-session', 'session-limit'],
		[422, 'clone-voice', 'voice-refused'],
		[422, 'extend-session', 'service-failed'],
		[429, 'list-sessions', 'rate-limited'],
		[500, 'list-sessions', 'service-failed'],
	] as const)('%i of %s: %s has the code and every record', (status, what, kind) => {
		const errors = [
			{ title: 'First', detail: 'the first', error_code: 11, type: 'about:a', instance: '/a' },
			{ title: 'Second', detail: 'the second', error_code: 12, type: 'about:b', instance: '/b' },
		];
		expect(problemOfAnswer(status, { ok: false, errors }, what)).toMatchObject({
			kind,
			code: '11',
			errors: [
				{ title: 'First', detail: 'the first', code: '11', type: 'about:a', instance: '/a' },
				{ title: 'Second', detail: 'the second', code: '12', type: 'about:b', instance: '/b' },
			],
		});
	});

	test('for credit is known by the code of any record', () => {
		const body = { errors: [{ detail: 'No' }, { detail: 'Empty', error_code: 100050 }] };
		expect(problemOfAnswer(403, body, 'list-sessions')).toMatchObject({ kind: 'no-credit', code: '100050' });
	});

	test('that comes as a success says why; an answer of another shape has nothing to say', () => {
		const errors = [{ detail: 'Not today', error_code: 9 }];
		expect(problemOfOdd('list', { ok: false, errors })).toEqual({
			kind: 'unexpected-answer',
			what: 'list',
			code: '9',
			errors: [{ detail: 'Not today', code: '9' }],
		});
		expect(problemOfOdd('list', { ok: true, message: 'x' })).toEqual({
			kind: 'unexpected-answer',
			what: 'list',
		});
	});

	test('is logged without its sentences and without ids', () => {
		const errors = [
			{ title: 'No', detail: 'Ana said', error_code: 9, instance: '/session-storage/sessions/abc-1?x=1' },
		];
		expect(errorFacts(problemOfAnswer(404, { errors }, 'read-session'))).toEqual({
			errors: [{ title: 'No', code: '9', instance: '/session-storage/sessions/[id]?x=1' }],
		});
		expect(errorFacts(problemOfAnswer(404, '', 'read-session'))).toEqual({});
	});

	test('by redirect is no answer we read', () => {
		expect(problemOfAnswer(302, '', 'list-sessions')).toEqual({
			kind: 'unexpected-answer',
			what: 'list-sessions: 302',
		});
	});

	test('is always a problem we know', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 100, max: 999 }),
				fc.oneof(fc.jsonValue(), fc.string()),
				(status, body) => {
					for (const wrapped of [body, { errors: body }, { errors: [body] }, { error: body }]) {
						expect(Problem.safeParse(problemOfAnswer(status, wrapped, 'create-session')).success).toBe(true);
					}
				},
			),
		);
	});
});
