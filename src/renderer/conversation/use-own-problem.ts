import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { Problem } from '#shared/problem.ts';
import type { ConversationView } from './conversation-store.ts';

/** Why the last conversation failed, if its mode is shown; null in another mode. */
export function useOwnProblem(): Problem | null {
	const mode = useSetting('mode');
	return useStore(useParts().conversation.store, (view) => (isOf(view, mode) ? view.problem : null));
}

/** The conversation's phase for the shown mode: a failure in another mode counts as over. */
export function useOwnPhase(): ConversationView['phase'] {
	const mode = useSetting('mode');
	return useStore(useParts().conversation.store, (view) =>
		view.phase === 'failed' && !isOf(view, mode) ? 'idle' : view.phase,
	);
}

function isOf({ problemMode }: ConversationView, mode: ConversationView['problemMode']): boolean {
	return problemMode === undefined || problemMode === mode;
}
