import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { isUnderWay } from './live-changes.ts';

/** How long after the end a press is still one that was meant for Stop: longer than a person takes to react. */
export const SLIP_MS = 600;

/**
 * Whether the conversation ended only just now. The button that said Stop says Start then, and whoever was about
 * to press it once more would begin a conversation, with a session on the bill, instead of ending one.
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
