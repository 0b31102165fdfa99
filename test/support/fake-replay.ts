import { createStore } from 'zustand/vanilla';
import type { Replay } from '#renderer/replay/replaying.ts';

/** Claims to play what is requested, until told otherwise. */
export interface FakeReplay extends Replay {
	readonly asked: readonly string[];
	/** Rows that can be heard again. */
	keep(...rows: readonly string[]): void;
}

export function createFakeReplay(): FakeReplay {
	const asked: string[] = [];
	const store: Replay['store'] = createStore(
		() => ({ row: null, catchingUp: false, nothing: false }) as never,
	);
	const rows = createStore<ReadonlySet<string>>()(() => new Set<string>());
	return {
		store,
		rows,
		asked,
		last(among) {
			const kept = [...rows.getState()].filter((row) => among?.(row));
			asked.push(['last', ...kept].join(' '));
		},
		play: (row) => void asked.push(row),
		stop() {
			asked.push('stop');
			store.setState({ row: null, catchingUp: false, nothing: false });
		},
		keep: (...kept) => rows.setState(new Set(kept), true),
	};
}
