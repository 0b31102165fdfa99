import { captionTargets } from '#renderer/window/language-pair.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';

/** A way to type in a conversation (`tts_task`, protocol 4.4). */
export interface TypedLanguage {
	readonly key: string;
	readonly language: string;
	/** Into every target; otherwise it is spoken as it stands, in one of them. */
	readonly translate: boolean;
}

/** What can be typed: the speaker's language, translated, and each target as it stands. The usual one first. */
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
