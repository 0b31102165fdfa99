import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCreatedSession, readSession, readSessionId, readSessionList } from './session.ts';
import { readTimestamp } from './timestamp.ts';

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
		['id', { ...created, id: 5 }],
	])('with a wrong %s is refused by its name, without its value', (name, data) => {
		const read = readCreatedSession({ ok: true, data });
		expect(read).toMatchObject({ ok: false, error: expect.stringMatching(`data.${name}`) });
		expect(JSON.stringify(read)).not.toContain('secret');
	});

	test('that says it is not ok is refused', () => {
		expect(readCreatedSession({ ok: false, data: created }).ok).toBe(false);
	});

	test('gives its id even when the rest cannot be read, so that it can be deleted', () => {
		expect(readSessionId({ ok: true, data: { id: 'one', publisher: null } })).toBe('one');
		expect(readSessionId({ data: { id: 5 } })).toBeNull();
		expect(readSessionId('<html>')).toBeNull();
	});
});

describe('a list', () => {
	test('keeps each id once, in order, and leaves out what has none', () => {
		const list = readSessionList({
			data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }, { id: '' }, null, 7, { id: 9 }],
		});
		expect(list.sessions.map(({ id }) => id)).toEqual(['b', 'a']);
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
