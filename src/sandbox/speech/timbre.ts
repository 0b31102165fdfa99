import { VOICE } from '#shared/protocol/vocabulary.ts';

/** How a voice sounds. Nothing is learnt from a sample: all cloned voices share a timbre that no built-in voice has. */
export type Timbre = 'low' | 'high' | 'cloned';

/** Timbre of a voice that is always there (protocol 7.1); null: the id is none of them. */
export function builtInTimbre(voiceId: string): Timbre | null {
	if (voiceId === VOICE.low) return 'low';
	return voiceId === VOICE.high ? 'high' : null;
}
