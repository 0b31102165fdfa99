import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCreatedId, readOpenedSession, readSession, readSessionPage } from './session-answers.ts';

describe('answers of the session endpoints', () => {
	test('of any shape are read or refused, never thrown at us, and change nothing else', () => {
		const keys = fc.constantFrom(
			'data',
			'sessions',
			'id',
			'publisher',
			'webrtc_url',
			'expires_at',
			'next_page_token',
			'__proto__',
		);
		const shapes = fc.letrec((tie) => ({
			leaf: fc.oneof(
				fc.string(),
				fc.integer(),
				fc.constant(null),
				fc.boolean(),
				fc.constantFrom('..', '.', '\ud800', 'eyJ.e30.x'),
			),
			any: fc.oneof(
				{ maxDepth: 4 },
				tie('leaf'),
				fc.array(tie('any'), { maxLength: 4 }),
				fc.dictionary(keys, tie('any')),
			),
		})).any;
		const before = Object.getOwnPropertyNames(Object.prototype);
		fc.assert(
			fc.property(shapes, (shape) => {
				const ids = [readOpenedSession(shape)?.id, readCreatedId(shape), readSession(shape)?.id];
				for (const session of readSessionPage(shape)?.sessions ?? []) ids.push(session.id);
				// Every id we take can stand in a path and stays below it.
				for (const id of ids) {
					if (typeof id !== 'string') continue;
					const url = new URL(`https://a.example/sessions/${encodeURIComponent(id)}`);
					expect(decodeURIComponent(url.pathname)).toBe(`/sessions/${id}`);
				}
			}),
			{ numRuns: 2000 },
		);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
	});

	test('tell when the publisher token ends', () => {
		const payload = Buffer.from('{"exp":1800000000}').toString('base64url');
		const data = { id: 'x', webrtc_url: 'wss://a.example/', publisher: `eyJ.${payload}.sig`, extra: 1 };
		expect(readOpenedSession({ ok: true, data })).toMatchObject({
			id: 'x',
			tokenExpiresAt: 1_800_000_000_000,
		});
		expect(readOpenedSession({ data: { ...data, publisher: ['plain'] } })).toMatchObject({
			publisher: 'plain',
			tokenExpiresAt: null,
		});
	});

	const coded = (payload: string) => Buffer.from(payload).toString('base64url');
	test.each([
		['one word', null],
		['eyJ.', null],
		['eyJ..sig', null],
		['eyJ.%%%.sig', null],
		[`eyJ.${coded('null')}.sig`, null],
		[`eyJ.${coded('{}')}.sig`, null],
		[`eyJ.${coded('{"exp":"17"}')}.sig`, null],
		[`eyJ.${coded('{"exp":1e999}')}.sig`, null],
		[`eyJ.${coded('{"exp":17}')}`, 17_000],
	])('with the token %s it ends at %s', (publisher, tokenExpiresAt) => {
		const data = { id: 'x', webrtc_url: 'wss://a.example/', publisher };
		expect(readOpenedSession({ data })).toEqual({
			id: 'x',
			webrtcUrl: 'wss://a.example/',
			publisher,
			tokenExpiresAt,
		});
	});

	test('whose id cannot stand in a path name no session', () => {
		const named = (id: unknown) => ({ data: { id, webrtc_url: 'wss://a.example/', publisher: 'x' } });
		for (const id of ['..', '.', '\ud800', 'x'.repeat(4097)]) {
			expect([readOpenedSession(named(id)), readCreatedId(named(id)), readSession(named(id))]).toEqual([
				null,
				null,
				null,
			]);
		}
		expect(readCreatedId({})).toBeNull();
		const page = readSessionPage({ data: [{ id: '..' }, { id: 'a', updated_at: '2026-01-01T00:00:00Z' }] });
		expect(page?.sessions).toEqual([
			{ id: 'a', createdAt: null, updatedAt: Date.UTC(2026, 0, 1), expiresAt: null },
		]);
	});

	test('that cannot be used still show what must be deleted', () => {
		const body = { data: { id: 'made.it', publisher: null, webrtc_url: 7 } };
		expect(readOpenedSession(body)).toBeNull();
		expect(readCreatedId(body)).toBe('made.it');
	});

	test.each([
		[{ data: [{ id: 'a' }], next_page_token: 'n' }, 1, 'n'],
		[{ data: { sessions: [{ id: 'a' }, { id: '' }, null, 'x'] } }, 1, ''],
		[{ data: { sessions: null } }, 0, ''],
		[{ sessions: null, next_page_token: null }, 0, ''],
		[[{ id: 'a', expires_at: 17 }], 1, ''],
		[{ data: null }, 0, ''],
	])('%j is a page', (body, count, next) => {
		const page = readSessionPage(body);
		expect([page?.sessions.length, page?.next]).toEqual([count, next]);
	});

	test.each(['text', 7, null, {}, { ok: true }, { data: 'x' }])('%j is no page', (body) =>
		expect(readSessionPage(body)).toBeNull(),
	);
});
