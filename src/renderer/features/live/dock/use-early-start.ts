import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { takeFirstPicture } from '#renderer/window/first-picture.ts';
import { isUnderWay } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { atMost } from '#shared/lib/at-most.ts';
import { type StartBlock, startBlock, startNeeds } from './start-block.ts';

/** Devices and routes are usually read within 100 ms. */
const READ_LIMIT_MS = 2000;
/** Longer after the press nobody expects that a conversation begins. */
const WAIT_LIMIT_MS = 10_000;

/**
 * Start has stood in the page since before any script: whoever pressed it there gets what a press gives now, once, and
 * the keyboard stays on it. What stands in the way is read first: the window itself has hardly asked yet, and what is not
 * known blocks nothing. The press outlasts what passes by itself (`block`), but no problem.
 */
export function useEarlyStart(
	button: RefObject<HTMLButtonElement | null>,
	press: () => void,
	block: StartBlock | null,
): void {
	const parts = useParts();
	const { clock, conversation, readSound } = parts;
	const [waiting, setWaiting] = useState(false);
	const begin = useCallback(() => {
		if (!isUnderWay(conversation.store.getState().phase)) press();
	}, [conversation, press]);
	useLayoutEffect(() => {
		const { pressed, focused } = takeFirstPicture();
		if (focused) button.current?.focus();
		if (!pressed) return;
		void atMost(clock, READ_LIMIT_MS, readSound()).then(() => {
			if (startBlock(startNeeds(parts))?.kind === 'wait') setWaiting(true);
			else begin();
		});
	}, [button, begin, clock, parts, readSound]);
	const passed = waiting && block?.kind !== 'wait';
	useEffect(() => {
		if (!passed) return;
		setWaiting(false);
		begin();
	}, [passed, begin]);
	useEffect(
		() => (waiting ? clock.after(WAIT_LIMIT_MS, () => setWaiting(false)) : undefined),
		[waiting, clock],
	);
}
