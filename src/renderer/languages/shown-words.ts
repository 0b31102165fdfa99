import type { TFunction } from 'i18next';
import { languageName } from '#shared/i18n/language-names.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { isLanguage, NO_TRANSLATION } from '#shared/settings/shown-pair.ts';
import { languageItem, languageValue } from './language-item.ts';

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
