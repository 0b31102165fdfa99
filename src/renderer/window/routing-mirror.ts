import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { RoutingState } from '#shared/host/routing.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The virtual microphone as main has it. */
export interface RoutingMirror {
	readonly store: StoreApi<RoutingState>;
	load(): Promise<void>;
	/** Makes it, or sets an existing one right. */
	make(): Promise<Result<RoutingState, Problem>>;
	remove(): Promise<Result<RoutingState, Problem>>;
	readonly close: Cancel;
}

export function createRoutingMirror(host: Host): RoutingMirror {
	const store = createStore<RoutingState>()(() => ({
		revision: -1,
		virtualMicrophone: { state: 'unsupported' },
	}));

	function receive(next: RoutingState): void {
		if (next.revision >= store.getState().revision) store.setState(next, true);
	}

	async function ask(
		name: 'routing.state' | 'routing.make' | 'routing.remove',
	): Promise<Result<RoutingState, Problem>> {
		const answer = await host.ask(name, undefined);
		if (answer.ok) receive(answer.value);
		return answer;
	}

	return {
		store,
		close: host.listen('routing.changed', receive),
		async load() {
			await ask('routing.state');
		},
		make: () => ask('routing.make'),
		remove: () => ask('routing.remove'),
	};
}
