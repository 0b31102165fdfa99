import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';
import { readCreatedSession, readSession, readSessionId, readSessionList } from './session.ts';
import { readTimestamp } from './values.ts';

const created = {
	publisher: 'eyJ.secret.token',
	webrtc_url: 'wss://media.example',
	intent: 'api',
	id: 'one',
};

describe('a created session', () => {
	test('without intent and with extras is read', () => {
		const { intent: _, ...rest } = created;
		expect(readCreatedSession({ ok: true, data: { ...rest, organization: 'o' } })).toEqual({
			ok: true,
			value: {
				id: 'one',
				publisher: 'eyJ.secret.token',
				webrtcUrl: 'wss://media.example',
				intent: null,
				wsUrl: null,
			},
		});
	});

	test('with an intent that nobody knows is read', () => {
		const read = readCreatedSession({ ok: true, data: { ...created, intent: 'of-next-year' } });
		expect(read).toMatchObject({ ok: true, value: { id: 'one', intent: 'of-next-year' } });
	});

	test.each([
		['publisher', { ...created, publisher: 7 }],
		['publisher', { ...created, publisher: [] }],
		['publisher', { ...created, publisher: '' }],
		['webrtc_url', { ...created, webrtc_url: null }],
		['id', { ...created, id: {} }],
	])('with a wrong %s is refused by its name, without its value', (name, data) => {
		const read = readCreatedSession({ ok: true, data });
		expect(read).toMatchObject({ ok: false, error: expect.stringMatching(`data.${name}`) });
		expect(JSON.stringify(read)).not.toContain('secret');
	});

	test('whose id is a number is read, and one that would be rounded keeps its digits', () => {
		expect(readCreatedSession({ ok: true, data: { ...created, id: 12345 } })).toMatchObject({
			value: { id: '12345' },
		});
		const json = parseJson('{"data":{"sessions":[{"id":9007199254740993},{"id":7}]}}');
		const list = readSessionList(json.ok ? json.value : null);
		expect(list.sessions.map(({ id }) => id)).toEqual(['9007199254740993', '7']);
	});

	test('that says it is not ok is refused', () => {
		expect(readCreatedSession({ ok: false, data: created }).ok).toBe(false);
	});

	test('gives its id even when the rest cannot be read, so that it can be deleted', () => {
		expect(readSessionId({ ok: true, data: { id: 'one', publisher: null } })).toBe('one');
		expect(readSessionId({ data: { id: 5 } })).toBe('5');
		expect(readSessionId({ data: { id: true } })).toBeNull();
		expect(readSessionId('<html>')).toBeNull();
	});
});

test('what is wrong with a created session is said by its name', () => {
	const refusal = (body: unknown) => {
		const read = readCreatedSession(body);
		return read.ok ? null : read.error;
	};
	expect(refusal({ ok: false, data: created })).toBe('ok is false');
	expect(refusal({ data: { ...created, id: '' } })).toBe('data.id: is empty');
	expect(refusal({ data: { ...created, webrtc_url: '' } })).toBe('data.webrtc_url: is empty');
	expect(refusal({ data: { ...created, publisher: [] } })).toBe('data.publisher: is empty');
	expect(refusal({ data: { ...created, webrtc_url: 5 } })).toMatch(/^data\.webrtc_url: ./);
	expect(refusal({ data: { ...created, intent: 5 } })).toMatch(/^data\.intent: ./);
	expect(refusal({ data: { ...created, ws_url: 5 } })).toMatch(/^data\.ws_url: ./);
	// Bare, of an older deployment, with an address of its own.
	expect(
		readCreatedSession({ ...created, publisher: ['token', 'other'], ws_url: 'wss://own.example' }),
	).toEqual({
		ok: true,
		value: {
			id: 'one',
			publisher: 'token',
			webrtcUrl: 'wss://media.example',
			intent: 'api',
			wsUrl: 'wss://own.example',
		},
	});
});

test.each([
	[{ data: { id: 'one' } }, 'one'],
	[{ id: 'one' }, 'one'],
	[{ id: '' }, null],
	[{ data: { id: 'inner' }, id: 'outer' }, 'inner'],
	[null, null],
])('the id alone of %j is %j', (body, id) => {
	expect(readSessionId(body)).toBe(id);
});

