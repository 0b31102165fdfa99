import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { VoiceEntry, VoiceList } from '#shared/host/voices.ts';
import type { Problem } from '#shared/problem.ts';

export type VoicesMirror = Mirror<VoicesView>;

export interface VoicesView extends Omit<VoiceList, 'voices'> {
	readonly loaded: boolean;
	readonly voices: readonly VoiceEntry[];
	/** Why the list could not be loaded; null = no problem. */
	readonly failure: Problem | null;
}

export function createVoicesMirror(host: Host): VoicesMirror {
	return createMirror<VoiceList, VoicesView>({
		initial: {
			loaded: false,
			revision: -1,
			voices: [],
			builtIn: [],
			credential: 'api-key',
			problem: null,
			failure: null,
		},
		listen: (heard) => host.listen('voice.changed', heard),
		read: () => host.ask('voice.list', undefined),
		shown: (list) => ({ ...list, loaded: true, failure: null }),
		unread: (failure) => ({ loaded: true, failure }),
	});
}
