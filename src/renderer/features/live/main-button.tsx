import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { FilledIcon } from '#renderer/ui/icon.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import styles from './dock.module.css';
import { useStartBlock } from './use-start-block.ts';
import { useStartStop } from './use-start-stop.ts';

/** Start, Stop, and while the last words play, Stop now. */
export function MainButton() {
	const { t } = useTranslation();
	const { conversation, justStopped } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const slips = useStore(justStopped);
	const block = useStartBlock();
	const press = useStartStop();
	const stops = isRunning(phase) || phase === 'ending';
	/** Hovering is not told while a press is taken for a slip; whoever comes then, and stays, is about to start. */
	const [isComing, setComing] = useState(false);
	useEffect(() => {
		if (!isComing || slips) return;
		setComing(false);
		if (!stops && !block) conversation.warm();
	}, [isComing, slips, stops, block, conversation]);
	const label = phase === 'ending' ? 'live.stopNow' : stops ? 'live.stop' : 'live.start';
	return (
		<Button
			className={`${styles.main} ${stops ? styles.stop : ''}`}
			isDisabled={!stops && block !== null}
			// Not disabled: that would take the keyboard away from it.
			isPending={slips}
			onPress={press}
			// A finger hovers over nothing: what it presses can at least begin before it lets go.
			onPressStart={() => !stops && !block && conversation.warm()}
			onHoverStart={() => !stops && !block && conversation.warm()}
			onPointerEnter={() => setComing(slips)}
			onPointerLeave={() => setComing(false)}
			onFocus={() => !stops && !block && conversation.warm()}
			aria-describedby="start-reason"
		>
			<FilledIcon name={stops ? 'stop' : 'start'} />
			{t(label)}
		</Button>
	);
}
