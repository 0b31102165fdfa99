import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** Messages between window and main about the models of the local interpreter. */

const nothing = z.undefined();
const one = { input: z.object({ id: z.string() }), output: nothing };
const several = { input: z.object({ ids: z.array(z.string()) }), output: nothing };

export const ModelRole = z.enum(['recogniser', 'translator', 'voice', 'activity']);
export type ModelRole = z.infer<typeof ModelRole>;

/** One model: what it is, and how far it is installed. */
export const ModelEntry = z.lazy(() =>
	z.object({
		id: z.string(),
		role: ModelRole,
		/** Codes. A translator has two: from and to. A recogniser of many languages lists them. */
		languages: z.array(z.string()),
		/** Size of all its files. */
		bytes: z.number(),
		licence: z.string(),
		/** As published, for display, such as `COMET 0.890`; empty = nothing is published. */
		quality: z.string(),
		state: z.enum(['available', 'waiting', 'downloading', 'paused', 'checking', 'installed', 'broken']),
		/** Bytes downloaded so far. */
		doneBytes: z.number(),
		/** While it downloads; null = not known yet. */
		bytesPerS: z.nullable(z.number()),
		/** Why it is broken or stopped; null = nothing is wrong. */
		problem: z.nullable(Problem),
	}),
);
export type ModelEntry = z.infer<typeof ModelEntry>;

export const ModelsState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		models: z.array(ModelEntry),
		/** On the disk of the models' folder; null = the system does not say. */
		freeBytes: z.nullable(z.number()),
		folder: z.string(),
		/** Why nothing local runs on this computer (no binaries for it); null = it can. */
		problem: z.nullable(Problem),
	}),
);
export type ModelsState = z.infer<typeof ModelsState>;

export const modelRequests = {
	/** Looks at the folder again. */
	'models.read': { input: nothing, output: ModelsState },
	/** Starts or resumes their download. Returns at once; progress is announced. */
	'models.add': several,
	/** Keeps the part downloaded; `models.add` resumes from it. */
	'models.pause': one,
	/** Deletes the part downloaded. */
	'models.cancel': one,
	/** Deletes installed ones. Refused while a conversation uses them. */
	'models.remove': several,
} as const;
