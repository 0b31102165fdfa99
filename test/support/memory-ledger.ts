import type { Ledger, LedgerEntry } from '#main/sessions/ledger.ts';
import { err, ok } from '#shared/lib/result.ts';

/** What survives a crash: stands for the file. */
export interface LedgerDisk {
	entries: readonly LedgerEntry[];
	readonly alive: Set<string>;
	/** Every change fails, as on a full disk. */
	full: boolean;
}

export function createLedgerDisk(): LedgerDisk {
	return { entries: [], alive: new Set(), full: false };
}

/** One process's ledger over a shared disk. Dying is `disk.alive.delete(owner)`. */
export function createMemoryLedger(disk: LedgerDisk, owner: string): Ledger {
	disk.alive.add(owner);
	return {
		owner,
		salt: async () => ok('pepper-and-salt'),
		read: async () => ok(disk.entries),
		async change(edit) {
			await Promise.resolve();
			if (!disk.alive.has(owner)) return await new Promise<never>(() => {});
			if (disk.full) return err({ kind: 'storage-failed', what: 'ledger: ENOSPC' });
			disk.entries = edit(disk.entries);
			return ok(disk.entries);
		},
		isInUse: (name) => disk.alive.has(name),
		brokenFile: () => null,
		close: () => void disk.alive.delete(owner),
	};
}
