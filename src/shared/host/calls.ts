import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';
import { streamName } from './streams.ts';

/** Messages between window and main about routing a voice into a call. */

const nothing = z.undefined();
const label = z.string();

export const VirtualMicrophone = z.lazy(() =>
	z.discriminatedUnion('state', [
		/** This system allows no virtual microphone: the user installs a cable (`shared/calls/cables.ts`). */
		z.object({ state: z.literal('unsupported') }),
		z.object({ state: z.literal('none') }),
		z.object({ state: z.literal('making') }),
		/** Ready: the microphone captures whatever plays on the speaker. Names as the system lists them. */
		z.object({
			state: z.literal('ready'),
			speakerLabel: label,
			microphoneLabel: label,
			/** Whether a program, such as a call, records from it; missing if the system does not report it. */
			recorded: z.optional(z.boolean()),
		}),
		z.object({ state: z.literal('removing') }),
		z.object({ state: z.literal('failed'), problem: Problem }),
	]),
);
export type VirtualMicrophone = z.infer<typeof VirtualMicrophone>;

export const RoutingState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		virtualMicrophone: VirtualMicrophone,
	}),
);
export type RoutingState = z.infer<typeof RoutingState>;

/** Pages that main opens in the user's browser; the addresses are main's own. */
export const CableGuide = z.enum(['blackhole', 'vb-cable', 'loopback']);
export type CableGuide = z.infer<typeof CableGuide>;

export const routingRequests = {
	'routing.state': { input: nothing, output: RoutingState },
	/** Creates the virtual microphone, or repairs it (volume, mute, a missing half). Can be repeated. */
	'routing.make': { input: nothing, output: RoutingState },
	/** Removes the virtual microphone; harmless if none exists. */
	'routing.remove': { input: nothing, output: RoutingState },
	'routing.open-guide': { input: z.object({ guide: CableGuide }), output: nothing },
} as const;

/** Messages between window and main about the sound that other programs play. */

/** A program that is playing sound, or could start at any moment. */
export const SoundApplication = z.lazy(() =>
	z.object({
		/** The sound server's name of the program; two windows of one program share a name. */
		name: z.string(),
		/** False: the program's stream is idle. */
		playing: z.boolean(),
		/** All sound of the program is muted in the system's mixer. */
		muted: z.optional(z.boolean()),
	}),
);
export type SoundApplication = z.infer<typeof SoundApplication>;

export const SystemSoundState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower revision is outdated. */
		revision: z.number(),
		/** `recorder`: main records programs. `loopback`: the window captures everything. `none`: neither. */
		way: z.enum(['recorder', 'loopback', 'none']),
		/** Known only with `recorder`; never includes our own program. */
		applications: z.array(SoundApplication),
		/** Why the sound cannot be captured now; null = no obstacle. */
		problem: z.nullable(Problem),
	}),
);
export type SystemSoundState = z.infer<typeof SystemSoundState>;

export const systemSoundRequests = {
	'system-sound.state': { input: nothing, output: SystemSoundState },
	/**
	 * With `loopback` the answer only permits the capture, without any ports. With `recorder` the window
	 * receives ports before or after the answer, like those of a stream (`streams.ts`): the third carries
	 * `SoundFrame`s, the first `{type: 'failed', problem}` if the recording ends unexpectedly.
	 */
	'system-sound.open': {
		input: z.object({
			stream: streamName,
			/** Null: all sound except this program's own. */
			application: z.nullable(z.string().check(z.minLength(1), z.maxLength(300))),
			/** Rate of the page's audio context. */
			rateHz: z.int().check(z.gte(8000), z.lte(192_000)),
		}),
		output: nothing,
	},
	/** Harmless to repeat. */
	'system-sound.close': { input: z.object({ stream: streamName }), output: nothing },
	/**
	 * The volume at which the person hears the recorded program: 1 = its own volume. The recording always has
	 * full volume. Does nothing without `recorder`, or while nothing is recorded.
	 */
	'system-sound.lower': {
		input: z.object({ gain: z.number().check(z.gte(0), z.lte(1)) }),
		output: nothing,
	},
} as const;

/** Sound of one stream of a program: mono 16 bit at the requested rate. Parallel streams are mixed. */
export interface SoundFrame {
	/** The number of the stream. */
	readonly from: number;
	/** A separate array; null = end of the stream. */
	readonly samples: Int16Array | null;
}

export const SystemSoundDown = z.object({ type: z.literal('failed'), problem: Problem });
