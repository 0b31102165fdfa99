import { expect, test } from 'vitest';
import type { AccountStatus } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { defaultSettings, type SettingOrigin, type Settings } from '#shared/settings/schema.ts';
import { createAccount } from './account.ts';

const SOCKETS = {
	s2s: 'wss://speech.service.example/{hash}/stream',
	stt: 'wss://text.service.example/',
	tts: 'wss://voice.service.example/',
};
const API = 'https://service.example';

function world(
	options: {
		keyOfVariable?: string;
		voiceTokenOfVariable?: string;
		stored?: string | null;
		origins?: Record<string, SettingOrigin>;
		/** Beside ending sessions. */
		beforeChange?: () => Promise<void>;
	} = {},
) {
	let values: Settings = defaultSettings;
	const stored = new Map<string, string>(options.stored ? [['api-key', options.stored]] : []);
	const origins: Record<string, SettingOrigin> = { ...options.origins };
	const did: string[] = [];
	let gone: () => void = () => {};
	let sandboxAnswer: Result<{ api: string; key: string }, Problem> = ok({
		api: 'http://127.0.0.1:1',
		key: 'sandbox-key-1',
	});
	const account = createAccount({
		settings: {
			values: () => values,
			snapshot: () => ({ origins }),
			write(patch) {
				values = { ...values, ...patch };
			},
		},
		secrets: {
			keychain: async () => 'available',
			read: async (name) => stored.get(name) ?? null,
			async write(name, secret) {
				stored.set(name, secret);
				return ok();
			},
			async remove(name) {
				stored.delete(name);
				return ok();
			},
		},
		sandbox: {
			async start() {
				did.push('sandbox started');
				return sandboxAnswer;
			},
			async stop() {
				did.push('sandbox stopped');
			},
			onGone(heard) {
				gone = heard;
				return () => {};
			},
		},
		async checkKey(key, baseUrl) {
			did.push(`checked at ${baseUrl}`);
			return key === 'right-key-1234' ? ok() : err({ kind: 'api-key-rejected', status: 401 });
		},
		async beforeChange() {
			did.push('sessions ended');
			await options.beforeChange?.();
		},
		voiceTokenOfVariable: options.voiceTokenOfVariable,
		keyOfVariable: options.keyOfVariable,
		publicApiUrl: API,
		publicSockets: SOCKETS,
		log: silentLogger,
	});
	return {
		account,
		did,
		stored: (name = 'api-key') => stored.get(name) ?? null,
		settings: () => values,
		set: (patch: Partial<Settings>) => {
			values = { ...values, ...patch };
			for (const name of Object.keys(patch)) origins[name] ??= 'setting';
		},
		breakSandbox: () => {
			sandboxAnswer = err({ kind: 'sandbox-failed', reason: 'port' });
		},
		gone: () => gone(),
	};
}

test('a refused key is not kept, and nothing of the running account is touched', async () => {
	const { account, did, stored, settings } = world();
	expect(await account.setKey('wrong', 'keychain')).toEqual(err({ kind: 'api-key-rejected', status: 401 }));
	expect([stored(), account.key(), settings().service]).toEqual([null, null, 'unset']);
	expect(did).toEqual([`checked at ${API}`]);
});

test('an accepted key is kept in the keychain, chooses the service, and shows its last four characters only', async () => {
	const { account, did, stored, settings } = world();
	const done = await account.setKey('  right-key-1234\n', 'keychain');
	expect(stored()).toContain('right-key-1234');
	expect(settings().service).toBe('service');
	expect(done.ok && done.value.key).toEqual({
		present: true,
		lastFour: '1234',
		source: 'keychain',
		keychain: expect.any(String),
		elsewhere: false,
	});
	expect(JSON.stringify(done)).not.toContain('right-key');
	expect(did.indexOf('sessions ended')).toBe(1);
});

test('a key for this run is not written anywhere', async () => {
	const { account, stored } = world();
	await account.setKey('right-key-1234', 'session');
	expect([stored(), account.key(), account.status().key.source]).toEqual([null, 'right-key-1234', 'session']);
});

test('the key of the environment goes before a kept one', async () => {
	const { account } = world({ keyOfVariable: 'from-outside', stored: 'kept' });
	await account.open();
	expect([account.key(), account.status().key.source]).toEqual(['from-outside', 'variable']);
});

test('a forgotten key is gone, after its sessions were ended with it', async () => {
	const { account, did, set } = world({ stored: 'kept' });
	set({ service: 'service' });
	await account.open();
	expect(account.key()).toBe('kept');
	await account.forgetKey();
	expect(account.key()).toBeNull();
	expect(did).toEqual(['sessions ended']);
	expect(await account.ready()).toEqual(err({ kind: 'api-key-missing' }));
});

test('choosing the sandbox starts it first, then ends the sessions of the service, then uses it', async () => {
	const { account, did } = world();
	await account.choose('sandbox');
	expect(did).toEqual(['sandbox started', 'sessions ended']);
	expect([account.baseUrl(), account.key(), account.status().sandbox]).toEqual([
		'http://127.0.0.1:1',
		'sandbox-key-1',
		'running',
	]);
});

test('a sandbox that does not start leaves everything as it was, and says so', async () => {
	const { account, settings, breakSandbox } = world();
	breakSandbox();
	expect(await account.choose('sandbox')).toEqual(err({ kind: 'sandbox-failed', reason: 'port' }));
	expect([settings().service, account.status().sandbox]).toEqual(['unset', 'failed']);
});

