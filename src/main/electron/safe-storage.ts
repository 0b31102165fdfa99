import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { safeStorage } from 'electron';
import type { Keychain, SecretStore } from '#main/account/secrets.ts';
import { clearParts, writeAtomically } from '#main/lib/files.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';

/** Chromium's prefix for data encrypted with its well-known password (os_crypt, Linux). */
const PLAIN_SEAL = 'v10';

/**
 * Secrets sealed by the operating system's keychain, one file each below `folder`. On Linux without
 * a keyring Electron encrypts with a public password: that counts as `plain`, and the app asks the user
 * before it stores anything that way.
 */
export function createSafeStorage(folder: string, log: Logger): SecretStore {
	const path = (name: string) => join(folder, `${name}.sealed`);

	async function keychain(): Promise<Keychain> {
		try {
			if (!(await safeStorage.isAsyncEncryptionAvailable())) return 'missing';
			if (process.platform !== 'linux') return 'available';
			// Only encrypted data shows whose key is used: the reported backend is the preferred one, even without an answer.
			const seal = await safeStorage.encryptStringAsync('x');
			return seal.subarray(0, PLAIN_SEAL.length).toString('latin1') === PLAIN_SEAL ? 'plain' : 'available';
		} catch (failure) {
			log.warn('keychain cannot be asked', { failure: String(failure) });
			return 'missing';
		}
	}

	return {
		keychain,
		async read(name) {
			let sealed: Buffer;
			try {
				sealed = readFileSync(path(name));
			} catch {
				return null;
			}
			let opened: { readonly shouldReEncrypt: boolean; readonly result: string };
			try {
				opened = await safeStorage.decryptStringAsync(sealed);
			} catch {
				log.warn('kept key cannot be opened any more', { name });
				return null;
			}
			try {
				if (opened.shouldReEncrypt)
					writeAtomically(path(name), await safeStorage.encryptStringAsync(opened.result));
			} catch {
				// The key stays usable as it is; the next start tries again.
				log.warn('kept key cannot be sealed anew', { name });
			}
			return opened.result;
		},
		async write(name, secret) {
			if ((await keychain()) === 'missing') return err({ kind: 'keychain-missing' });
			try {
				writeAtomically(path(name), await safeStorage.encryptStringAsync(secret));
				return ok();
			} catch {
				return err({ kind: 'storage-failed', what: 'keychain' });
			}
		},
		async remove(name) {
			try {
				rmSync(path(name), { force: true });
				// Also removes a partly written file that a crash left.
				clearParts(path(name), Number.POSITIVE_INFINITY);
				return ok();
			} catch {
				return err({ kind: 'storage-failed', what: 'keychain' });
			}
		},
	};
}
