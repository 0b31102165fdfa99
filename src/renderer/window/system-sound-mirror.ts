import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { SystemSoundState } from '#shared/host/system-sound.ts';
import type { Cancel } from '#shared/lib/clock.ts';

/** What other programs play, as main has it. */
export interface SystemSoundMirror {
	readonly store: StoreApi<SystemSoundState>;
	/** For a while nothing but zeros has come of what is listened to. Told by who listens. */
	readonly zeros: StoreApi<{ readonly zeros: boolean }>;
	/** From the first time on main watches what comes and goes. */
	load(): Promise<void>;
	readonly close: Cancel;
}

export function createSystemSoundMirror(host: Pick<Host, 'ask' | 'listen'>): SystemSoundMirror {
	const store = createStore<SystemSoundState>()(() => ({
		revision: -1,
		way: 'none',
		applications: [],
		problem: null,
	}));

	function receive(next: SystemSoundState): void {
		if (next.revision >= store.getState().revision) store.setState(next, true);
	}

	return {
		store,
		zeros: createStore<{ readonly zeros: boolean }>()(() => ({ zeros: false })),
		close: host.listen('system-sound.changed', receive),
		async load() {
			const answer = await host.ask('system-sound.state', undefined);
			if (answer.ok) receive(answer.value);
		},
	};
}
