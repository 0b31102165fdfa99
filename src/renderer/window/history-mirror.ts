import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { HistoryState } from '#shared/host/history.ts';
import type { Cancel } from '#shared/lib/clock.ts';

/** What main says of the history: what waits for the user, and what is wrong. */
export interface HistoryMirror {
	readonly store: StoreApi<HistoryState>;
	/** Asks for the first state; this page begins. */
	load(): Promise<void>;
	readonly close: Cancel;
}

export function createHistoryMirror(host: Host): HistoryMirror {
	const store = createStore<HistoryState>()(() => ({
		revision: -1,
		undecided: 0,
		offer: null,
		problem: null,
	}));

	function receive(next: HistoryState): void {
		if (next.revision >= store.getState().revision) store.setState(next, true);
	}

	return {
		store,
		close: host.listen('history.changed', receive),
		async load() {
			const read = await host.ask('history.state', undefined);
			if (read.ok) receive(read.value);
			else store.setState({ problem: read.error });
		},
	};
}
