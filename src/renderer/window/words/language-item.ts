import type { LanguageName } from '#shared/i18n/language-names.ts';

/** A language in a list: its own name, and at its side the reader's where that is another. */
export interface LanguageItem {
	readonly id: string;
	readonly text: string;
	readonly lang: string;
	/** The same as `text` where there is but one name. */
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
