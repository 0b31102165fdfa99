import { z } from 'zod/mini';

/** What the shell around the window offers, which differs by system. */
export const ShellState = z.lazy(() =>
	z.object({
		/** Grows by one with each change; an announcement with a lower one is stale. */
		revision: z.number(),
		/** An icon in the system tray, with the same actions. */
		tray: z.enum(['shown', 'none']),
		/** Keys while another program is in front. `portal`: the desktop asks the person first (Wayland). */
		globalKeys: z.enum(['works', 'portal', 'none']),
		/** The talk key can be held while another program is in front; otherwise it toggles there. */
		holds: z.boolean(),
		/** The window is neither minimised nor hidden. */
		shown: z.boolean(),
		/** Slots whose keys the system refused, because another program has them. */
		refusedKeys: z.array(z.string()),
	}),
);
export type ShellState = z.infer<typeof ShellState>;

export const shellRequests = {
	'shell.state': { input: z.undefined(), output: ShellState },
} as const;
