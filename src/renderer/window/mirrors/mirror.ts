import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** A state of main's as it last told it. */
export interface Mirror<State> {
	readonly store: StoreApi<State>;
	/** Asks main, the first time or again. */
	readonly load: () => Promise<void>;
	readonly close: Cancel;
}

export interface MirrorParts<Told, State> {
	/** Before main has told anything. */
	readonly initial: State;
	/** Main announces each change. Returns the end of it. */
	readonly listen: (heard: (told: Told) => void) => Cancel;
	readonly read: () => Promise<Result<Told, Problem>>;
	/** What is shown of it; default: all of it as it is. */
	readonly shown?: (told: Told) => State;
	/** What is shown when it could not be read; default: what was there before. */
	readonly unread?: (problem: Problem) => Partial<State>;
}

/**
 * Follows a state of main's by its revision: an answer that comes after a newer announcement is dropped.
 * `receive` takes a state that came by another way.
 */
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
