import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type SecretName = 'api-key' | 'voice-token';
type SecretSource = 'none' | 'variable' | 'keychain' | 'session';

/** Where a secret may be sent: the REST base and the named sockets; empty = none was named. */
export interface Addresses {
	readonly api: string;
	readonly s2s: string;
	readonly stt: string;
	readonly tts: string;
}

/** Keeps secrets between runs. Nothing here is ever logged or sent to the window. */
export interface SecretKeeper {
	/** Null if there is no such secret or it cannot be read any more (another machine, a changed password). */
	read(name: SecretName): Promise<string | null>;
	/** Returns `keychain-missing`, and stores nothing, if the secret could not be stored safely. */
	write(name: SecretName, secret: string): Promise<Result<void, Problem>>;
	/** Does nothing if there is no such secret. */
	remove(name: SecretName): Promise<Result<void, Problem>>;
}

interface Bound {
	readonly secret: string;
	readonly given: Addresses;
}

export type BoundSecret = ReturnType<typeof createBoundSecret>;

/** A secret and the addresses it was given for; it is sent to no others, even if the settings name one later. */
export function createBoundSecret(parts: {
	readonly name: SecretName;
	readonly store: SecretKeeper;
	/** The secret's value in the environment. */
	readonly variable: string | undefined;
	readonly addresses: () => Addresses;
	/** True if the address was entered in the app, not named by an option or variable or left at its default. */
	readonly isWrittenHere: (name: keyof Addresses) => boolean;
	readonly publicApiUrl: string;
	readonly publicSockets: Omit<Addresses, 'api'>;
}) {
	let kept: Bound | null = null;
	let forThisRun: Bound | null = null;
	/** True if the secret changed while a slow keychain was read: the keychain's answer is then out of date. */
	let isChanged = false;

	const isHere = (bound: Bound | null): bound is Bound =>
		bound !== null && plain(bound.given.api) === plain(parts.addresses().api);

	function current(): { readonly bound: Bound | null; readonly source: SecretSource } {
		const { variable } = parts;
		// Do not send a key from the environment to an address typed in the app:
		// another person may have typed it.
		if (variable && !parts.isWrittenHere('api')) {
			return { bound: { secret: variable, given: nowhere }, source: 'variable' };
		}
		if (isHere(forThisRun)) return { bound: forThisRun, source: 'session' };
		return isHere(kept) ? { bound: kept, source: 'keychain' } : { bound: null, source: 'none' };
	}

	/** True for the public service's own socket while the public service is in use. */
	const isOwn = (socket: 's2s' | 'stt' | 'tts', named: string) =>
		plain(parts.addresses().api) === plain(parts.publicApiUrl) &&
		plain(named) === plain(parts.publicSockets[socket]);

	return {
		async open(): Promise<void> {
			const text = await parts.store.read(parts.name);
			if (isChanged) return;
			kept = text === null ? null : read(text, parts.publicApiUrl);
		},
		/** `secret` is null if there is none for the current addresses. */
		inForce(): { readonly secret: string | null; readonly source: SecretSource } {
			const { bound, source } = current();
			return { secret: bound?.secret ?? null, source };
		},
		/** True if there is a secret, but it was given for another service. */
		isElsewhere: (): boolean => current().bound === null && Boolean(parts.variable || forThisRun || kept),
		/**
		 * May the secret be sent to the current socket?
		 * - given in the app: only to the sockets configured at that time
		 * - from a variable: to any socket but one written in the app
		 *
		 * To the public service's own socket: always.
		 */
		fits(socket: 's2s' | 'stt' | 'tts'): boolean {
			const named = parts.addresses()[socket];
			const { bound, source } = current();
			if (bound === null || named === '' || isOwn(socket, named)) return true;
			if (source === 'variable') return !parts.isWrittenHere(socket);
			return plain(bound.given[socket]) === plain(named);
		},
		/** Binds the secret to the current addresses. If it cannot be stored, it lasts for this run only. */
		async set(secret: string, keep: 'keychain' | 'session'): Promise<void> {
			forThisRun = { secret, given: parts.addresses() };
			if (keep === 'session') return;
			const written = await parts.store.write(parts.name, JSON.stringify(forThisRun));
			if (!written.ok) return;
			isChanged = true;
			kept = forThisRun;
			forThisRun = null;
		},
		/** If this fails, the secret is still stored. */
		async forget(): Promise<Result<void, Problem>> {
			const removed = await parts.store.remove(parts.name);
			if (!removed.ok) return err(removed.error);
			isChanged = true;
			kept = null;
			forThisRun = null;
			return ok();
		},
		/** All secret values, for the log to redact. */
		values: (): readonly string[] =>
			[parts.variable, kept?.secret, forThisRun?.secret].filter((it): it is string => Boolean(it)),
	};
}

const nowhere: Addresses = { api: '', s2s: '', stt: '', tts: '' };

/** Normalises an address, so that two spellings of it compare equal. */
function plain(address: string): string {
	const url = URL.parse(address);
	return url ? url.origin + url.pathname.replace(/\/+$/, '') + url.search : address;
}

/** Parses a stored secret. Text that does not name its addresses is a bare key of the public service. */
function read(text: string, publicApiUrl: string): Bound {
	try {
		const { secret, given } = JSON.parse(text) as Partial<Bound>;
		if (typeof secret === 'string' && typeof given?.api === 'string') {
			return { secret, given: { ...nowhere, ...given } };
		}
	} catch {
		// Not our JSON, so it is a bare key.
	}
	return { secret: text, given: { ...nowhere, api: publicApiUrl } };
}

/** How well the operating system keeps a secret; `plain` = other programs of the user can read it. */
export type Keychain = 'available' | 'plain' | 'missing';

/** Stores secrets and reports how well they are protected. */
export interface SecretStore extends SecretKeeper {
	keychain(): Promise<Keychain>;
}
