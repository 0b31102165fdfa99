import { folded, type LanguageName, languageName } from './language-names.ts';

/** Names of all `codes`, in alphabetical order for `locale`. */
export function languageNames(codes: readonly string[], locale: string): readonly LanguageName[] {
	const collator = new Intl.Collator(locale);
	return codes
		.map((code) => languageName(code, locale))
		.sort((one, other) => collator.compare(one.local, other.local));
}

/**
 * Whether the typed text matches this language: its own, the reader's or the English name, or its code; accents and
 * case do not matter.
 */
export function matchesLanguage(language: LanguageName, typed: string): boolean {
	const wanted = folded(typed);
	return language.code.startsWith(wanted) || namesOf(language).some((name) => name.includes(wanted));
}

/** Names that begin with the typed text come first; otherwise the order stays. */
export function searchLanguages(names: readonly LanguageName[], typed: string): readonly LanguageName[] {
	const found = names.filter((name) => matchesLanguage(name, typed));
	const wanted = folded(typed);
	const begins = (name: LanguageName) =>
		name.code === wanted || namesOf(name).some((text) => text.startsWith(wanted));
	return [...found.filter(begins), ...found.filter((name) => !begins(name))];
}

function namesOf({ native, local, english, label }: LanguageName): readonly string[] {
	return [native, local, english, label].map(folded);
}
