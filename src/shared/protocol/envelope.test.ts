import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '#shared/problem.ts';
import { problemOfAnswer, readErrorEnvelope } from './envelope.ts';

describe('an error envelope', () => {
	test('gives detail, code and the refused fields', () => {
		const body = {
			ok: false,
			errors: [
				{
					status: 422,
					title: 'Invalid',
					detail: 'Name is too short',
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
			fields: [
				{ field: 'name', text: 'Name is too short' },
				{ field: 'samples.0.lang_code', text: 'Unknown language' },
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
