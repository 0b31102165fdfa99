import { createStore } from 'zustand/vanilla';
import type { TurnTaking, TurnView } from '#renderer/face-to-face/turn-taking.ts';

/** Turns that do only what a test tells them, and remember what the window did. */
export interface FakeTurns extends TurnTaking {
	readonly calls: readonly (readonly [string, ...unknown[]])[];
	show(view: Partial<TurnView>): void;
}

const idle: TurnView = {
	cues: { me: 'off', partner: 'off' },
	pressed: { me: 'no', partner: 'no' },
};

export function createFakeTurns(): FakeTurns {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const store = createStore<TurnView>()(() => idle);
	return {
		store,
		calls,
		show: (view) => store.setState(view),
		down: (side) => void calls.push(['down', side]),
		up: (side) => void calls.push(['up', side]),
		letGo: () => void calls.push(['letGo']),
		close() {},
	};
}
