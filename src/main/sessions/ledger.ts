import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createSharedFile, listFormat, type SharedDisk } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * One session that we requested, from before the request until its deletion is confirmed. `intent`:
 * requested, no id yet (or never: then only the list may show it). `open`: in use by its owner. `closing`:
 * given up, to be deleted. `handed-over`: made by the CLI for the user; never swept.
 */
export interface LedgerEntry {
	/** Our own unique name for the entry. */
	readonly intent: string;
	/** Hash of service and key: only these may be used on it. */
	readonly account: string;
	readonly state: 'intent' | 'open' | 'closing' | 'handed-over';
	/** The service's id; must not be logged. */
	readonly id: string | null;
	/** Process that uses it. `Ledger.isInUse` checks whether that still runs. */
	readonly owner: string;
	/** When it was requested, by this computer's clock, Unix ms. */
	readonly createdWall: number;
	/** When it was requested, by the service's clock. */
	readonly createdServer: number;
	/** Last reported expiry, service's clock; `null` = not known. */
	readonly expiresAt: number | null;
	/** When we stopped waiting for the answer to the create call, service's clock; `null` = not lost. */
	readonly lostAt: number | null;
}

/** Sessions opened from this data folder, by any process. Shared; what `change` wrote survives a power cut. */
export interface Ledger {
	/** Names this process in the entries; held until it exits. */
	readonly owner: string;
	/** For `SessionAccount.hash`; the same for all processes that share the ledger. */
	salt(): Promise<Result<string, Problem>>;
	read(): Promise<Result<readonly LedgerEntry[], Problem>>;
	/** Replaces the entries with the result of `edit`, which must be quick and pure: other processes wait. */
	change(
		edit: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[],
	): Promise<Result<readonly LedgerEntry[], Problem>>;
	/** True if the process that wrote this owner still runs, or if in doubt. */
	isInUse(owner: string): boolean;
	/** Where an unreadable ledger was kept since this process began; `null` = the ledger was fine. */
	brokenFile(): string | null;
	/** Releases everything this process owns: other processes may then delete it. */
	close(): void;
}

export function withEntry(entries: readonly LedgerEntry[], entry: LedgerEntry): readonly LedgerEntry[] {
	return [...entries.filter((other) => other.intent !== entry.intent), entry];
}

/** A copy with the fields of one entry changed, if it exists. */
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

const Entry: z.ZodType<LedgerEntry> = z.object({
	intent: z.string().min(1),
	account: z.string(),
	state: z.enum(['intent', 'open', 'closing', 'handed-over']),
	id: z.string().min(1).nullable(),
	owner: z.string(),
	createdWall: z.number(),
	createdServer: z.number(),
	expiresAt: z.number().nullable().default(null),
	lostAt: z.number().nullable().default(null),
});

/** `ledger.json`. */
export const ledgerFormat = listFormat('entries', Entry);

interface LedgerFileParts {
	/** The user-data folder; created if missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: SharedDisk;
}

/** The ledger as `ledger.json`, with `ledger.lock` for changes and `ledger.owners/` for the running processes. */
export function createLedgerFile(parts: LedgerFileParts): Ledger {
	return shared(parts);
}

const shared = (parts: LedgerFileParts) =>
	createSharedFile({ ...parts, name: 'ledger', format: ledgerFormat });

/** True if another running program of this user has opened this folder's ledger, or if in doubt. */
export async function anotherRuns(parts: LedgerFileParts): Promise<boolean> {
	const ledger = shared(parts);
	const found = await ledger.othersRun();
	ledger.close();
	return !found.ok || found.value;
}

/** First characters of a hash of a session's id, for people and logs to tell sessions apart. */
export function sessionLabel(id: string): string {
	return createHash('sha256').update(id).digest('hex').slice(0, 8);
}
