import { createStore } from 'zustand/vanilla';
import type { Talk, TalkView } from '#renderer/conversation/talk.ts';

/** A talk key that does only what a test tells it, and remembers what the window did. */
export interface FakeTalk extends Talk {
	readonly calls: readonly (readonly [string, ...unknown[]])[];
	show(view: Partial<TalkView>): void;
}

const open: TalkView = { mode: 'open', open: true, pressed: 'no', unheard: false };

export function createFakeTalk(): FakeTalk {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const store = createStore<TalkView>()(() => open);
	return {
		store,
		calls,
		show: (view) => store.setState(view),
		down: (by) => void calls.push(['down', by]),
		up: (by) => void calls.push(['up', by]),
		toggle: () => void calls.push(['toggle']),
		letGo: () => void calls.push(['letGo']),
		unheard: () => void calls.push(['unheard']),
		close() {},
	};
}
