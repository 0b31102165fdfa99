import { describe, expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { BASE, createAnsweringService, type Reply } from '#test/support/answering-service.ts';
import { createVoiceClient, type VoiceAccount, type VoiceClientParts } from './voice-client.ts';

type Changed = Partial<Pick<VoiceClientParts, 'baseUrl' | 'key' | 'voiceToken' | 'allowedHosts'>>;

function clientOf(replies: readonly Reply[], changed: Changed = {}) {
	const service = createAnsweringService(...replies);
	const client = createVoiceClient({
		...service,
		baseUrl: () => BASE,
		key: () => 'the-key',
		voiceToken: () => 'the-token',
		allowedHosts: () => [],
		...changed,
	});
	return { ...service, client };
}

function accountOf(replies: readonly Reply[], changed: Changed = {}) {
	const rig = clientOf(replies, changed);
	const account = rig.client.account();
	if (!account.ok) throw new Error(account.error.kind);
	return { ...rig, account: account.value };
}

const voice = (fields = {}) => ({
	json: { data: { voice_id: 'v', name: 'Ana', processing_status: 'pending', lang_code: 'es', ...fields } },
});
const record = {
	voiceId: 'v',
	name: 'Ana',
	status: 'pending',
	createdAt: null,
	language: 'es',
	hasExternalVoice: null,
	uploads: [],
	warnings: [],
	errors: [],
};
const request = {
	data: {
		name: 'Ana',
		samples: [
			{
				filename: 'me.wav',
				mime_type: 'audio/wav' as const,
				lang_code: 'es',
				display_name: 'me.wav',
				item_id: '5b0a1a3e-0000-4000-8000-000000000000',
			},
		],
	},
} as Parameters<VoiceAccount['clone']>[0];

describe('the account', () => {
	test.each([
		[null, 'the-key', 'none'],
		['', 'the-key', 'none'],
		['the-key', 'the-key', 'api-key'],
		['the-token', 'the-key', 'voice-token'],
		['the-token', null, 'voice-token'],
	])('with token %j and key %j asks with: %s', (token, key, credential) => {
		const { client } = clientOf([], { voiceToken: () => token, key: () => key });
		expect(client.credential()).toBe(credential);
		const account = client.account();
		if (credential === 'none') expect(account).toEqual(err({ kind: 'api-key-missing' }));
		else expect(account.ok).toBe(true);
	});

	test('is none at an address that no token goes to', () => {
		expect(clientOf([], { baseUrl: () => 'http://api.example.com' }).client.account()).toEqual(
			err({ kind: 'address-refused', host: 'api.example.com' }),
		);
	});

	test('is the key’s, whatever the token: told apart by sixteen digits', () => {
		const hash = (salt: string, changed: Changed = {}) => accountOf([], changed).account.hash(salt);
		const own = hash('a');
		expect(own).toMatch(/^[0-9a-f]{16}$/);
		expect(hash('a', { voiceToken: () => 'other-token' })).toBe(own);
		expect(hash('a', { baseUrl: () => `${BASE}//` })).toBe(own);
		const without = hash('a', { key: () => null });
		expect(without).toBe(hash('a', { key: () => 'the-token' }));
		const others = [
			hash('b'),
			hash('a', { key: () => 'other-key' }),
			hash('a', { baseUrl: () => `${BASE}/v1` }),
			without,
		];
		expect(new Set([own, ...others]).size).toBe(5);
	});
});

describe('describing a voice', () => {
	test('sends the description with the token', async () => {
		const { account, asked } = accountOf([voice()]);
		expect(await account.clone(request)).toEqual(ok(record));
		expect(asked).toMatchObject([
			{ line: 'POST /saas/voice/clone', headers: { authorization: 'Bearer the-token' } },
		]);
		expect(JSON.parse(asked[0]?.body ?? '')).toEqual(request);
	});

	const odd = (what: string) => ({ kind: 'unexpected-answer', what: `clone-voice: ${what}` });
	test.each<[Reply, unknown]>([
		[422, { problem: { kind: 'voice-refused', status: 422, field: '', detail: '' }, made: 'no' }],
		[401, { problem: { kind: 'voice-token-rejected', status: 401 }, made: 'no' }],
		[500, { problem: { kind: 'service-failed', status: 500, detail: '' }, made: 'maybe' }],
		[{ json: {} }, { problem: odd('data.voice_id: is missing'), made: 'maybe' }],
	])('answered %j says whether a voice may be there, and is not done twice', async (reply, failure) => {
		const { account, over, asked } = accountOf([reply]);
		expect(await over(3000, account.clone(request))).toEqual(err(failure));
		expect(asked).toHaveLength(1);
	});
});

describe('reading a voice', () => {
	test('asks by its id, encoded', async () => {
		const { account, lines } = accountOf([voice()]);
		expect(await account.read('a/b')).toEqual(ok(record));
		expect(lines()).toEqual(['GET /saas/voice/m/a%2Fb']);
	});

	test('repeats no token, whatever the service says', async () => {
		const { account } = accountOf([
			voice({ processing_result: { warnings: ['by the-token'], errors: ['no the-token'] } }),
		]);
		expect(await account.read('v')).toMatchObject({
			value: { warnings: ['by [redacted]'], errors: ['no [redacted]'] },
		});
	});

	test.each<[Reply, unknown]>([
		[404, { kind: 'not-found', what: 'read-voice' }],
		[{ json: { ok: false } }, { kind: 'unexpected-answer', what: 'read-voice: ok is false' }],
		[401, { kind: 'voice-token-rejected', status: 401 }],
	])('answered %j is refused', async (reply, problem) => {
		expect(await accountOf([reply]).account.read('v')).toEqual(err(problem));
	});

	test('a refused key is called so, where there is no other token', async () => {
		const { account } = accountOf([401], { voiceToken: () => 'the-key' });
		expect(await account.read('v')).toEqual(err({ kind: 'api-key-rejected', status: 401 }));
	});

	test('is tried again when the service fails', async () => {
		const rig = accountOf([500, voice()]);
		expect(await rig.over(1000, rig.account.read('v'))).toEqual(ok(record));
	});
});

describe('deleting a voice', () => {
	test.each([
		[204, ok()],
		[404, ok()],
		[410, ok()],
		[403, err({ kind: 'forbidden', detail: '' })],
		[401, err({ kind: 'voice-token-rejected', status: 401 })],
	])('answered %d is %j', async (status, outcome) => {
		const { account, lines } = accountOf([status]);
		expect(await account.remove('a/b')).toEqual(outcome);
		expect(lines()).toEqual(['DELETE /saas/voice/m/a%2Fb']);
	});

	test('is tried again when the service fails', async () => {
		const rig = accountOf([500, 204]);
		expect(await rig.over(1000, rig.account.remove('v'))).toEqual(ok());
	});
});

test.each<[string, (account: VoiceAccount, signal: AbortSignal) => Promise<unknown>]>([
	['clone', (account, signal) => account.clone(request, signal)],
	['read', (account, signal) => account.read('v', signal)],
	['remove', (account, signal) => account.remove('v', signal)],
])('%s that nobody wants any more is not tried again', async (_, ask) => {
	const rig = accountOf([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]);
	const control = new AbortController();
	const asked = ask(rig.account, control.signal);
	await rig.over(100, Promise.resolve());
	control.abort();
	expect(JSON.stringify(await asked)).toContain('"cancelled"');
	expect([rig.lines().length, rig.clock.pending]).toEqual([1, 0]);
});

describe('a sample', () => {
	const file = {
		path: '/nowhere/me.wav',
		bytes: 1,
		modifiedMs: 1,
		name: 'me.wav',
		filename: 'me.wav',
		mimeType: 'audio/wav',
	};
	const send = (url: string, changed: Changed = {}) =>
		accountOf([], changed).account.upload(
			{ itemId: 'i', url, fields: [] },
			{ file, progress: () => {}, signal: new AbortController().signal },
		);
	const refused = (host: string) => err({ kind: 'address-refused', host });
	/** Reported only if the address is allowed: the file is opened after that check. */
	const gone = err({ kind: 'file-unreadable', file: 'me.wav', reason: 'it is not there any more' });

	test.each([
		['https://up.example.com/x', {}, gone],
		['HTTPS://up.example.com/x', {}, gone],
		['http://up.example.com/x', {}, refused('up.example.com')],
		['wss://up.example.com/x', {}, refused('up.example.com')],
		['https://up.example.com/x', { allowedHosts: () => ['up.example.com'] }, gone],
		['https://up.example.com/x', { allowedHosts: () => ['other.example.com'] }, refused('up.example.com')],
		['http://127.0.0.1:9000/x', {}, refused('127.0.0.1')],
		['http://127.0.0.1:9000/x', { baseUrl: () => 'http://127.0.0.1:8000' }, gone],
		['ws://127.0.0.1:9000/x', { baseUrl: () => 'http://127.0.0.1:8000' }, refused('127.0.0.1')],
	])('goes to %s (%j): %j', async (url, changed: Changed, outcome) => {
		expect(await send(url, changed)).toEqual(outcome);
	});
});
