import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** What the window and main say to each other about recording a conversation. */

const nothing = z.undefined();
const stream = z.string().check(z.minLength(16), z.maxLength(64));

export const recordingRequests = {
	/**
	 * Asks the user for the file, then its ports come to the window as those of a stream do (`streams.ts`), before
	 * or after the answer. On the second go `RecordedFrame`s to main, on the first comes `{type: 'failed', problem}` when it
	 * cannot go on. Null when the user named no file; otherwise where it is.
	 */
	'recording.begin': {
		input: z.object({
			stream,
			suggestedName: z.string().check(z.maxLength(200)),
			/** Of the sound that will come. */
			rateHz: z.int().check(z.gte(8000), z.lte(192_000)),
		}),
		output: z.nullable(z.string()),
	},
	/** The file is whole when it answers. Harmless to repeat. */
	'recording.end': { input: z.object({ stream }), output: nothing },
} as const;

/** Left: what was said; right: its translation. 16 bit, the two by turns. */
export interface RecordedFrame {
	/** Samples of each channel since Start; what lies between two frames is silence. */
	readonly at: number;
	/** An array of its own; null = this was the last. */
	readonly samples: Int16Array | null;
}

export const RecordingDown = z.object({ type: z.literal('failed'), problem: Problem });
