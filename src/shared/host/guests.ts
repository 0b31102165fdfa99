import { z } from 'zod/mini';

/** Messages between window and main about guests, who read the captions in a browser on the same network. */

const nothing = z.undefined();

export const GuestsState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		sharing: z.boolean(),
		/**
		 * Full addresses of the page, the likeliest to be reached first; empty while nothing is shared, or without a network.
		 * Whoever has one reads along.
		 */
		addresses: z.array(z.string()),
		/** How many read along now. */
		guests: z.number(),
	}),
);
export type GuestsState = z.infer<typeof GuestsState>;

export const guestRequests = {
	/** Shares the captions, if that can be; while they are shared it only answers. */
	'guests.open': { input: nothing, output: GuestsState },
	/** Harmless to repeat. */
	'guests.close': { input: nothing, output: nothing },
} as const;
