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
	return shared(parts);
}

const shared = (parts: LedgerFileParts) =>
	createSharedFile({ ...parts, name: 'ledger', format: ledgerFormat });

/** Does another program of this user run that has opened this folder's ledger? When in doubt, yes. */
export async function anotherRuns(parts: LedgerFileParts): Promise<boolean> {
	const ledger = shared(parts);
	const found = await ledger.othersRun();
	ledger.close();
	return !found.ok || found.value;
}
