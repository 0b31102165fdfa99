import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * One session we asked for, from before the request until its deletion is confirmed.
 * `intent`: asked for, no id yet (or never: then the list alone may tell). `open`: in use by its owner.
 * `closing`: given up, to be deleted. `handed-over`: the user's own, made by the CLI; never swept.
 */
export interface LedgerEntry {
	/** Ours, unique. */
	readonly intent: string;
	/** Hash of service and key: nobody else's credentials are used on it. */
	readonly account: string;
	readonly state: 'intent' | 'open' | 'closing' | 'handed-over';
	/** The service's id; a secret to the log. */
	readonly id: string | null;
	/** Process that uses it. Whether that still lives is `Ledger.isInUse`. */
	readonly owner: string;
	/** When asked, by this computer's clock, Unix ms. */
	readonly createdWall: number;
	/** When asked, by the service's clock. */
	readonly createdServer: number;
	/** Last expiry heard, service's clock; `null` = not known. */
	readonly expiresAt: number | null;
	/** When we stopped hoping for the answer to the create call, service's clock; `null` = not lost. */
	readonly lostAt: number | null;
}

/**
 * Sessions opened from this user's data folder, by whichever process. Shared and crash-safe: after
 * `change` has resolved, the entries survive a power cut.
 */
export interface Ledger {
	/** Names this process in the entries; held as long as it lives. */
	readonly owner: string;
	/** For `SessionAccount.hash`; the same for all processes that share the ledger. */
	salt(): Promise<Result<string, Problem>>;
	read(): Promise<Result<readonly LedgerEntry[], Problem>>;
	/** Excludes all other processes: what `edit` returns replaces the entries. `edit` must be quick and pure. */
	change(
		edit: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[],
	): Promise<Result<readonly LedgerEntry[], Problem>>;
	/** Does the process that wrote this owner still run? When in doubt, yes. */
	isInUse(owner: string): boolean;
	/** Where a ledger that could not be read was kept, since this process began; `null` = it was fine. */
	brokenFile(): string | null;
	/** Releases everything this process owns: others may then delete it. */
	close(): void;
}

/** With `entry` added or replaced. */
export function withEntry(entries: readonly LedgerEntry[], entry: LedgerEntry): readonly LedgerEntry[] {
	return [...entries.filter((other) => other.intent !== entry.intent), entry];
}

/** With the fields of one entry changed, where it is there. */
export function amended(
	entries: readonly LedgerEntry[],
	intent: string,
	fields: Partial<LedgerEntry>,
): readonly LedgerEntry[] {
	return entries.map((entry) => (entry.intent === intent ? { ...entry, ...fields } : entry));
}

export function withoutEntry(entries: readonly LedgerEntry[], intent: string): readonly LedgerEntry[] {
	return entries.filter((entry) => entry.intent !== intent);
}
