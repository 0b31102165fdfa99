import { useStore } from 'zustand';
import type { ConversationView } from '#renderer/conversation/conversation-store.ts';
import type { Problem } from '#shared/problem.ts';
import { useParts, useSetting } from './parts.ts';

/** Why the last conversation failed, in the mode it was in; null in another one. */
export function useOwnProblem(): Problem | null {
	const mode = useSetting('mode');
	return useStore(useParts().conversation.store, (view) => (isOf(view, mode) ? view.problem : null));
}

/** How the conversation stands, for the mode that is shown: what failed in another one is over there. */
export function useOwnPhase(): ConversationView['phase'] {
	const mode = useSetting('mode');
	return useStore(useParts().conversation.store, (view) =>
		view.phase === 'failed' && !isOf(view, mode) ? 'idle' : view.phase,
	);
}

function isOf({ problemMode }: ConversationView, mode: ConversationView['problemMode']): boolean {
	return problemMode === undefined || problemMode === mode;
}
