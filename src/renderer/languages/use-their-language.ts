import { useStore } from 'zustand';
import type { Legs } from '#renderer/conversation/legs.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { baseOf, OFFERED_SOURCES, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';
import { detectsTheirs, heardLanguage, type Pair } from './language-pair.ts';

/** Switches detection on, and adds the others' previously chosen language to the candidates. */
export function detectTheirs(
	pair: Pick<Pair, 'hear' | 'voiceOf' | 'detectable'>,
): Pick<Settings, 'listenDetect' | 'detectable'> {
	const theirs = baseOf(voiceTarget(pair));
	const isMissing = OFFERED_SOURCES.includes(theirs) && !pair.detectable.includes(theirs);
	return { listenDetect: true, detectable: isMissing ? [theirs, ...pair.detectable] : [...pair.detectable] };
}

/** The other candidates that they may speak, after the assumed one; never the user's own language. */
export function otherCandidates(
	{ detectable, speak }: Pick<Pair, 'detectable' | 'speak'>,
	taken: string | null,
): readonly string[] {
	const at = detectable.findIndex((code) => taken !== null && sameLanguage(code, taken));
	const turned = [...detectable.slice(at + 1), ...detectable.slice(0, Math.max(at, 0))];
	return turned.filter((code) => !sameLanguage(code, speak) && !(taken && sameLanguage(code, taken)));
}

type TheirLegs = Pick<Legs, 'incoming' | 'theirs'>;

function heardOf({ incoming: { conversation } }: TheirLegs): string | null {
	const { captions } = conversation;
	return heardLanguage(captions.row, captions.store.getState().rows);
}

/** The others' assumed language: the user's correction, or else the detected one; null before anything was heard. */
export function useTheirLanguage(): { readonly corrected: string | null; readonly heard: string | null } {
	const { legs } = useParts();
	const corrected = useStore(legs.theirs.store, (view) => view.corrected);
	const heard = useStore(legs.incoming.conversation.captions.store, () => heardOf(legs));
	return { corrected, heard };
}

/** "It is not this language": moves to the next candidate. Does nothing if there is no other. */
export function takeNextCandidate(legs: TheirLegs, settings: Settings): void {
	if (!detectsTheirs(settings)) return;
	const taken = legs.theirs.store.getState().corrected ?? heardOf(legs);
	const [next] = otherCandidates(settings, taken);
	if (next !== undefined) legs.theirs.correct(next);
}
