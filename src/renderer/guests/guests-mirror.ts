import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { GuestsState } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';

interface GuestsView extends GuestsState {
	/** Why the captions could not be shared. */
	readonly problem: Problem | null;
}

/** Whether the captions are shared with guests, according to main. */
export interface GuestsMirror extends Pick<Mirror<GuestsView>, 'store'> {
	/** Starts sharing and gets the addresses. Call it again while sharing: the computer may have changed its network. */
	open(): Promise<void>;
	close(): Promise<void>;
}

export function createGuestsMirror(host: Pick<Host, 'ask' | 'listen'>): GuestsMirror {
	const { store, load } = createMirror<GuestsState, GuestsView>({
		initial: { revision: -1, sharing: false, addresses: [], guests: 0, listening: [], problem: null },
		listen: (heard) => host.listen('guests.changed', heard),
		read: () => host.ask('guests.open', undefined),
		shown: (told) => ({ ...told, problem: null }),
		unread: (problem) => ({ problem }),
	});
	return { store, open: load, close: async () => void (await host.ask('guests.close', undefined)) };
}
