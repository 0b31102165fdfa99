import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** Messages between window and main about the models of the local interpreter. */

const nothing = z.undefined();
const one = { input: z.object({ id: z.string() }), output: nothing };
const several = { input: z.object({ ids: z.array(z.string()) }), output: nothing };

/** `interpreter`: the programs that run the models. */
export const ModelRole = z.enum(['interpreter', 'recogniser', 'translator', 'voice', 'activity']);
export type ModelRole = z.infer<typeof ModelRole>;

export const ModelEntry = z.lazy(() =>
	z.object({
		id: z.string(),
		role: ModelRole,
		/**
		 * Language codes. A translator has two: from and to. A multilingual recogniser lists all its languages.
		 */
		languages: z.array(z.string()),
		/** Total size of the model's files. */
		bytes: z.number(),
		licence: z.string(),
		/** The published quality, for display, such as `COMET 0.890`; empty = none is published. */
		quality: z.string(),
		state: z.enum(['available', 'waiting', 'downloading', 'paused', 'checking', 'installed', 'broken']),
		/** Bytes downloaded so far. */
		doneBytes: z.number(),
		/** Speed of the download; null = not known yet. */
		bytesPerS: z.nullable(z.number()),
		/** Why the model is broken or its download stopped; null = nothing is wrong. */
		problem: z.nullable(Problem),
	}),
);
export type ModelEntry = z.infer<typeof ModelEntry>;

export const ModelsState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		models: z.array(ModelEntry),
		/** Free space on the disk of the models' folder; null = the system does not report it. */
		freeBytes: z.nullable(z.number()),
		folder: z.string(),
		/** Why no local interpreter runs on this computer (no binaries for it); null = it can run. */
		problem: z.nullable(Problem),
	}),
);
export type ModelsState = z.infer<typeof ModelsState>;

export const modelRequests = {
	/** Reads the folder again. */
	'models.read': { input: nothing, output: ModelsState },
	/** Starts or resumes downloads. Returns at once; progress is announced. */
	'models.add': several,
	/** Pauses a download and keeps the downloaded data; `models.add` resumes from it. */
	'models.pause': one,
	/** Cancels a download and deletes its data. */
	'models.cancel': one,
	/** Deletes installed models. Refused while a conversation uses them. */
	'models.remove': several,
} as const;
