import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { VoiceEntry, VoiceList } from '#shared/host/voices.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';

/** The voices made here, as main has them. */
export interface VoicesMirror {
	readonly store: StoreApi<VoicesView>;
	/** Asks for the first list, and again after a failure. */
	load(): Promise<void>;
	readonly close: Cancel;
}

export interface VoicesView extends Omit<VoiceList, 'voices'> {
	readonly loaded: boolean;
	readonly voices: readonly VoiceEntry[];
	/** Why the list could not be had. */
	readonly failure: Problem | null;
}

export function createVoicesMirror(host: Host): VoicesMirror {
	const store = createStore<VoicesView>()(() => ({
		loaded: false,
		revision: -1,
		voices: [],
		builtIn: [],
		credential: 'api-key',
		problem: null,
		failure: null,
	}));

	function receive(list: VoiceList): void {
		if (list.revision >= store.getState().revision) store.setState({ ...list, loaded: true, failure: null });
	}

	return {
		store,
		close: host.listen('voice.changed', receive),
		async load() {
			const read = await host.ask('voice.list', undefined);
			if (read.ok) receive(read.value);
			else store.setState({ loaded: true, failure: read.error });
		},
	};
}
