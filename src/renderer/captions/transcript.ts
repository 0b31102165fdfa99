import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CaptionsView, Conversation, Transcript } from '#renderer/conversation/conversation.ts';
import type { Clock } from '#shared/lib/clock.ts';

/**
 * The captions as the page shows them: put away, they are hidden but not forgotten. They can be brought back until
 * another conversation, live by then, has taken their place.
 */
export function createTranscript(
	captions: CaptionsView,
	conversation: Pick<Conversation, 'store'>,
	clock: Pick<Clock, 'now' | 'wall'>,
): Transcript {
	let beganAt: number | null = null;
	const isAway = (): boolean => store.getState().away === true;
	const store: StoreApi<ReturnType<Transcript['store']['getState']>> = createStore(() => ({
		...captions.store.getState(),
	}));

	function show(away: boolean): void {
		const state = captions.store.getState();
		store.setState(away ? { ...state, rows: 0, away } : { ...state, away });
	}

	captions.store.subscribe(({ rows, held }, before) => {
		// Another conversation's captions, or none, have replaced them.
		const isOther = rows === 0 || (before.held && !held);
		show(isAway() && !isOther);
	});
	conversation.store.subscribe(({ liveSinceMs }, before) => {
		if (liveSinceMs !== null && before.liveSinceMs === null)
			beganAt = clock.wall() - (clock.now() - liveSinceMs);
	});
	return {
		store,
		beganAt: () => beganAt,
		row: (index) => (isAway() ? undefined : captions.row(index)),
		finals: () => (isAway() ? [] : captions.finals()),
		clear: captions.clear,
		putAway: () => show(captions.store.getState().rows > 0),
		bringBack: () => show(false),
	};
}
