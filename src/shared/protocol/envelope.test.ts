import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '#shared/problem.ts';
import {
	errorFacts,
	problemOfAnswer,
	problemOfOdd,
	readErrorEnvelope,
	saidBy,
	withoutIds,
	withoutSecrets,
} from './envelope.ts';

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

describe('one record', () => {
	const record = (given: object) => readErrorEnvelope(400, { errors: [{ detail: 'x', ...given }] }).errors[0];

	test.each([
		[400, 400],
		[599, 599],
		[399, undefined],
		[600, undefined],
		[404.5, undefined],
		['404', 404],
		['4040', undefined],
		['1404', undefined],
		['404x', undefined],
		['x404', undefined],
		[[404], undefined],
	])('with the status %j has %j', (status, read) => {
		expect(record({ status })?.status).toBe(read);
	});

	test.each([
		[{ error_code: 7, code: 8 }, '7'],
		[{ code: 8 }, '8'],
		[{ error_code: Number.NaN, code: 'c' }, 'c'],
		[{ error_code: '<b></b>', code: 'c' }, 'c'],
		[{ error_code: {}, code: [] }, undefined],
		[{ error_code: 'x'.repeat(65) }, 'x'.repeat(64)],
	])('of %j has the code %j', (given, code) => {
		expect(record(given)?.code).toBe(code);
	});

	test.each([
		[{ loc: ['body', 'a', 0] }, 'a.0'],
		[{ field: 'a' }, 'a'],
		[{ param: 'a' }, 'a'],
		[{ source: { pointer: '/a/b/0' } }, 'a.b.0'],
		[{ loc: ['a'], field: 'b', param: 'c' }, 'a'],
		[{ field: 'b', param: 'c', source: { pointer: 'd' } }, 'b'],
		[{ param: 'c', source: { pointer: 'd' } }, 'c'],
		[{ field: 'a/b' }, 'a.b'],
		[{ detail: ' data.name : too short' }, 'data.name'],
		[{ detail: 'samples[0].x: no' }, 'samples[0].x'],
		[{ detail: 'in body.x: no' }, undefined],
		[{ detail: 'body x: no' }, undefined],
		[{ detail: 'bodyx: no' }, undefined],
		[{ loc: ['a'], detail: 'body.b: no' }, 'a'],
	])('of %j has the field %j', (given, field) => {
		expect(record(given)?.field).toBe(field);
	});

	test('takes a number for a text, and the first name that says anything', () => {
		expect(record({ detail: 5 })?.detail).toBe('5');
		expect(record({ detail: Number.NaN, message: 'm' })?.detail).toBe('m');
		expect(record({ detail: ' ', message: 'm', msg: 'n' })?.detail).toBe('m');
		expect(record({ detail: null, desc: 'd', description: 'e' })?.detail).toBe('d');
		expect(record({ detail: null, description: 'e', error: 'f' })?.detail).toBe('e');
	});
});

describe('what a problem says is', () => {
	test('carried by another in its place', () => {
		const errors = [{ detail: 'x', code: '7' }];
		expect(saidBy({ kind: 'forbidden', detail: 'x', code: '7', errors })).toEqual({ code: '7', errors });
		expect(saidBy({ kind: 'forbidden', detail: 'x', code: '7' })).toEqual({ code: '7' });
		expect(saidBy({ kind: 'forbidden', detail: 'x', errors })).toEqual({ errors });
		expect(saidBy({ kind: 'forbidden', detail: 'x' })).toEqual({});
	});

	test.each([
		['/session-storage/sessions/abc-1?x=1', '/session-storage/sessions/[id]?x=1'],
		['/session/abc/more', '/session/[id]/more'],
		['/m/abc#x', '/m/[id]#x'],
		['/sessions/a/m/b', '/sessions/[id]/m/[id]'],
		['/sessions/', '/sessions/'],
		['/other/abc', '/other/abc'],
	])('logged without ids: %s', (instance, told) => {
		expect(withoutIds(instance)).toBe(told);
	});

	test('logged without an occurrence where there was none', () => {
		const errors = [{ title: 'No', detail: 'Ana said' }];
		expect(errorFacts(problemOfAnswer(404, { errors }, 'read-session'))).toEqual({
			errors: [{ title: 'No' }],
		});
	});
});

