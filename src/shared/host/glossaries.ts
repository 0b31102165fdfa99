import { z } from 'zod/mini';
import { GLOSSARY_KINDS } from '#shared/protocol/glossary.ts';

/** What the window and main say to each other about the glossaries of the account. */

const id = z.string().check(z.maxLength(4096));
const code = z.string().check(z.maxLength(20));

export const Glossary = z.lazy(() =>
	z.object({
		id: z.string(),
		name: z.string(),
		/** One of `GLOSSARY_KINDS`, or one that nobody knows yet. */
		kind: z.string(),
		/** Language codes; empty = the service does not say. */
		source: z.string(),
		target: z.string(),
		/** Does it apply to conversations? Null = the service does not say. */
		enabled: z.nullable(z.boolean()),
		/** How many rows it has. */
		entries: z.nullable(z.number()),
	}),
);
export type Glossary = z.infer<typeof Glossary>;

/** A glossary to be made. `table`: CSV as it was typed, pasted or read; it is checked before anything is sent. */
export const GlossaryDraft = z.object({
	name: z.string().check(z.maxLength(200)),
	kind: z.enum(GLOSSARY_KINDS),
	source: code,
	target: code,
	table: z.string().check(z.maxLength(3_000_000)),
});
export type GlossaryDraft = z.infer<typeof GlossaryDraft>;

export const glossaryRequests = {
	/** `glossaries-unavailable` where the service has none. */
	'glossary.list': { input: z.undefined(), output: z.array(Glossary) },
	/** `table-invalid` names what is wrong by line; nothing was sent then. */
	'glossary.add': { input: GlossaryDraft, output: Glossary },
	/** The table of one, as CSV; null where the service does not give it back. */
	'glossary.table': { input: z.object({ id }), output: z.nullable(z.string()) },
	/**
	 * Makes a glossary in place of another: the new one first, on or off as the old one was, then the old one is deleted. `left`:
	 * that failed, and both are there. Nothing was changed when it is refused.
	 */
	'glossary.change': {
		input: z.extend(GlossaryDraft, { id }),
		output: z.object({ glossary: Glossary, left: z.boolean() }),
	},
	'glossary.enable': { input: z.object({ id, enabled: z.boolean() }), output: Glossary },
	/**
	 * Makes of the corrections of each language a glossary of kind `asr`, in place of the one made so before. Resolves with
	 * those made.
	 */
	'glossary.from-corrections': { input: z.undefined(), output: z.array(Glossary) },
	/** Also of one that is gone already. */
	'glossary.delete': { input: z.object({ id }), output: z.undefined() },
} as const;
