import { useCallback } from 'react';
import { choicesOf } from '#renderer/window/choices.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { startBlock } from './start-block.ts';

/** What the big button does now; the same for its key and the menu. */
export function useStartStop(): () => void {
	const { conversation, justStopped, settings, account, sound } = useParts();
	return useCallback(() => {
		const { phase } = conversation.store.getState();
		if (phase === 'ending') void conversation.stopNow();
		else if (isRunning(phase)) conversation.stop();
		else if (!justStopped.getState()) {
			const { values } = settings.store.getState();
			// There is nothing to start: what is typed is spoken.
			if (values.mode === 'type') return;
			const block = startBlock(values, account.store.getState().status, sound.store.getState());
			if (!block) conversation.start(choicesOf(values));
		}
	}, [conversation, justStopped, settings, account, sound]);
}
