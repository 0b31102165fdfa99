import { z } from 'zod';
import type { LedgerEntry } from './ledger.ts';

const VERSION = 1;

const Entry = z.object({
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
const Outer = z.object({ version: z.number(), salt: z.string().min(8), entries: z.array(z.unknown()) });

export interface LedgerContent {
	readonly salt: string;
	readonly entries: readonly LedgerEntry[];
}

/** `newer`: written by a later version of the app, to be left alone. `broken`: `content` is what could be saved. */
export type LedgerReading =
	| { readonly type: 'fine'; readonly content: LedgerContent }
	| { readonly type: 'newer' }
	| { readonly type: 'broken'; readonly content: LedgerContent | null };

/** Never throws; keeps every single entry that is right. */
export function parseLedger(text: string): LedgerReading {
	const outer = Outer.safeParse(parseJson(text));
	if (!outer.success) return { type: 'broken', content: null };
	if (outer.data.version > VERSION) return { type: 'newer' };
	const read = outer.data.entries.map((entry) => Entry.safeParse(entry));
	const entries = read.flatMap((entry) => (entry.success ? [entry.data] : []));
	const content = { salt: outer.data.salt, entries };
	return entries.length === read.length ? { type: 'fine', content } : { type: 'broken', content };
}

export function formatLedger(content: LedgerContent): string {
	return `${JSON.stringify({ version: VERSION, ...content }, null, '\t')}\n`;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}
