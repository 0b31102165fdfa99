import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { ShellState } from '#shared/host/shell.ts';
import type { Cancel } from '#shared/lib/clock.ts';

/** Tray and global keys as main has them. */
export interface ShellMirror {
	readonly store: StoreApi<ShellState>;
	load(): Promise<void>;
	readonly close: Cancel;
}

export function createShellMirror(host: Host): ShellMirror {
	const store = createStore<ShellState>()(() => ({
		revision: -1,
		tray: 'none',
		globalKeys: 'none',
		refusedKeys: [],
	}));

	function receive(next: ShellState): void {
		if (next.revision >= store.getState().revision) store.setState(next, true);
	}

	return {
		store,
		close: host.listen('shell.changed', receive),
		async load() {
			const answer = await host.ask('shell.state', undefined);
			if (answer.ok) receive(answer.value);
		},
	};
}
