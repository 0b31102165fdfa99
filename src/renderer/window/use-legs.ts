import { useStore } from 'zustand';
import type { LegName } from '#shared/conversation/leg-name.ts';
import { choicesOf, planOf } from './choices.ts';
import { useParts } from './parts.ts';

/** From which language to which a direction goes with the settings of now; null when it does not run or cannot. */
export function useLegLanguages(leg: LegName): { readonly from: string; readonly to: string } | null {
	const values = useStore(useParts().settings.store, (view) => view.values);
	const choices = planOf(choicesOf(values))[leg];
	if (!choices) return null;
	const to = choices.hear.includes(choices.voiceOf) ? choices.voiceOf : choices.hear[0];
	return to === undefined || choices.speak === '' ? null : { from: choices.speak, to };
}

/** Both directions run, or would at the next Start. */
export function useTwoLegs(): boolean {
	return useStore(useParts().legs.names, (names) => names.length > 1);
}