describe('one session', () => {
	const times = { created_at: 'a', updated_at: 'b', expires_at: 'c' };

	test('is read in its data or bare, with the times that are text', () => {
		expect(readSession({ data: { id: 'one', ...times, more: 1 } })).toEqual({
			ok: true,
			value: { id: 'one', ...times },
		});
		expect(readSession({ id: 'one', created_at: 5 })).toEqual({
			ok: true,
			value: { id: 'one', created_at: null, updated_at: null, expires_at: null },
		});
	});

	test('is none where it is refused or has no id', () => {
		expect(readSession({ ok: false, data: { id: 'one' } })).toEqual({ ok: false, error: 'ok is false' });
		for (const body of [{ data: {} }, { data: { id: {} } }, { data: { id: '' } }, null, 'x'])
			expect(readSession(body)).toEqual({ ok: false, error: 'data.id: is missing' });
	});
});

describe('a list', () => {
	test.each([
		['alone', [{ id: 'a' }]],
		['as data', { data: [{ id: 'a' }] }],
		['under sessions', { sessions: [{ id: 'a' }] }],
		['under data.sessions', { data: { sessions: [{ id: 'a' }] } }],
	])('is read %s', (_, body) => {
		const { sessions, recognised } = readSessionList(body);
		expect([sessions.map(({ id }) => id), recognised]).toEqual([['a'], true]);
	});

	test('that is null is an empty one', () => {
		for (const body of [{ data: null }, { sessions: null }, { data: { sessions: null } }, []])
			expect(readSessionList(body)).toEqual({ sessions: [], nextPageToken: null, recognised: true });
	});

	test.each([
		['next', 'next'],
		[17, '17'],
		['', null],
		[null, null],
		[{}, null],
	])('has another page where its token is %j: %j', (next_page_token, token) => {
		expect(readSessionList({ sessions: [], next_page_token }).nextPageToken).toBe(token);
		expect(readSessionList({ data: { sessions: [], next_page_token } }).nextPageToken).toBe(token);
	});

	test('keeps each id once, in order, and leaves out what has none', () => {
		const list = readSessionList({
			data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }, { id: '' }, null, 7, { id: 9 }, { id: [] }],
		});
		expect(list.sessions.map(({ id }) => id)).toEqual(['b', 'a', '9']);
		const [first] = readSessionList([
			{ id: 'a', updated_at: 'first' },
			{ id: 'a', updated_at: 'again' },
		]).sessions;
		expect(first?.updated_at).toBe('first');
	});

	test('keeps a session whose times are malformed', () => {
		const [session] = readSessionList({ data: [{ id: 'a', expires_at: 17, created_at: 'x' }] }).sessions;
		expect(session).toMatchObject({ id: 'a', expires_at: null, created_at: 'x' });
	});

	test.each(['<html>', {}, null, { ok: false, data: [] }, { data: 'x' }])('%j is no list at all', (json) => {
		expect(readSessionList(json)).toEqual({ sessions: [], nextPageToken: null, recognised: false });
	});
});

test('whatever comes, the readers answer', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (json) => {
			for (const body of [json, { data: json }, { ok: true, data: { sessions: json } }, { data: [json] }]) {
				readCreatedSession(body);
				readSession(body);
				readSessionId(body);
				expect(Array.isArray(readSessionList(body).sessions)).toBe(true);
			}
		}),
	);
});

describe('a time', () => {
	test('is read as the platform reads it', () => {
		const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
		fc.assert(fc.property(date, (at) => readTimestamp(at.toISOString()) === at.getTime()));
	});

	test.each([
		['2024-10-11T09:02:56Z', '2024-10-11T09:02:56.000Z'],
		['2024-10-11T09:02:56', '2024-10-11T09:02:56.000Z'],
		['2024-10-11 09:02:56.123456+00:00', '2024-10-11T09:02:56.123Z'],
		['2024-10-11T11:02:56+0200', '2024-10-11T09:02:56.000Z'],
		['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
	])('%s is %s', (text, same) => {
		expect(readTimestamp(text)).toBe(Date.parse(same));
	});

	test.each(['', 'soon', '2023-02-29T00:00:00Z', '2024-13-01T00:00:00Z', '2024-10-11T25:00:00Z', null, 17])(
		'%j is none',
		(text) => {
			expect(readTimestamp(text)).toBeNull();
		},
	);
});
