import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';
import { streamName } from './streams.ts';

/** Messages between window and main about getting a voice into a call. */

const nothing = z.undefined();
const label = z.string();

export const VirtualMicrophone = z.lazy(() =>
	z.discriminatedUnion('state', [
		/** Programs cannot make one here: a cable is installed by the user instead (`shared/calls/cables.ts`). */
		z.object({ state: z.literal('unsupported') }),
		z.object({ state: z.literal('none') }),
		z.object({ state: z.literal('making') }),
		/** Ready: the microphone delivers the sound played on the speaker. Names as the system lists them. */
		z.object({
			state: z.literal('ready'),
			speakerLabel: label,
			microphoneLabel: label,
			/** Whether a program records from it, such as a call; missing where the system does not tell. */
			recorded: z.optional(z.boolean()),
		}),
		z.object({ state: z.literal('removing') }),
		z.object({ state: z.literal('failed'), problem: Problem }),
	]),
);
export type VirtualMicrophone = z.infer<typeof VirtualMicrophone>;

export const RoutingState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		virtualMicrophone: VirtualMicrophone,
	}),
);
export type RoutingState = z.infer<typeof RoutingState>;

/** Pages main opens in the user's browser; the addresses are main's own. */
export const CableGuide = z.enum(['blackhole', 'vb-cable', 'loopback']);
export type CableGuide = z.infer<typeof CableGuide>;

export const routingRequests = {
	'routing.state': { input: nothing, output: RoutingState },
	/** Makes it, or repairs an existing one (volume, mute, a lost half). Harmless to repeat. */
	'routing.make': { input: nothing, output: RoutingState },
	/** Harmless when there is none. */
	'routing.remove': { input: nothing, output: RoutingState },
	'routing.open-guide': { input: z.object({ guide: CableGuide }), output: nothing },
} as const;

/** Messages between window and main about the sound that other programs play. */

/** A program that plays, or could at once. */
export const SoundApplication = z.lazy(() =>
	z.object({
		/** The sound server's name for it; two windows of one program are one. */
		name: z.string(),
		/** False: its stream is idle. */
		playing: z.boolean(),
		/** Everything it plays is muted in the system's mixer. */
		muted: z.optional(z.boolean()),
	}),
);
export type SoundApplication = z.infer<typeof SoundApplication>;

export const SystemSoundState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		/**
		 * `recorder`: main records the streams of other programs, each alone. `loopback`: the window captures what the
		 * computer plays. `none`: neither is available here.
		 */
		way: z.enum(['recorder', 'loopback', 'none']),
		/** Known with `recorder` only; never our own. */
		applications: z.array(SoundApplication),
		/** Why it cannot be captured now; null = no obstacle. */
		problem: z.nullable(Problem),
	}),
);
export type SystemSoundState = z.infer<typeof SystemSoundState>;

export const systemSoundRequests = {
	'system-sound.state': { input: nothing, output: SystemSoundState },
	/**
	 * With `loopback` this is the permission to capture, and no ports come. With `recorder` ports come to the window
	 * before or after the answer, like those of a stream (`streams.ts`): the third carries `SoundFrame`s, the first
	 * `{type: 'failed', problem}` when it ends unexpectedly.
	 */
	'system-sound.open': {
		input: z.object({
			stream: streamName,
			/** Null: everything but what this program plays. */
			application: z.nullable(z.string().check(z.minLength(1), z.maxLength(300))),
			/** Rate of the page's audio context. */
			rateHz: z.int().check(z.gte(8000), z.lte(192_000)),
		}),
		output: nothing,
	},
	/** Harmless to repeat. */
	'system-sound.close': { input: z.object({ stream: streamName }), output: nothing },
	/**
	 * How loud the recorded program stays for the person: 1 = as it plays. It is recorded at full loudness. Does nothing
	 * without `recorder`, or while nothing is recorded.
	 */
	'system-sound.lower': {
		input: z.object({ gain: z.number().check(z.gte(0), z.lte(1)) }),
		output: nothing,
	},
} as const;

/** Sound of one program's stream: mono 16 bit at the requested rate. Several come in parallel and are mixed. */
export interface SoundFrame {
	/** Which stream. */
	readonly from: number;
	/** A separate array; null = end of the stream. */
	readonly samples: Int16Array | null;
}

export const SystemSoundDown = z.object({ type: z.literal('failed'), problem: Problem });
