import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { HistoryState } from '#shared/host/history.ts';

/** Main's state of the history: open questions to the user, and problems. */
export interface HistoryMirror extends Mirror<HistoryState> {
	/** Names of notices dismissed on the live page; they are not shown again while the window is open. */
	readonly putAway: StoreApi<readonly string[]>;
	/** The kept conversation to which the next one is appended, with its title; null = none. */
	readonly continued: StoreApi<Continued | null>;
}

interface Continued {
	readonly id: string;
	readonly title: string;
}

export function createHistoryMirror(host: Host): HistoryMirror {
	const mirror = createMirror<HistoryState>({
		initial: { revision: -1, undecided: 0, offer: null, problem: null },
		listen: (heard) => host.listen('history.changed', heard),
		read: () => host.ask('history.state', undefined),
		unread: (problem) => ({ problem }),
	});
	return {
		...mirror,
		putAway: createStore<readonly string[]>(() => []),
		continued: createStore<Continued | null>(() => null),
	};
}
