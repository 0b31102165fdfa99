import type { SpokenVoice } from '#shared/speaking/queue.ts';
import { useSetting } from './parts.ts';
import { typedVoice } from './typed-languages.ts';

/** See `typedVoice`. */
export function useTypedVoice(): SpokenVoice {
	return typedVoice({
		typedLanguage: useSetting('typedLanguage'),
		voiceOf: useSetting('voiceOf'),
		voices: useSetting('voices'),
	});
}
