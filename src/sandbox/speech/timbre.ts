import { VOICE } from '#shared/protocol/vocabulary.ts';

/** How a voice sounds. Nothing is learnt from a sample: every cloned voice has the one that no built-in one has. */
export type Timbre = 'low' | 'high' | 'cloned';

/** Of the voices that are always there (protocol 7.1); null: none of them. */
export function builtInTimbre(voiceId: string): Timbre | null {
	if (voiceId === VOICE.low) return 'low';
	return voiceId === VOICE.high ? 'high' : null;
}
