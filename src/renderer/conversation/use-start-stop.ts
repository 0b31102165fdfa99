import { useCallback } from 'react';
import { useParts } from '#renderer/shell/parts.ts';
import { choicesOf } from './choices.ts';
import { isRunning } from './live-changes.ts';
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
