import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** What the window and main say to each other about the sound that other programs play. */

const nothing = z.undefined();

/** A program that plays, or could at once. */
export const SoundApplication = z.lazy(() =>
	z.object({
		/** As the sound server calls it; two windows of one program are one. */
		name: z.string(),
		/** False: it holds a stream that stands still. */
		playing: z.boolean(),
		/** All that it plays is turned off in the system's mixer. */
		muted: z.optional(z.boolean()),
	}),
);
export type SoundApplication = z.infer<typeof SoundApplication>;

export const SystemSoundState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		/**
		 * `recorder`: main records the streams of other programs, each alone. `loopback`: the window captures what
		 * the computer plays. `none`: neither can be had here.
		 */
		way: z.enum(['recorder', 'loopback', 'none']),
		/** Known with `recorder` only; never our own. */
		applications: z.array(SoundApplication),
		/** Why it cannot be heard now; null = nothing is in the way. */
		problem: z.nullable(Problem),
	}),
);
export type SystemSoundState = z.infer<typeof SystemSoundState>;

const stream = z.string().check(z.minLength(16), z.maxLength(64));

export const systemSoundRequests = {
	'system-sound.state': { input: nothing, output: SystemSoundState },
	/**
	 * With `loopback` it is the leave to capture, and no ports come. With `recorder` its
	 * ports come to the window with the answer, in either order, as those of a stream do (`streams.ts`): on the third
	 * `SoundFrame`s, on the first `{type: 'failed', problem}` when it ends by itself.
	 */
	'system-sound.open': {
		input: z.object({
			stream,
			/** Null: everything but what this program plays. */
			application: z.nullable(z.string().check(z.minLength(1), z.maxLength(300))),
			/** Of the page's audio context. */
			rateHz: z.int().check(z.gte(8000), z.lte(192_000)),
		}),
		output: nothing,
	},
	/** Harmless to repeat. */
	'system-sound.close': { input: z.object({ stream }), output: nothing },
	/**
	 * How loud what is recorded stays in the ears: 1 = as its program plays it. It is recorded as loud as ever.
	 * Without `recorder`, or while nobody listens, nothing happens.
	 */
	'system-sound.lower': {
		input: z.object({ gain: z.number().check(z.gte(0), z.lte(1)) }),
		output: nothing,
	},
} as const;

/** Sound of one program's stream: mono 16 bit at the rate asked for. Several come side by side and are added. */
export interface SoundFrame {
	/** Which stream. */
	readonly from: number;
	/** An array of its own; null = nothing more comes of it. */
	readonly samples: Int16Array | null;
}

export const SystemSoundDown = z.object({ type: z.literal('failed'), problem: Problem });
