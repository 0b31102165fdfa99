import { fixedVoice } from '#shared/conversation/voice-choice.ts';
import { matchLanguage, SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import type { SpokenVoice } from '#shared/speaking/queue.ts';
import { useSetting } from './parts.ts';

/** The chosen language, or else the one that others hear if it can be spoken, or else English; and its voice. */
export function useTypedVoice(): SpokenVoice {
	const chosen = useSetting('typedLanguage');
	const voiceOf = useSetting('voiceOf');
	const voices = useSetting('voices');
	const language = SPOKEN_LANGUAGES.includes(chosen)
		? chosen
		: (matchLanguage(voiceOf, SPOKEN_LANGUAGES) ?? 'en');
	return { language, voiceId: fixedVoice(voices[language]) };
}