describe('a refusal', () => {
	test.each([
		[400, 'read-session', {}, { kind: 'service-failed', status: 400 }],
		[399, 'read-session', {}, { kind: 'unexpected-answer', what: 'read-session: 399' }],
		[400, 'create-session', { code: 100_050 }, { kind: 'service-failed' }],
		[409, 'read-session', { code: 100_050 }, { kind: 'no-credit' }],
		[429, 'read-session', { code: 100_050 }, { kind: 'no-credit' }],
		[500, 'create-session', { code: 100_060 }, { kind: 'service-failed' }],
		[403, 'create-session', { code: 100_060 }, { kind: 'session-limit' }],
		[429, 'create-session', { code: 100_060 }, { kind: 'session-limit' }],
		[403, 'create-session', { code: 100_060, title: 'See billing' }, { kind: 'session-limit' }],
		[403, 'create-session', { title: 'Maximum reached' }, { kind: 'session-limit' }],
		[429, 'create-session', { title: 'Maximum reached' }, { kind: 'rate-limited' }],
		[429, 'create-session', { title: 'Maximum of sessions' }, { kind: 'session-limit' }],
		[403, 'create-session', { title: 'Sessions are not for you' }, { kind: 'forbidden' }],
		[403, 'open-socket', { code: 100_060 }, { kind: 'session-limit' }],
		[429, 'open-socket', { title: 'Maximum of sessions' }, { kind: 'session-limit' }],
		[429, 'open-socket', { title: 'Too many connections' }, { kind: 'rate-limited' }],
		[409, 'open-socket', { code: 100_060 }, { kind: 'service-failed', status: 409 }],
		[403, 'open-socket', { title: 'Insufficient balance' }, { kind: 'no-credit' }],
		[403, 'open-socket', { title: 'No such key' }, { kind: 'forbidden' }],
		[403, 'clone-voice', { detail: 'x', field: 'a' }, { kind: 'forbidden' }],
		[415, 'clone-voice', { detail: 'x' }, { kind: 'voice-refused', status: 415, field: '' }],
		[413, 'clone-voice', { detail: 'x', field: 'a' }, { kind: 'voice-refused', status: 413, field: 'a' }],
	] as const)('%i of %s saying %j', (status, what, said, problem) => {
		expect(problemOfAnswer(status, { errors: [said] }, what)).toMatchObject(problem);
	});

	test('names the first field that any record names', () => {
		const errors = [{ detail: 'x' }, { detail: 'y', field: 'name' }, { detail: 'z', field: 'other' }];
		expect(problemOfAnswer(422, { errors }, 'clone-voice')).toMatchObject({ field: 'name', detail: 'x' });
	});

	test('that speaks of a session quota is the limit, of a balance the credit', () => {
		const kindOf = (error: string, status = 403) => problemOfAnswer(status, { error }, 'create-session').kind;
		expect(kindOf('Session quota exceeded')).toBe('session-limit');
		expect(kindOf('Too many active sessions', 429)).toBe('session-limit');
		expect(kindOf('Too many requests', 429)).toBe('rate-limited');
		expect(kindOf('Insufficient balance to open a session')).toBe('no-credit');
		expect(kindOf('Quota used up')).toBe('no-credit');
		expect(kindOf('Too many parallel sessions for your billing plan')).toBe('session-limit');
		expect(kindOf('No credit for concurrent sessions')).toBe('no-credit');
		expect(kindOf('Billing is not set up')).toBe('no-credit');
		expect(kindOf('Not for you')).toBe('forbidden');
	});

	test('of what opens no session is not the limit, and only the code makes it the credit', () => {
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

const SECRET = 'quite-a-secret';

test('a secret is gone from JSON however its letters are written, and from other text', () => {
	const escaped = [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
	const body = `{"said":["${escaped}"],"n":1}`;
	const clean = withoutSecrets(body, [SECRET]);
	expect(clean).not.toContain(SECRET);
	expect(JSON.parse(clean)).toEqual({ said: [expect.not.stringContaining(SECRET)], n: 1 });
	const text = withoutSecrets(`no JSON: ${SECRET}!`, [SECRET]);
	expect(text).not.toContain(SECRET);
	expect(text).toMatch(/^no JSON: .+!$/);
});

test('what has no secret in it is left as it is', () => {
	expect(withoutSecrets('{"a":[1,"two",null]}', [SECRET])).toBe('{"a":[1,"two",null]}');
	expect(withoutSecrets('plain words', [SECRET])).toBe('plain words');
	expect(withoutSecrets('', [])).toBe('');
});
