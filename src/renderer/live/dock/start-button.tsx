import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import {
	type StartBlock,
	startBlock,
	startNeeds,
	useStartBlock,
	useStartStop,
} from '#renderer/conversation/use-start.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { takeFirstPicture } from '#renderer/shell/first-picture.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { FilledIcon } from '#renderer/ui/icon.tsx';
import { atMost } from '#shared/lib/clock.ts';
import styles from './dock.module.css';

/** Devices and routes are usually read within 100 ms. */
const READ_LIMIT_MS = 2000;

/** After this time, a pending Start is dropped, because the user would not expect it any more. */
const WAIT_LIMIT_MS = 10_000;

/** Start, Stop, and while the last words play, Stop now. */
export function MainButton() {
	const { t } = useTranslation();
	const { conversation, justStopped } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const slips = useStore(justStopped);
	const block = useStartBlock();
	const press = useStartStop();
	const tip = useTip();
	const stops = isUnderWay(phase);
	const usable = block === null;
	const button = useRef<HTMLButtonElement>(null);
	useEarlyStart(button, press, block);
	// The first mark ends the measured start-up time (`npm run bench -- start-up`).
	useEffect(() => {
		if (usable) performance.mark('start-usable');
	}, [usable]);
	function prepare(): void {
		// After a stop no session is wanted, although the pointer rests where Stop was, and focus moves here from
		// Pause.
		if (!stops && !block && !slips) conversation.prepare();
	}
	// The first click changes the button: a second one would end the new conversation, or cut off the last words.
	const again = useRef(false);
	const label = phase === 'ending' ? 'live.stopNow' : stops ? 'live.stop' : 'live.start';
	return (
		<Button
			ref={button}
			className={`${styles.main} ${stops ? styles.stop : ''} ${slips ? styles.slips : ''}`}
			isDisabled={!stops && block !== null}
			// Not disabled: it would lose keyboard focus. (`isPending` would be read out as an image.)
			render={(its) => (
				<button
					type="button"
					{...its}
					data-tooltip={tip(t(label), 'start-stop')}
					aria-disabled={slips || its['aria-disabled']}
					onMouseDownCapture={({ detail }) => {
						again.current = detail === 2;
					}}
				/>
			)}
			onPress={({ pointerType }) => {
				if (pointerType !== 'mouse' || !again.current) press();
			}}
			// A finger cannot hover, so preparing begins when it presses, before it lets go.
			onPressStart={prepare}
			onHoverStart={prepare}
			onFocus={prepare}
			aria-describedby="start-reason"
		>
			<FilledIcon name={stops ? 'stop' : 'start'} />
			{t(label)}
		</Button>
	);
}

/**
 * The page shows Start before any script runs. Carries out one press made that early, and keeps the focus on the button.
 * Reads possible obstacles first, because the window has hardly asked for them yet, and unknown ones do not block Start.
 * The press stays pending while a temporary obstacle (`block`) lasts; a problem cancels it.
 */
function useEarlyStart(
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
