import { useStore } from 'zustand';
import type { Legs } from '#renderer/conversation/legs.ts';
import { heardLanguage } from '#shared/captions/heard-language.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { detectsTheirs, otherCandidates } from './language-pair.ts';
import { useParts } from './parts.ts';

type TheirLegs = Pick<Legs, 'incoming' | 'theirs'>;

function heardOf({ incoming: { conversation } }: TheirLegs): string | null {
	const { captions } = conversation;
	return heardLanguage(captions.row, captions.store.getState().rows);
}

/** What the others are taken to speak: what a person said, or else what is detected; null before anything was heard. */
export function useTheirLanguage(): { readonly corrected: string | null; readonly heard: string | null } {
	const { legs } = useParts();
	const corrected = useStore(legs.theirs.store, (view) => view.corrected);
	const heard = useStore(legs.incoming.conversation.captions.store, () => heardOf(legs));
	return { corrected, heard };
}

/** "It is not this language": the next of the candidates, in turn. Nothing happens where there is no other. */
export function takeNextCandidate(legs: TheirLegs, settings: Settings): void {
	if (!detectsTheirs(settings)) return;
	const taken = legs.theirs.store.getState().corrected ?? heardOf(legs);
	const [next] = otherCandidates(settings, taken);
	if (next !== undefined) legs.theirs.correct(next);
}
