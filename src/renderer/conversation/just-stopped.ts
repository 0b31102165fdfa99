import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Conversation } from './conversation.ts';
import { isUnderWay } from './live-changes.ts';

/** How long after the end a press still counts as meant for Stop: longer than a person takes to react. */
export const SLIP_MS = 600;

/**
 * Whether the conversation ended only just now. The Stop button has then become Start, and somebody about to press it
 * again would begin a conversation, with a billed session, instead of ending one.
 */
export function createJustStopped(
	{ store: conversation }: Pick<Conversation, 'store'>,
	clock: Pick<Clock, 'after'>,
): StoreApi<boolean> {
	const store = createStore(() => false);
	let over: Cancel = () => {};
	conversation.subscribe(({ phase }, { phase: before }) => {
		const goesOn = isUnderWay(phase);
		if (goesOn === isUnderWay(before)) return;
		over();
		store.setState(!goesOn, true);
		if (!goesOn) over = clock.after(SLIP_MS, () => store.setState(false, true));
	});
	return store;
}
