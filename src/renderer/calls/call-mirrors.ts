import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { RoutingState, SystemSoundState } from '#shared/host/calls.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** Main's state of the virtual microphone. */
export interface RoutingMirror extends Mirror<RoutingState> {
	/** Creates the virtual microphone, or repairs an existing one. */
	make(): Promise<Result<RoutingState, Problem>>;
	remove(): Promise<Result<RoutingState, Problem>>;
}

export function createRoutingMirror(host: Host): RoutingMirror {
	const mirror = createMirror<RoutingState>({
		initial: { revision: -1, virtualMicrophone: { state: 'unsupported' } },
		listen: (heard) => host.listen('routing.changed', heard),
		read: () => host.ask('routing.state', undefined),
	});

	async function ask(name: 'routing.make' | 'routing.remove'): Promise<Result<RoutingState, Problem>> {
		const answer = await host.ask(name, undefined);
		if (answer.ok) mirror.receive(answer.value);
		return answer;
	}

	return { ...mirror, make: () => ask('routing.make'), remove: () => ask('routing.remove') };
}

/** Main's state of the sound of other programs. */
export interface SystemSoundMirror extends Mirror<SystemSoundState> {
	/** Whether the captured sound has been only zeros for a while. Set by the listener. */
	readonly zeros: StoreApi<{ readonly zeros: boolean }>;
}

/** From the first `load` on, main watches which programs play sound. */
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
