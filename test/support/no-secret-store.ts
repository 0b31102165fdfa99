import type { SecretStore } from '#main/account/secrets.ts';
import { err, ok } from '#shared/lib/result.ts';

/** For machines without a keychain: stores nothing, and returns a problem that explains why. */
export function createNoSecretStore(): SecretStore {
	return {
		keychain: async () => 'missing',
		read: async () => null,
		write: async () => err({ kind: 'keychain-missing' }),
		remove: async () => ok(),
	};
}
