import type { LanguageName } from '#shared/i18n/language-names.ts';

/** A language in a list: its own name, and beside it the reader's name for it if that differs. */
export interface LanguageItem {
	readonly id: string;
	readonly text: string;
	readonly lang: string;
	/** The same as `text` if there is only one name. */
	readonly side: string;
}

export function languageItem({ code, tag, native, local, label }: LanguageName): LanguageItem {
	return { id: code, text: label === local ? local : native, lang: tag, side: local };
}

/** A language that was chosen, in the box of its list. Two names have no language in common. */
export function languageValue(name: LanguageName): {
	readonly valueText: string;
	readonly valueLang?: string;
} {
	return name.label === name.local
		? { valueText: name.label, valueLang: name.tag }
		: { valueText: name.label };
}
