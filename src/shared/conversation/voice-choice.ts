import type { Task } from '#shared/protocol/task.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';

/**
 * Used in the choices in place of a voice id: the service picks a high or low voice to match the speaker, or imitates
 * them. Never sent as such.
 */
export const SPEAKERS_VOICE = { byPitch: 'speaker:high-or-low', like: 'speaker:like' } as const;

type Speech = NonNullable<Task['pipeline']['translations'][number]['speech_generation']>;

/** A choice that leaves the voice to the service. */
export function isSpeakersVoice(voice: string | undefined): boolean {
	return voice === SPEAKERS_VOICE.byPitch || voice === SPEAKERS_VOICE.like;
}

/** The choice itself if it names a voice, otherwise the default: for uses without a speaker. */
export function fixedVoice(voice: string | undefined): string {
	return voice === undefined || isSpeakersVoice(voice) ? VOICE.low : voice;
}

/** What a choice means to the service (protocol 4.5): an imitated voice never has an id beside it. */
export function speechOf(voice: string | undefined): Speech {
	if (voice === SPEAKERS_VOICE.like) return { voice_cloning: true };
	if (voice !== SPEAKERS_VOICE.byPitch) return { voice_id: fixedVoice(voice) };
	const detection = { high_timbre_voices: [VOICE.high], low_timbre_voices: [VOICE.low] };
	return { voice_id: VOICE.low, voice_timbre_detection: { enabled: true, ...detection } };
}

/** The same choices with a fixed voice for every language; the same object if nothing changes. */
export function withFixedVoices<Chosen extends { readonly voices: Readonly<Record<string, string>> }>(
	choices: Chosen,
): Chosen {
	const all = Object.entries(choices.voices);
	if (!all.some(([, voice]) => isSpeakersVoice(voice))) return choices;
	return { ...choices, voices: Object.fromEntries(all.filter(([, voice]) => !isSpeakersVoice(voice))) };
}
