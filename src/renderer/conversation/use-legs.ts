import { useStore } from 'zustand';
import { faceLanguages } from '#renderer/face-to-face/face-sides.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { choicesOf, planOf } from './choices.ts';
import type { Conversation, ConversationView } from './conversation.ts';

/** The languages of a direction with the present settings; null when it does not or cannot run. */
export function useLegLanguages(leg: LegName): { readonly from: string; readonly to: string } | null {
	const values = useStore(useParts().settings.store, (view) => view.values);
	if (values.mode === 'face') return faceWay(leg, values);
	const choices = planOf(choicesOf(values))[leg];
	if (!choices) return null;
	const to = choices.hear.includes(choices.voiceOf) ? choices.voiceOf : choices.hear[0];
	return to === undefined || choices.speak === '' ? null : { from: choices.speak, to };
}

/** The languages of a direction in face-to-face mode, even if one session serves both directions. */
function faceWay(leg: LegName, values: Settings): { readonly from: string; readonly to: string } | null {
	const { me, partner } = faceLanguages(values);
	if (me === '' || me === AUTO || partner === '') return null;
	return leg === 'outgoing' ? { from: me, to: partner } : { from: partner, to: me };
}

/** The view of one direction. While the conversation is live, a direction that is over counts as failed. */
export function useLegView({ store }: Pick<Conversation, 'store'>): ConversationView {
	const view = useStore(store);
	const isWholeLive = useStore(useParts().conversation.store, (whole) => whole.phase === 'live');
	return isWholeLive && view.phase === 'idle' ? { ...view, phase: 'failed' } : view;
}

/** Whether both directions run, or would at the next Start. */
export function useTwoLegs(): boolean {
	return useStore(useParts().legs.names, (names) => names.length > 1);
}

/** Why the last conversation failed, if its mode is shown; else null. */
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
