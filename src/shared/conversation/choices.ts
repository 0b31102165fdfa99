import type { Correction } from '#shared/captions/corrections.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { VOICE } from '#shared/protocol/vocabulary.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** The user's choices for one conversation, from which a task is built. */
export type Choices = Pick<
	Settings,
	'mode' | 'speak' | 'detectable' | 'hear' | 'voiceOf' | 'voices' | 'glossaries' | 'preset' | 'expert'
> & {
	/** Both directions in one session: each target is translated from the other languages, and all voices play. */
	readonly bothWays?: true;
	/**
	 * Corrections made before translation, only for an interpreter on this computer. The name differs from the
	 * setting's, so that choices built from all settings do not send them.
	 */
	readonly correctedHere?: readonly Correction[];
	/** Detect the other side's language, among `detectable`. */
	readonly detectTheirs?: true;
};

/** Used like a voice id but never sent: the service picks a high or low voice to match the speaker, or imitates it. */
export const SPEAKERS_VOICE = { byPitch: 'speaker:high-or-low', like: 'speaker:like' } as const;

type Speech = NonNullable<Task['pipeline']['translations'][number]['speech_generation']>;

/** Whether the choice leaves the voice to the service. */
export function isSpeakersVoice(voice: string | undefined): boolean {
	return voice === SPEAKERS_VOICE.byPitch || voice === SPEAKERS_VOICE.like;
}

/** The choice itself if it names a voice, otherwise the default: for uses without a speaker. */
export function fixedVoice(voice: string | undefined): string {
	return voice === undefined || isSpeakersVoice(voice) ? VOICE.low : voice;
}

/** A choice of voice in the service's terms (protocol 4.5): an imitated voice is never sent with an id. */
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

/** Features that not every service supports and that a conversation can do without. */
export type Lack = 'glossaries' | 'speakers-voice';

/** Omits one more feature after a service refused these choices. Null = nothing left to omit. */
export function lessOf(choices: Choices): { readonly choices: Choices; readonly lacks: Lack } | null {
	if (choices.glossaries !== 'all')
		return { choices: { ...choices, glossaries: 'all' }, lacks: 'glossaries' };
	const fixed = withFixedVoices(choices);
	return fixed === choices ? null : { choices: fixed, lacks: 'speakers-voice' };
}

/** How many sessions a conversation needs at the service at once; the plan limits their number. */
export function sessionsNeeded({ bothDirections }: { readonly bothDirections: boolean }): number {
	return bothDirections ? 2 : 1;
}
