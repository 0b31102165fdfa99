import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export type SecretName = 'api-key' | 'voice-token';

/** How well the operating system keeps a secret; `plain` = other programs of the user can read it. */
export type Keychain = 'available' | 'plain' | 'missing';

/** Keeps secrets between runs. Nothing here is ever logged or sent to the window. */
export interface SecretStore {
	keychain(): Promise<Keychain>;
	/** Null when there is none or it cannot be read any more (another machine, a changed password). */
	read(name: SecretName): Promise<string | null>;
	/** Problem `keychain-missing` where it could not be kept safely; nothing is kept then. */
	write(name: SecretName, secret: string): Promise<Result<void, Problem>>;
	/** Harmless when there is none. */
	remove(name: SecretName): Promise<Result<void, Problem>>;
}

/** For machines without a keychain: keeps nothing and says so. */
export function createNoSecretStore(): SecretStore {
	return {
		keychain: async () => 'missing',
		read: async () => null,
		write: async () => err({ kind: 'keychain-missing' }),
		remove: async () => ok(),
	};
}
