import { useCallback } from 'react';
import { choicesOf } from '#renderer/window/choices.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { startBlock, startNeeds } from './start-block.ts';

/** What the big button does now; the same for its key and the menu. */
export function useStartStop(): () => void {
	const parts = useParts();
	return useCallback(() => {
		const { conversation, justStopped, settings } = parts;
		const { phase } = conversation.store.getState();
		if (phase === 'ending') void conversation.stopNow();
		else if (isRunning(phase)) conversation.stop();
		else if (!justStopped.getState()) {
			const { values } = settings.store.getState();
			// There is nothing to start: typed text is spoken at once.
			if (values.mode === 'type') return;
			if (!startBlock(startNeeds(parts))) conversation.start(choicesOf(values));
		}
	}, [parts]);
}
