import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSharedFile, type SharedDisk } from '#main/lib/shared-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Ledger } from './ledger.ts';
import { ledgerFormat } from './ledger-format.ts';

export interface LedgerFileParts {
	/** The user-data folder; made when missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: SharedDisk;
}

/** The ledger as `ledger.json`, with `ledger.lock` for changes and `ledger.owners/` for the processes alive. */
export function createLedgerFile(parts: LedgerFileParts): Ledger {
	return createSharedFile({ ...parts, name: 'ledger', format: ledgerFormat });
}

/** Does another program of this user run that has opened this folder's ledger? When in doubt, yes. */
export async function anotherRuns(parts: LedgerFileParts): Promise<boolean> {
	const ledger = createLedgerFile(parts);
	try {
		// Clears away the traces of programs that are dead: who is left lives. None is asked again, because without the lock
		// one that is just starting would look dead.
		const looked = await ledger.read();
		if (!looked.ok) return true;
		const owners = await readdir(join(parts.folder, 'ledger.owners'));
		return owners.some((owner) => owner !== ledger.owner && /^[\w-]+$/.test(owner));
	} catch {
		return true;
	} finally {
		ledger.close();
	}
}
