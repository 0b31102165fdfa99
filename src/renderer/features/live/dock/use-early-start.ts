import { type RefObject, useLayoutEffect } from 'react';
import { takeFirstPicture } from '#renderer/window/first-picture.ts';
import { isUnderWay } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { atMost } from '#shared/lib/at-most.ts';

/** Devices and routes are usually read within 100 ms. */
const READ_LIMIT_MS = 2000;

/**
 * Start has stood in the page since before any script: whoever pressed it there gets what a press gives now, once, and
 * the keyboard stays on it. What stands in the way is read first: the window itself has hardly asked yet, and what is not
 * known blocks nothing.
 */
export function useEarlyStart(button: RefObject<HTMLButtonElement | null>, press: () => void): void {
	const { clock, conversation, readSound } = useParts();
	useLayoutEffect(() => {
		const { pressed, focused } = takeFirstPicture();
		if (focused) button.current?.focus();
		if (!pressed) return;
		void atMost(clock, READ_LIMIT_MS, readSound()).then(() => {
			if (!isUnderWay(conversation.store.getState().phase)) press();
		});
	}, [button, press, clock, conversation, readSound]);
}
