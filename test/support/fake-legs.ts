import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Leg } from '#renderer/conversation/legs.ts';
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
}

export function createFakeLegs(): FakeLegs {
	return {
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