test('after the sandbox ended by itself the next conversation starts it again', async () => {
	const { account, did, gone } = world();
	await account.choose('sandbox');
	const heard: AccountStatus['sandbox'][] = [];
	account.listen((status) => heard.push(status.sandbox));
	gone();
	expect(heard).toEqual(['failed']);
	expect(await account.ready()).toEqual(ok());
	expect(did.filter((it) => it === 'sandbox started')).toHaveLength(2);
});

test('a sandbox whose address was named from outside is used and never started by us', async () => {
	const { account, did, set } = world({ keyOfVariable: 'k', origins: { apiUrl: 'variable' } });
	set({ service: 'sandbox', apiUrl: 'http://127.0.0.1:9' });
	await account.open();
	expect(await account.ready()).toEqual(ok());
	expect([account.baseUrl(), account.key(), did.length]).toEqual(['http://127.0.0.1:9', 'k', 0]);
});

test('every change grows the revision, so that a late announcement cannot undo a newer one', async () => {
	const { account } = world();
	const revisions: number[] = [];
	account.listen((status) => revisions.push(status.revision));
	await account.choose('sandbox');
	await account.setKey('right-key-1234', 'session');
	expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
	expect(new Set(revisions).size).toBe(revisions.length);
});

test('all keys ever held are named for the log to take out', async () => {
	const { account } = world({ keyOfVariable: 'variable-key', stored: 'kept-key' });
	await account.open();
	await account.choose('sandbox');
	expect(account.secrets()).toEqual(expect.arrayContaining(['variable-key', 'kept-key', 'sandbox-key-1']));
});

test('while the account changes nothing can be begun, and what was begun is ended first', async () => {
	let change: () => void = () => {};
	const held = new Promise<void>((done) => {
		change = done;
	});
	const { account, did, set } = world({ keyOfVariable: 'k', beforeChange: () => held });
	set({ service: 'service' });
	expect(await account.ready()).toEqual(ok());
	const chosen = account.choose('sandbox');
	await expect.poll(() => did).toContain('sessions ended');
	expect(await account.ready()).toEqual(err({ kind: 'account-changed' }));
	change();
	await chosen;
	expect(await account.ready()).toEqual(ok());
});

test('another address is another service: what was begun ends first, and the key stays with the old one', async () => {
	const { account, did, set } = world();
	await account.setKey('right-key-1234', 'session');
	did.length = 0;
	const order = await account.readdress(() => {
		set({ apiUrl: 'https://evil.example' });
		return [...did];
	});
	expect(order).toEqual(['sessions ended']);
	expect([account.key(), account.status().key.present, account.status().key.elsewhere]).toEqual([
		null,
		false,
		true,
	]);
	expect(await account.ready()).toEqual(err({ kind: 'key-elsewhere', host: 'evil.example' }));
	await account.setKey('right-key-1234', 'session');
	expect([account.key(), did[1]]).toEqual(['right-key-1234', 'checked at https://evil.example']);
});

test.each(['setting', 'option', 'variable'] as const)(
	'a socket named by %s does not get the key until it is given again',
	async (origin) => {
		const { account, set } = world({ origins: { s2sUrl: origin } });
		await account.setKey('right-key-1234', 'keychain');
		expect(account.socketRefusal('s2s')).toBeNull();
		set({ s2sUrl: 'wss://evil.example/{hash}' });
		expect(account.socketRefusal('s2s')).toEqual({ kind: 'key-elsewhere', host: 'evil.example' });
		expect(account.socketRefusal('stt')).toBeNull();
		await account.setKey('right-key-1234', 'keychain');
		expect(account.socketRefusal('s2s')).toBeNull();
		expect(account.socketsNamed().s2s).toBe('wss://evil.example/{hash}');
	},
);

test('the sockets of our own sandbox are its own, whatever was named', async () => {
	const { account, set } = world({ origins: { s2sUrl: 'option' } });
	await account.setKey('right-key-1234', 'keychain');
	set({ s2sUrl: 'wss://evil.example/' });
	await account.choose('sandbox');
	expect([account.socketRefusal('s2s'), account.socketsNamed().s2s]).toEqual([null, '']);
});

test('the voice endpoints get their own token where one was given, else the key', async () => {
	const { account, stored, set } = world();
	set({ service: 'service' });
	await account.setKey('right-key-1234', 'session');
	expect([account.voiceToken(), account.status().voiceToken?.present]).toEqual(['right-key-1234', false]);
	await account.setVoiceToken(' voice-token-5678 ', 'keychain');
	expect([account.voiceToken(), account.status().voiceToken]).toEqual([
		'voice-token-5678',
		{ present: true, lastFour: '5678', source: 'keychain' },
	]);
	expect(stored('voice-token')).toContain('voice-token-5678');
	expect(account.secrets()).toContain('voice-token-5678');
	await account.forgetVoiceToken();
	expect([account.voiceToken(), stored('voice-token')]).toEqual(['right-key-1234', null]);
});

test('a voice token of the environment goes before a kept one', async () => {
	const { account } = world({ voiceTokenOfVariable: 'voice-outside-1' });
	await account.setVoiceToken('voice-token-5678', 'session');
	expect([account.voiceToken(), account.status().voiceToken?.source]).toEqual([
		'voice-outside-1',
		'variable',
	]);
});

test('only the sandbox we start ourselves counts as our own', async () => {
	const inside = world();
	await inside.account.choose('sandbox');
	expect(inside.account.isOwnSandbox()).toBe(true);
	const outside = world({ keyOfVariable: 'k', origins: { apiUrl: 'variable' } });
	outside.set({ service: 'sandbox', apiUrl: 'http://127.0.0.1:9' });
	expect(outside.account.isOwnSandbox()).toBe(false);
});
