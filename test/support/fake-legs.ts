import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Leg, Legs } from '#renderer/conversation/legs.ts';
import type { LegName } from '#shared/leg-name.ts';
import { createFakeConversation, type FakeConversation } from './fake-conversation.ts';

export interface FakeLeg extends Leg {
	readonly conversation: FakeConversation;
	readonly calls: readonly (readonly [string, ...unknown[]])[];
}

/** Two legs that do only what a test tells them. */
export interface FakeLegs {
	readonly names: StoreApi<readonly LegName[]>;
	readonly outgoing: FakeLeg;
	readonly incoming: FakeLeg;
	readonly theirs: Legs['theirs'];
}

export function createFakeLegs(): FakeLegs {
	const theirs = createStore<{ readonly corrected: string | null }>()(() => ({ corrected: null }));
	return {
		theirs: { store: theirs, correct: (corrected) => theirs.setState({ corrected }) },
		names: createStore<readonly LegName[]>()(() => ['outgoing']),
		outgoing: createFakeLeg('outgoing'),
		incoming: createFakeLeg('incoming'),
	};
}

function createFakeLeg(name: LegName): FakeLeg {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const voice = createStore(() => ({ muted: false }));
	return {
		name,
		conversation: createFakeConversation(),
		voice,
		calls,
		muteVoice(muted) {
			calls.push(['muteVoice', muted]);
			voice.setState({ muted });
		},
		again: () => void calls.push(['again']),
	};
}
