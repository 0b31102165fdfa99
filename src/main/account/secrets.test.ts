import { expect, test } from 'vitest';
import { ok } from '#shared/lib/result.ts';
import { type Addresses, createBoundSecret } from './secrets.ts';

const PUBLIC = 'https://service.example';
const SOCKETS = {
	s2s: 'wss://speech.service.example/{hash}/stream',
	stt: 'wss://text.service.example/',
	tts: 'wss://voice.service.example/',
};
const EVIL = 'https://evil.example';
const publicly: Addresses = { api: PUBLIC, s2s: '', stt: '', tts: '' };

function world(options: { variable?: string; stored?: string; until?: Promise<void> } = {}) {
	let stored: string | null = options.stored ?? null;
	let addresses = publicly;
	const written = new Set<keyof Addresses>();
	const create = () =>
		createBoundSecret({
			name: 'api-key',
			variable: options.variable,
			store: {
				async read() {
					const now = stored;
					await options.until;
					return now;
				},
				async write(_name, secret) {
					stored = secret;
					return ok();
				},
				async remove() {
					stored = null;
					return ok();
				},
			},
			addresses: () => addresses,
			isWrittenHere: (name) => written.has(name),
			publicApiUrl: PUBLIC,
			publicSockets: SOCKETS,
		});
	return {
		secret: create(),
		/** As after the next start. */
		again: create,
		/** Writes an address into the settings of the app. */
		write(name: keyof Addresses, address: string) {
			written.add(name);
			addresses = { ...addresses, [name]: address };
		},
		/** An option or variable names it. */
		name(name: keyof Addresses, address: string) {
			addresses = { ...addresses, [name]: address };
		},
	};
}

test('what a slow keychain gives back replaces nothing that was kept or forgotten meanwhile', async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	const [kept, forgotten] = [1, 2].map(() => world({ stored: 'the-old-key', until: promise }).secret);
	if (!kept || !forgotten) throw new Error('two of them');
	const opening = [kept.open(), forgotten.open()];
	await kept.set('the-new-key', 'keychain');
	await forgotten.forget();
	resolve();
	await Promise.all(opening);
	expect(kept.inForce().secret).toBe('the-new-key');
	expect(forgotten.inForce().secret).toBeNull();
});

test.each(['keychain', 'session'] as const)('a key (%s) goes to no other address', async (keep) => {
	const { secret, write } = world();
	await secret.set('the-key', keep);
	expect(secret.inForce()).toEqual({ secret: 'the-key', source: keep });
	write('api', EVIL);
	expect([secret.inForce(), secret.isElsewhere()]).toEqual([{ secret: null, source: 'none' }, true]);
	await secret.set('the-key', keep);
	expect([secret.inForce().secret, secret.isElsewhere()]).toEqual(['the-key', false]);
});

test('a kept key remembers over a restart where it was given for, however the address is written', async () => {
	const { secret, again, write } = world();
	await secret.set('the-key', 'keychain');
	const next = again();
	await next.open();
	expect(next.inForce().secret).toBe('the-key');
	write('api', 'HTTPS://Service.example:443/');
	expect(next.inForce().secret).toBe('the-key');
	for (const other of [
		`${PUBLIC}/other`,
		'http://service.example',
		'http://service.example:443',
		`${PUBLIC}:8443`,
	]) {
		write('api', other);
		expect([other, next.inForce().secret]).toEqual([other, null]);
	}
});

test('a kept key does not go to an address of an option either', async () => {
	const { secret, name } = world();
	await secret.set('the-key', 'keychain');
	name('api', EVIL);
	expect(secret.inForce().secret).toBeNull();
});

test('the key of a variable goes where options and variables say, and not where the app was told', () => {
	const { secret, name, write } = world({ variable: 'outside' });
	expect(secret.inForce()).toEqual({ secret: 'outside', source: 'variable' });
	name('api', 'https://other.example');
	expect(secret.inForce().secret).toBe('outside');
	write('api', EVIL);
	expect([secret.inForce().secret, secret.isElsewhere()]).toEqual([null, true]);
});

test('a bare key of before is one of the public service', async () => {
	const { secret, write } = world({ stored: 'bare-key' });
	await secret.open();
	expect(secret.inForce().secret).toBe('bare-key');
	write('api', EVIL);
	expect(secret.inForce().secret).toBeNull();
});

