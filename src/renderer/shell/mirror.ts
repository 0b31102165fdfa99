import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** A copy of one of main's states, as last announced. */
export interface Mirror<State> {
	readonly store: StoreApi<State>;
	/** Requests the state from main; can be called again. */
	readonly load: () => Promise<void>;
	readonly close: Cancel;
}

export interface MirrorParts<Told, State> {
	/** The state until main has answered. */
	readonly initial: State;
	/** Calls `heard` with each change that main announces. Returns a function that stops listening. */
	readonly listen: (heard: (told: Told) => void) => Cancel;
	readonly read: () => Promise<Result<Told, Problem>>;
	/** Derives the state from what main sent; default: unchanged. */
	readonly shown?: (told: Told) => State;
	/** The state when reading failed; default: unchanged. */
	readonly unread?: (problem: Problem) => Partial<State>;
}

/** Follows a state of main by its revision: drops an answer older than an announcement. */
export function createMirror<
	Told extends { readonly revision: number },
	State extends { readonly revision: number } = Told,
>(parts: MirrorParts<Told, State>): Mirror<State> & { readonly receive: (told: Told) => void } {
	const shown = parts.shown ?? ((told: Told) => told as unknown as State);
	const store = createStore<State>()(() => parts.initial);

	function receive(told: Told): void {
		if (told.revision >= store.getState().revision) store.setState(shown(told), true);
	}

	return {
		store,
		receive,
		close: parts.listen(receive),
		async load() {
			const read = await parts.read();
			if (read.ok) receive(read.value);
			else if (parts.unread) store.setState(parts.unread(read.error));
		},
	};
}
