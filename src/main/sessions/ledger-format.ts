import { z } from 'zod';
import { listFormat } from '#main/lib/salted-list.ts';
import type { LedgerEntry } from './ledger.ts';

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
