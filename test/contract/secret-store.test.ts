import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SecretStore } from '#main/account/secrets.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createNoSecretStore } from '#test/support/no-secret-store.ts';

/** A keychain as Electron's interface promises: only it can decrypt what it encrypted. */
const { whole, keychain } = vi.hoisted(() => {
	const whole = {
		available: true,
		backend: 'gnome_libsecret',
		broken: false,
		reseal: false,
		seals: true,
		tag: 'v11',
	};
	return { whole, keychain: { ...whole } };
});
const seal = (text: string) => Buffer.from(`${keychain.tag}seal${Buffer.from(text).toString('hex')}`);
vi.mock('electron', () => ({
	safeStorage: {
		isAsyncEncryptionAvailable: async () => keychain.available,
		getSelectedStorageBackend: () => keychain.backend,
		async encryptStringAsync(text: string) {
			if (!keychain.seals) throw new Error('locked');
			return seal(text);
		},
		async decryptStringAsync(sealed: Buffer) {
			if (keychain.broken) throw new Error('locked');
			const result = Buffer.from(sealed.toString().slice(7), 'hex').toString();
			return { result, shouldReEncrypt: keychain.reseal };
		},
	},
}));
const { createSafeStorage } = await import('#main/electron/safe-storage.ts');

let folder = '';
const safe = () => createSafeStorage(join(folder, 'secrets'), silentLogger);
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-secrets-'));
	Object.assign(keychain, whole);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stores: readonly (readonly [string, () => SecretStore])[] = [
	['the keychain', safe],
	['no keychain', createNoSecretStore],
];

describe.each(stores)('%s', (_name, create) => {
	test('reads back exactly what it said it kept, and nothing otherwise', async () => {
		const store = create();
		const written = await store.write('api-key', 'key-äöü-123');
		expect(await store.read('api-key')).toBe(written.ok ? 'key-äöü-123' : null);
	});

	test('keeps nothing after it was removed, and removing nothing is harmless', async () => {
		const store = create();
		expect((await store.remove('api-key')).ok).toBe(true);
		await store.write('api-key', 'key');
		expect((await store.remove('api-key')).ok).toBe(true);
		expect(await store.read('api-key')).toBeNull();
	});

	test('says whether it can keep anything, and then does as it said', async () => {
		const store = create();
		const can = (await store.keychain()) !== 'missing';
		expect((await store.write('api-key', 'key')).ok).toBe(can);
	});
});

test('what lies on the disk is sealed and for its owner only', async () => {
	await safe().write('api-key', 'plain-text-key');
	const [file = ''] = readdirSync(join(folder, 'secrets'));
	const path = join(folder, 'secrets', file);
	expect(readFileSync(path, 'utf8')).not.toContain('plain-text-key');
	expect(statSync(path).mode & 0o077).toBe(0);
});

test('a keyring with a password everybody knows is told as such', async () => {
	keychain.tag = 'v10';
	// Of the desktop, whether or not its keyring answers.
	expect(keychain.backend).toBe('gnome_libsecret');
	expect(await safe().keychain()).toBe(process.platform === 'linux' ? 'plain' : 'available');
	Object.assign(keychain, { tag: 'v11', backend: 'basic_text' });
	expect(await safe().keychain()).toBe('available');
});

test('a key that cannot be opened any more counts as none', async () => {
	await safe().write('api-key', 'key');
	keychain.broken = true;
	expect(await safe().read('api-key')).toBeNull();
});

test('a key that cannot be sealed anew is still the key', async () => {
	await safe().write('api-key', 'key');
	Object.assign(keychain, { reseal: true, seals: false });
	expect(await safe().read('api-key')).toBe('key');
	keychain.seals = true;
	expect(await safe().read('api-key')).toBe('key');
});

test('without a keychain nothing is written', async () => {
	keychain.available = false;
	expect(await safe().write('api-key', 'key')).toEqual({ ok: false, error: { kind: 'keychain-missing' } });
	expect(readdirSync(folder)).toEqual([]);
});
