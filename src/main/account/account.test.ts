import { describe, expect, test } from 'vitest';
import { PUBLIC_REST_BASE, PUBLIC_SOCKETS } from '#main/service/addresses.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { defaultSettings, type SettingOrigin, type Settings } from '#shared/settings/schema.ts';
import { settle } from '#test/support/manual-clock.ts';
import { type Account, createAccount, type SandboxPlace, socketOf } from './account.ts';

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
		keychain?: AccountStatus['key']['keychain'];
		/** Where the sandbox is once it runs. */
		place?: SandboxPlace;
		/** Beside ending sessions. */
		beforeChange?: () => Promise<void>;
		/** Holds up the check of a key, and the start of the sandbox. */
		prepared?: Promise<void>;
		/** Holds up the check of a key alone. */
		checked?: Promise<void>;
		isBusy?: () => boolean;
	} = {},
) {
	let values: Settings = defaultSettings;
	const stored = new Map<string, string>(options.stored ? [['api-key', options.stored]] : []);
	const origins: Record<string, SettingOrigin> = { ...options.origins };
	const did: string[] = [];
	let gone: () => void = () => {};
	let hasGoneListener = false;
	let sandboxAnswer: Result<SandboxPlace, Problem> = ok(
		options.place ?? { api: 'http://127.0.0.1:1', key: 'sandbox-key-1' },
	);
	let isDiskFull = false;
	const full: Problem = { kind: 'storage-failed', what: 'keychain' };
	const logged: string[] = [];
	const write = (message: string, facts?: object) => void logged.push(message + JSON.stringify(facts ?? {}));
	const account = createAccount({
		settings: {
			values: () => values,
			snapshot: () => ({ origins }),
			write(patch) {
				values = { ...values, ...patch };
			},
		},
		secrets: {
			keychain: async () => options.keychain ?? 'available',
			read: async (name) => stored.get(name) ?? null,
			async write(name, secret) {
				if (isDiskFull) return err(full);
				stored.set(name, secret);
				return ok();
			},
			async remove(name) {
				if (isDiskFull) return err(full);
				stored.delete(name);
				return ok();
			},
		},
		sandbox: {
			async start(interpreter) {
				did.push(interpreter === 'local' ? 'interpreter started' : 'sandbox started');
				await options.prepared;
				return sandboxAnswer;
			},
			async stop() {
				did.push('sandbox stopped');
			},
			onGone(heard) {
				gone = heard;
				hasGoneListener = true;
				return () => {
					hasGoneListener = false;
				};
			},
		},
		async checkKey(key, baseUrl) {
			did.push(`checked at ${baseUrl}`);
			await (options.checked ?? options.prepared);
			return key === 'right-key-1234' ? ok() : err({ kind: 'api-key-rejected', status: 401 });
		},
		isBusy: options.isBusy ?? (() => false),
		async beforeChange() {
			did.push('sessions ended');
			await options.beforeChange?.();
		},
		voiceTokenOfVariable: options.voiceTokenOfVariable,
		keyOfVariable: options.keyOfVariable,
		publicApiUrl: API,
		publicSockets: SOCKETS,
		log: { error: write, warn: write, info: write, debug: write },
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
		mendSandbox: () => {
			sandboxAnswer = ok({ api: 'http://127.0.0.1:1', key: 'sandbox-key-1' });
		},
		gone: () => gone(),
		hasGoneListener: () => hasGoneListener,
		fillDisk: (isFull = true) => {
			isDiskFull = isFull;
		},
		logged,
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

test('a sandbox that fails to start changes nothing and reports it', async () => {
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

test('the local interpreter takes the place of the sandbox, and the other way round', async () => {
	const { account, did, settings } = world();
	await account.choose('sandbox');
	did.length = 0;
	expect(await account.choose('local')).toMatchObject({ ok: true, value: { sandbox: 'running' } });
	expect(did).toEqual(['sessions ended', 'sandbox stopped', 'interpreter started']);
	expect([settings().service, account.isOwnSandbox(), account.key()]).toEqual([
		'local',
		true,
		'sandbox-key-1',
	]);
	did.length = 0;
	await account.choose('sandbox');
	expect(did).toEqual(['sessions ended', 'sandbox stopped', 'sandbox started']);
});

test('a local interpreter that crashes is started again once, until it is chosen anew', async () => {
	const { account, did, gone } = world();
	await account.choose('local');
	did.length = 0;
	gone();
	await settle();
	expect([did, account.status().sandbox]).toEqual([['interpreter started'], 'running']);
	gone();
	await settle();
	expect([did, account.status().sandbox]).toEqual([['interpreter started'], 'failed']);
	await account.choose('local');
	gone();
	await settle();
	expect(account.status().sandbox).toBe('running');
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

test('a change of account blocks new work, and ends running work first', async () => {
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

test('a change of address ends running work first, and the key stays with the old service', async () => {
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

test('before it is opened it knows of no keychain, and runs no sandbox', async () => {
	const { account } = world({ keychain: 'plain' });
	expect(account.status()).toMatchObject({ key: { keychain: 'missing' }, sandbox: 'off', service: 'unset' });
	await account.open();
	expect(account.status().key.keychain).toBe('plain');
});

test('opening tells what it found', async () => {
	const { account } = world({ stored: 'kept-key-1234' });
	const heard: AccountStatus[] = [];
	account.listen((status) => heard.push(status));
	await account.open();
	expect(heard.at(-1)?.key).toMatchObject({ present: true, lastFour: '1234', source: 'keychain' });
});

test('opening starts the sandbox when it was chosen, and tells when it starts and runs', async () => {
	const { account, did, set } = world();
	set({ service: 'sandbox' });
	const heard: AccountStatus['sandbox'][] = [];
	account.listen((status) => heard.push(status.sandbox));
	await account.open();
	expect(await account.ready()).toEqual(ok());
	expect([did, [...new Set(heard)]]).toEqual([['sandbox started'], ['starting', 'running']]);
});

test('opening starts no sandbox for the service', async () => {
	const { account, did, set } = world({ keyOfVariable: 'k' });
	set({ service: 'service' });
	await account.open();
	expect([did, account.baseUrl()]).toEqual([[], API]);
});

test('while the sandbox starts there is no key, no address and no socket', () => {
	const { account, set } = world();
	set({ service: 'sandbox' });
	expect([account.key(), account.baseUrl(), account.voiceToken(), account.secrets()]).toEqual([
		null,
		'',
		null,
		[],
	]);
	expect(account.socketsNamed()).toEqual({ s2s: '', stt: '', tts: '' });
});

test('the sandbox names its sockets and the token for voices', async () => {
	const place = {
		api: 'http://127.0.0.1:1',
		key: 'sandbox-key-1',
		voiceToken: 'sandbox-voice-1',
		s2s: 'ws://127.0.0.1:1/s2s',
		stt: 'ws://127.0.0.1:1/stt',
		tts: 'ws://127.0.0.1:1/tts',
	};
	const { account } = world({ place });
	await account.choose('sandbox');
	expect(account.socketsNamed()).toEqual({ s2s: place.s2s, stt: place.stt, tts: place.tts });
	expect(account.voiceToken()).toBe('sandbox-voice-1');
	expect(account.secrets()).toEqual(['sandbox-key-1', 'sandbox-voice-1']);
	expect(account.status().speechSocket).toBe(true);
});

test('a sandbox without a token for voices takes its key there', async () => {
	const { account } = world();
	await account.choose('sandbox');
	expect([account.voiceToken(), account.status().speechSocket]).toEqual(['sandbox-key-1', false]);
});

test('a sandbox that did not start is tried again when it is asked for', async () => {
	const { account, did, breakSandbox, mendSandbox } = world();
	breakSandbox();
	await account.choose('sandbox');
	mendSandbox();
	expect(await account.choose('sandbox')).toMatchObject({ ok: true });
	expect(did.filter((it) => it === 'sandbox started')).toHaveLength(2);
});

test('what is chosen already ends nothing and starts nothing, but a sandbox that is down', async () => {
	const { account, did, gone } = world();
	await account.setKey('right-key-1234', 'session');
	await account.choose('sandbox');
	did.length = 0;
	await account.choose('sandbox');
	expect(did).toEqual([]);
	gone();
	await account.choose('sandbox');
	expect(did).toEqual(['sandbox started', 'sessions ended']);
	await account.choose('service');
	did.length = 0;
	await account.choose('service');
	expect(did).toEqual([]);
});

test('the sandbox is stopped when the service is chosen, or a key is given', async () => {
	const { account, did } = world();
	await account.choose('sandbox');
	await account.choose('service');
	expect([did.at(-1), account.status().sandbox]).toEqual(['sandbox stopped', 'off']);
	await account.choose('sandbox');
	await account.setKey('right-key-1234', 'session');
	expect([did.at(-1), account.status().sandbox, account.baseUrl()]).toEqual(['sandbox stopped', 'off', API]);
});

test.each(['option', 'variable'] as const)(
	'a sandbox whose address an %s names is somebody else’s, and runs',
	async (origin) => {
		const { account, did, set } = world({ keyOfVariable: 'k', origins: { apiUrl: origin } });
		set({ service: 'sandbox', apiUrl: 'http://127.0.0.1:9' });
		expect([account.status().sandbox, account.isOwnSandbox()]).toEqual(['running', false]);
		await account.choose('sandbox');
		expect(did).not.toContain('sandbox started');
	},
);

test('a service whose address was named outside is no sandbox', () => {
	const { account, set } = world({ origins: { apiUrl: 'option' } });
	set({ service: 'service', apiUrl: 'https://other.example' });
	expect(account.status().sandbox).toBe('off');
});

test('a key of a variable is not for the addresses that were written in the app, and an empty one is none', async () => {
	const { account, set } = world({ keyOfVariable: 'from-outside' });
	set({ service: 'service', apiUrl: '', s2sUrl: '' });
	expect([account.key(), account.socketRefusal('s2s')]).toEqual(['from-outside', null]);
	set({ s2sUrl: 'wss://{hash}.evil.example/' });
	expect(account.socketRefusal('s2s')).toEqual({ kind: 'key-elsewhere', host: 'hash.evil.example' });
	set({ s2sUrl: 'no address' });
	expect(account.socketRefusal('s2s')).toEqual({ kind: 'key-elsewhere', host: '' });
	set({ apiUrl: 'https://evil.example' });
	expect([account.key(), account.status().key.elsewhere]).toEqual([null, true]);
});

test('speech by a socket wants the public service, or a socket that was named', () => {
	const { account, set } = world();
	const offered = (patch: Partial<Settings>) => {
		set(patch);
		return account.status().speechSocket;
	};
	expect([
		offered({ service: 'service' }),
		offered({ apiUrl: `${API}/v1` }),
		offered({ apiUrl: 'https://other.example' }),
		offered({ apiUrl: 'no address' }),
		offered({ s2sUrl: 'wss://speech.example/' }),
	]).toEqual([true, true, false, false, true]);
});

test('without a service nothing is begun, whatever keys there are', async () => {
	const { account, set } = world({ keyOfVariable: 'k' });
	expect(await account.ready()).toEqual(err({ kind: 'api-key-missing' }));
	const elsewhere = world({ keyOfVariable: 'k' });
	elsewhere.set({ apiUrl: 'https://evil.example' });
	expect(await elsewhere.account.ready()).toEqual(err({ kind: 'api-key-missing' }));
	set({ service: 'service' });
	expect(await account.ready()).toEqual(ok());
});

test.each(['', ' \n'])('a key of nothing (%j) is none, and nobody is asked about it', async (key) => {
	const { account, did } = world();
	expect(await account.setKey(key, 'session')).toEqual(err({ kind: 'api-key-missing' }));
	expect(did).toEqual([]);
});

test.each(['', ' \n'])('a token for voices of nothing (%j) changes nothing', async (token) => {
	const { account, stored } = world();
	await account.setVoiceToken('voice-token-5678', 'keychain');
	await account.setVoiceToken(token, 'keychain');
	expect([account.voiceToken(), stored('voice-token')]).toEqual([
		'voice-token-5678',
		expect.stringContaining('voice-token-5678'),
	]);
});

test('of a short secret no letter is shown', async () => {
	const shown = async (token: string) => {
		const { account } = world();
		await account.setVoiceToken(token, 'session');
		return account.status().voiceToken?.lastFour;
	};
	expect([await shown('eleven-long'), await shown('twelve-long-')]).toEqual(['', 'ong-']);
	expect(world().account.status().key.lastFour).toBe('');
});

test('what cannot be kept holds for this run; what cannot be removed is still there', async () => {
	const { account, fillDisk } = world();
	fillDisk();
	await account.setKey('right-key-1234', 'keychain');
	expect([account.key(), account.status().key.source]).toEqual(['right-key-1234', 'session']);
	fillDisk(false);
	await account.setKey('right-key-1234', 'keychain');
	await account.setVoiceToken('voice-token-5678', 'keychain');
	fillDisk();
	const full = err({ kind: 'storage-failed', what: 'keychain' });
	expect([await account.forgetKey(), await account.forgetVoiceToken()]).toEqual([full, full]);
	expect([account.key(), account.voiceToken()]).toEqual(['right-key-1234', 'voice-token-5678']);
});

test('another address is told to whoever listens', async () => {
	const { account, set } = world();
	const heard: string[] = [];
	account.listen(({ apiUrl }) => heard.push(apiUrl));
	await account.readdress(() => set({ service: 'service', apiUrl: 'https://other.example' }));
	expect(heard).toEqual(['https://other.example']);
});

test('the log contains the chosen and accepted account, and the end of the sandbox, but no key', async () => {
	const { account, gone, logged } = world();
	await account.choose('sandbox');
	gone();
	await account.setKey('right-key-1234', 'session');
	expect(logged).toEqual([
		'service chosen{"service":"sandbox"}',
		'sandbox ended by itself{}',
		'api key accepted{}',
	]);
});

test('closed it has stopped the sandbox and hears of it no more', async () => {
	const { account, did, hasGoneListener } = world();
	await account.choose('sandbox');
	await account.close();
	expect([did.at(-1), hasGoneListener(), account.status().sandbox]).toEqual([
		'sandbox stopped',
		false,
		'off',
	]);
});

test('a sandbox that is still starting is waited for, and then stopped', async () => {
	const { account, did, set } = world();
	set({ service: 'sandbox' });
	void account.ready();
	await account.close();
	expect([did, account.key()]).toEqual([['sandbox started', 'sandbox stopped'], null]);
});

describe('a change that waits for an answer', () => {
	const changes = {
		'a key being checked': (account: Account) => account.setKey('right-key-1234', 'session'),
		'a sandbox that starts': (account: Account) => account.choose('sandbox'),
	};

	test.each(Object.entries(changes))(
		'%s ends no conversation that was begun meanwhile',
		async (_, change) => {
			const { promise, resolve } = Promise.withResolvers<void>();
			let isBusy = false;
			const { account, did, settings } = world({
				prepared: promise,
				isBusy: () => isBusy,
				stored: 'old-key-12345',
			});
			await account.open();
			const before = [account.key(), settings().service];
			const changing = change(account);
			isBusy = true;
			resolve();
			expect(await changing).toEqual(err({ kind: 'cancelled' }));
			expect(did).not.toContain('sessions ended');
			expect([account.key(), settings().service]).toEqual(before);
			expect(account.status().sandbox).toBe('off');
		},
	);

	test.each(Object.entries(changes))('%s in a conversation that ran before ends that', async (_, change) => {
		const { account, did } = world({ isBusy: () => true });
		await account.open();
		expect(await change(account)).toMatchObject({ ok: true });
		expect(did).toContain('sessions ended');
	});

	test('a key that is still being checked holds up nobody who goes on to the sandbox, and changes nothing then', async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const { account, settings } = world({ checked: promise });
		const checking = account.setKey('right-key-1234', 'session');
		expect(await account.choose('sandbox')).toMatchObject({ ok: true, value: { service: 'sandbox' } });
		resolve();
		expect(await checking).toEqual(err({ kind: 'cancelled' }));
		expect([settings().service, account.status().sandbox]).toEqual(['sandbox', 'running']);
	});

	test('of two keys the one given last counts, whichever is answered first', async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const { account } = world({ checked: promise });
		const first = account.setKey('right-key-1234', 'session');
		const second = account.setKey(' right-key-1234 ', 'session');
		resolve();
		expect(await Promise.all([first, second])).toMatchObject([{ ok: false }, { ok: true }]);
		expect(account.key()).toBe('right-key-1234');
	});
});

function account(s2s: string, refusal: Problem | null = null, base: string = PUBLIC_REST_BASE) {
	return {
		baseUrl: () => base,
		socketsNamed: () => ({ s2s, stt: '', tts: '' }),
		socketRefusal: () => refusal,
	};
}

test('the socket that was named, else the public one beside the public service', () => {
	expect(socketOf(account('wss://speech.example/'), 's2s')).toEqual(ok('wss://speech.example/'));
	expect(socketOf(account(''), 's2s')).toEqual(ok(PUBLIC_SOCKETS.s2s));
	expect(socketOf(account('', null, 'https://other.example'), 's2s')).toEqual(
		err({ kind: 'socket-off', socket: 's2s' }),
	);
});

test('one that the key was not given for is none, and no other takes its place', () => {
	const refusal: Problem = { kind: 'key-elsewhere', host: 'evil.example' };
	expect(socketOf(account('wss://evil.example/', refusal), 's2s')).toEqual(err(refusal));
});
