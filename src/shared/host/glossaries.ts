import { z } from 'zod/mini';
import { Correction } from '#shared/captions/corrections.ts';
import { Problem } from '#shared/problem.ts';
import { GLOSSARY_KINDS } from '#shared/protocol/glossary.ts';

/** Messages between window and main about the account's glossaries. */

const id = z.string().check(z.maxLength(4096));
const code = z.string().check(z.maxLength(20));

export const Glossary = z.lazy(() =>
	z.object({
		id: z.string(),
		name: z.string(),
		/** One of `GLOSSARY_KINDS`, or a kind not known yet. */
		kind: z.string(),
		/** Language codes; empty = the service does not report them. */
		source: z.string(),
		target: z.string(),
		/** Whether the glossary applies to conversations; null = the service does not report it. */
		enabled: z.nullable(z.boolean()),
		/** Number of rows. */
		entries: z.nullable(z.number()),
	}),
);
export type Glossary = z.infer<typeof Glossary>;

/** A glossary to be created. `table`: CSV as typed, pasted or read; it is checked before anything is sent. */
export const GlossaryDraft = z.object({
	name: z.string().check(z.maxLength(200)),
	kind: z.enum(GLOSSARY_KINDS),
	source: code,
	target: code,
	table: z.string().check(z.maxLength(3_000_000)),
});
export type GlossaryDraft = z.infer<typeof GlossaryDraft>;

/** The results for the glossaries made from corrections. */
export const CorrectionsPut = z.lazy(() =>
	z.object({
		made: z.array(Glossary),
		/** Earlier glossaries and their replacements; null = the language has no corrections any more. */
		replaced: z.array(z.object({ id: z.string(), by: z.nullable(z.string()) })),
		/** Why some of `replaced` still exist; null = all were deleted. */
		problem: z.nullable(Problem),
	}),
);
export type CorrectionsPut = z.infer<typeof CorrectionsPut>;

export const glossaryRequests = {
	/** `glossaries-unavailable` if the service does not support them. */
	'glossary.list': { input: z.undefined(), output: z.array(Glossary) },
	/** `table-invalid` describes the faults by line; in this case nothing was sent. */
	'glossary.add': { input: GlossaryDraft, output: Glossary },
	/** The table of a glossary as CSV; null if the service does not return it. */
	'glossary.table': { input: z.object({ id }), output: z.nullable(z.string()) },
	/**
	 * Replaces a glossary: creates the new, then deletes the old one; `left`: both exist. A refusal changes nothing.
	 */
	'glossary.change': {
		input: z.extend(GlossaryDraft, { id }),
		output: z.object({ glossary: Glossary, left: z.boolean() }),
	},
	'glossary.enable': { input: z.object({ id, enabled: z.boolean() }), output: Glossary },
	/** Turns each language's corrections into an `asr` glossary in place of the last. A refusal changes nothing. */
	'glossary.from-corrections': { input: z.undefined(), output: CorrectionsPut },
	/** Succeeds even if the glossary no longer exists. */
	'glossary.delete': { input: z.object({ id }), output: z.undefined() },
} as const;

/** Longest table of corrections, in characters: the most rows, each cell at its longest and fully quoted. */
export const LONGEST_CORRECTIONS_TABLE = 3_000_000;

export const correctionRequests = {
	/** Reads CSV with the columns language, wrong, right. `table-invalid` describes the faults by line. */
	'corrections.read': {
		input: z.object({ table: z.string().check(z.maxLength(LONGEST_CORRECTIONS_TABLE)) }),
		output: z.array(Correction),
	},
} as const;
