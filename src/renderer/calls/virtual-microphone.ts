import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { RoutingState } from '#shared/host/calls.ts';
import type { Cancel } from '#shared/lib/clock.ts';
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

/** Makes the virtual microphone when a meeting needs it, once main has reported whether there is one. */
export function makeMicrophoneAtStart({
	conversation,
	routing,
	isMeeting,
	isNeeded,
}: {
	readonly conversation: Pick<Conversation, 'store'>;
	readonly routing: Pick<RoutingMirror, 'store' | 'make'>;
	isMeeting(): boolean;
	/** Whether the meeting has no route into the call. */
	isNeeded(): boolean;
}): Cancel {
	let undecided = false;
	function decide(): void {
		const { revision, virtualMicrophone } = routing.store.getState();
		if (!undecided || revision < 0) return;
		undecided = false;
		const { state } = virtualMicrophone;
		if (isNeeded() && (state === 'none' || state === 'failed')) void routing.make();
	}
	const ends = [
		conversation.store.subscribe((view, before) => {
			const runs = isRunning(view.phase);
			if (runs === isRunning(before.phase)) return;
			undecided = runs && isMeeting();
			decide();
		}),
		routing.store.subscribe(decide),
	];
	return () => {
		for (const end of ends) end();
	};
}
