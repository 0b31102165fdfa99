import type { TFunction } from '#renderer/i18n/i18n.ts';
import { type LanguageName, languageName } from '#shared/i18n/language-names.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { isLanguage, NO_TRANSLATION } from '#shared/settings/shown-pair.ts';

/** A language as shown: its own name, and its name in the interface's language. */
export function shownLanguage(
	code: string,
	t: TFunction,
	locale: string,
): { readonly id: string; readonly text: string; readonly lang?: string; readonly side?: string } {
	if (code === AUTO) return { id: AUTO, text: t('languages.detect') };
	if (code === NO_TRANSLATION) return { id: code, text: t('languages.noTranslation') };
	return languageItem(languageName(code, locale));
}

/** The text of a language's box; empty without a code. */
export function shownValue(code: string, t: TFunction, locale: string): ReturnType<typeof languageValue> {
	if (!isLanguage(code)) return { valueText: code && shownLanguage(code, t, locale).text };
	return languageValue(languageName(code, locale));
}

export function spokenLabel(mode: Settings['mode']) {
	return mode === 'listen' ? 'languages.understand' : 'languages.speak';
}

export const theirLabel = {
	solo: 'languages.hear',
	meeting: 'languages.hear',
	listen: 'languages.theySpeak',
	face: 'face.they',
	captions: 'languages.read',
	type: 'languages.hear',
} as const;

/** A language in a list: its own name, and beside it the reader's name for it if that differs. */
export interface LanguageItem {
	readonly id: string;
	readonly text: string;
	readonly lang: string;
	/** The reader's name for the language; the same as `text` if there is only one name. */
	readonly side: string;
}

export function languageItem({ code, tag, native, local, label }: LanguageName): LanguageItem {
	return { id: code, text: label === local ? local : native, lang: tag, side: local };
}

/** The chosen language, as text for its box. A text of two names in different languages gets no `lang`. */
export function languageValue(name: LanguageName): {
	readonly valueText: string;
	readonly valueLang?: string;
} {
	return name.label === name.local
		? { valueText: name.label, valueLang: name.tag }
		: { valueText: name.label };
}
