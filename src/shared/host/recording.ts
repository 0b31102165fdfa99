import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';
import { streamName } from './streams.ts';

/** Messages between window and main about recording a conversation. */

const nothing = z.undefined();

export const recordingRequests = {
	/**
	 * Asks the user for the file; then the window receives ports like those of a stream (`streams.ts`), before
	 * or after the answer. The second carries `RecordedFrame`s to main, the first `{type: 'failed', problem}`
	 * from main if it cannot continue. Returns the path of the file, or null if the user chose none.
	 */
	'recording.begin': {
		input: z.object({
			stream: streamName,
			suggestedName: z.string().check(z.maxLength(200)),
			/** Sampling rate of the frames to be sent. */
			rateHz: z.int().check(z.gte(8000), z.lte(192_000)),
		}),
		output: z.nullable(z.string()),
	},
	/** Answers when the file is complete, or with the reason why it is not. Harmless to repeat. */
	'recording.end': { input: z.object({ stream: streamName }), output: nothing },
} as const;

/** Left: the speech; right: its translation. 16 bit, interleaved. */
export interface RecordedFrame {
	/** Position in samples per channel since Start; gaps between frames are silence. */
	readonly at: number;
	/** A separate array; null = end of the recording. */
	readonly samples: Int16Array | null;
}

export const RecordingDown = z.object({ type: z.literal('failed'), problem: Problem });
