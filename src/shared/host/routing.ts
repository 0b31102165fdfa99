import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** Messages between window and main about getting a voice into a call. */

const nothing = z.undefined();
const label = z.string();

export const VirtualMicrophone = z.lazy(() =>
	z.discriminatedUnion('state', [
		/** Programs cannot make one here: a cable is installed by the user instead (`shared/calls/cables.ts`). */
		z.object({ state: z.literal('unsupported') }),
		z.object({ state: z.literal('none') }),
		z.object({ state: z.literal('making') }),
		/** It is ready: the microphone delivers what is played on the speaker. Names as the system lists them. */
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