test.each(['write', 'name'] as const)(
	'a socket that somebody names after the key was given does not get it (%s)',
	async (how) => {
		const there = world();
		const { secret } = there;
		there[how]('s2s', 'wss://speech.example/{hash}/');
		await secret.set('the-key', 'session');
		expect(secret.fits('s2s')).toBe(true);
		for (const other of [
			'wss://evil.example/{hash}/',
			'ws://speech.example/{hash}/',
			'ws://speech.example:443/{hash}/',
		]) {
			there[how]('s2s', other);
			expect([other, secret.fits('s2s')]).toEqual([other, false]);
		}
		await secret.set('the-key', 'session');
		expect(secret.fits('s2s')).toBe(true);
		there[how]('tts', 'wss://voice.example/');
		expect(secret.fits('tts')).toBe(false);
	},
);

test('a kept key goes to no socket that an option or a variable names at the next start', async () => {
	const { secret, again, name } = world();
	await secret.set('the-key', 'keychain');
	const next = again();
	await next.open();
	expect((['s2s', 'stt', 'tts'] as const).map((one) => next.fits(one))).toEqual([true, true, true]);
	for (const one of ['s2s', 'stt', 'tts'] as const) name(one, 'wss://evil.example/');
	expect((['s2s', 'stt', 'tts'] as const).map((one) => next.fits(one))).toEqual([false, false, false]);
	expect(next.inForce().secret).toBe('the-key');
});

test('the own sockets of the public service may be named by anybody, and only with it', async () => {
	const { secret, name } = world();
	await secret.set('the-key', 'keychain');
	name('s2s', 'wss://Speech.service.example:443/{hash}/stream');
	expect(secret.fits('s2s')).toBe(true);
	name('api', 'https://other.example');
	name('s2s', '');
	await secret.set('the-key', 'keychain');
	name('s2s', SOCKETS.s2s);
	expect(secret.fits('s2s')).toBe(false);
});

test('the key of a variable goes to the sockets named beside it, not to those that the app was told', () => {
	const { secret, name, write } = world({ variable: 'outside' });
	name('stt', 'wss://speech.example/');
	expect(secret.fits('stt')).toBe(true);
	write('s2s', 'wss://evil.example/');
	expect(secret.fits('s2s')).toBe(false);
});

test('forgotten it is nowhere, and its value was known to the log until then', async () => {
	const { secret } = world({ variable: 'outside' });
	await secret.set('the-key', 'keychain');
	expect(secret.values()).toEqual(['outside', 'the-key']);
	await secret.forget();
	expect(secret.values()).toEqual(['outside']);
});

test('where there is no secret, or no socket was named, nothing stands in the way', async () => {
	const { secret, name } = world();
	expect(secret.fits('s2s')).toBe(true);
	name('s2s', 'wss://evil.example/');
	expect(secret.fits('s2s')).toBe(true);
	name('s2s', '');
	name('tts', 'wss://voice.example/');
	await secret.set('the-key', 'session');
	name('tts', '');
	expect(secret.fits('tts')).toBe(true);
});

test('nothing kept is nothing, also after a look', async () => {
	const { secret } = world();
	await secret.open();
	expect([secret.inForce(), secret.isElsewhere(), secret.values()]).toEqual([
		{ secret: null, source: 'none' },
		false,
		[],
	]);
});

test('a slash at the end of an address, or several, are none; one within it counts', async () => {
	const { secret, write } = world();
	write('api', `${PUBLIC}/a/b`);
	await secret.set('the-key', 'session');
	for (const [address, there] of [
		[`${PUBLIC}/a/b/`, true],
		[`${PUBLIC}/a/b//`, true],
		[`${PUBLIC}/ab`, false],
		[`${PUBLIC}/a/b?c`, false],
	] as const) {
		write('api', address);
		expect([address, secret.inForce().secret !== null]).toEqual([address, there]);
	}
});

test.each([
	'{"secret":"s"}',
	'{"secret":"s","given":{}}',
	'{"secret":"s","given":null}',
	'{"secret":7,"given":{"api":"https://service.example"}}',
	'{"secret":"s","given":{"api":7}}',
	'null',
])('what is kept as %s is a bare key', async (stored) => {
	const { secret } = world({ stored });
	await secret.open();
	expect(secret.inForce()).toEqual({ secret: stored, source: 'keychain' });
});

test('an entry of before that names the REST base alone fits no socket that is named', async () => {
	const { secret, name } = world({ stored: JSON.stringify({ secret: 's', given: { api: PUBLIC } }) });
	await secret.open();
	expect(secret.fits('s2s')).toBe(true);
	name('s2s', 'wss://evil.example/');
	expect(secret.fits('s2s')).toBe(false);
});
