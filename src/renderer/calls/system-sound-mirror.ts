import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { SystemSoundState } from '#shared/host/calls.ts';

/** What other programs play, as main has it. */
export interface SystemSoundMirror extends Mirror<SystemSoundState> {
	/** For a while the sound listened to has been nothing but zeros. Set by the listener. */
	readonly zeros: StoreApi<{ readonly zeros: boolean }>;
}

/** From the first `load` on main watches programs come and go. */
export function createSystemSoundMirror(host: Pick<Host, 'ask' | 'listen'>): SystemSoundMirror {
	return {
		...createMirror<SystemSoundState>({
			initial: { revision: -1, way: 'none', applications: [], problem: null },
			listen: (heard) => host.listen('system-sound.changed', heard),
			read: () => host.ask('system-sound.state', undefined),
		}),
		zeros: createStore<{ readonly zeros: boolean }>()(() => ({ zeros: false })),
	};
}
