import type { Host } from '#renderer/host.ts';
import type { HistoryState } from '#shared/host/history.ts';
import { createMirror, type Mirror } from './mirror.ts';

/** What main says of the history: what waits for the user, and what is wrong. */
export type HistoryMirror = Mirror<HistoryState>;

export function createHistoryMirror(host: Host): HistoryMirror {
	return createMirror<HistoryState>({
		initial: { revision: -1, undecided: 0, offer: null, problem: null },
		listen: (heard) => host.listen('history.changed', heard),
		read: () => host.ask('history.state', undefined),
		unread: (problem) => ({ problem }),
	});
}
