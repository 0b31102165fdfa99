import { captionTargets } from '#renderer/languages/language-pair.ts';
import { fixedVoice } from '#shared/conversation/choices.ts';
import { AUTO, matchLanguage, SPOKEN_LANGUAGES, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';
import type { SpokenVoice } from '#shared/typing/type-to-speak-queue.ts';

/** A language to type in, and whether the text is translated (`tts_task`, protocol 4.4). */
export interface TypedLanguage {
	readonly key: string;
	readonly language: string;
	/** True: translated into every target. False: spoken as typed, in one target language. */
	readonly translate: boolean;
}

/** Languages to type in: the speaker's, which is translated, and each target, which is spoken as typed. Usual one first. */
export function languagesToType(
	choices: Pick<Settings, 'speak' | 'detectable' | 'hear' | 'voiceOf'>,
): readonly TypedLanguage[] {
	const sources = choices.speak === AUTO ? choices.detectable : [choices.speak];
	const targets = [voiceTarget(choices), ...captionTargets(choices)].filter((code) => code !== '');
	return [
		...sources.map((language) => ({ key: `from-${language}`, language, translate: true })),
		...targets.map((language) => ({ key: `in-${language}`, language, translate: false })),
	];
}

/** The entry with the chosen key, or else the usual entry; null if the user cannot type in any language. */
export function writtenIn(languages: readonly TypedLanguage[], chosen: string): TypedLanguage | null {
	return languages.find(({ key }) => key === chosen) ?? languages[0] ?? null;
}

/** Type to speak: the chosen language, else what others hear if it has a voice, else English; and its voice. */
export function typedVoice(choices: Pick<Settings, 'typedLanguage' | 'voiceOf' | 'voices'>): SpokenVoice {
	const language = SPOKEN_LANGUAGES.includes(choices.typedLanguage)
		? choices.typedLanguage
		: (matchLanguage(choices.voiceOf, SPOKEN_LANGUAGES) ?? 'en');
	return { language, voiceId: fixedVoice(choices.voices[language]) };
}

/** Type to speak: the voice, with the language of the text if it is another, which only this computer translates. */
export function translatingVoice(
	choices: Parameters<typeof typedVoice>[0] & Pick<Settings, 'typedFrom'>,
	isLocal: boolean,
): SpokenVoice {
	const voice = typedVoice(choices);
	const from = choices.typedFrom;
	return isLocal && from !== '' && !sameLanguage(from, voice.language) ? { ...voice, from } : voice;
}
