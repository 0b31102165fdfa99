import { baseOf, isRightToLeft, localeTag } from '#shared/protocol/languages.ts';

/** The names of one language, the same everywhere: in the window, in saved files and on the command line. */
export interface LanguageName {
	/** Service code, lower case. */
	readonly code: string;
	/** BCP 47, for `lang` attributes. */
	readonly tag: string;
	/** Its name in its own language, or `local` if the platform does not know that name. */
	readonly native: string;
	/** Its name in the reader's language. */
	readonly local: string;
	readonly english: string;
	/** `Deutsch · German`; a single name if both are the same. */
	readonly label: string;
}

/**
 * Languages for which the platform gives the country's name instead of the language's, or (Chromium) no native
 * name. A Map, because codes come from outside: `__proto__` must not match.
 */
const OWN_NAMES = new Map(
	Object.entries({
		az: 'Azərbaycan dili',
		be: 'Беларуская',
		cy: 'Cymraeg',
		eu: 'Euskara',
		ga: 'Gaeilge',
		gl: 'Galego',
		hy: 'Հայերեն',
		id: 'Bahasa Indonesia',
		is: 'Íslenska',
		mk: 'Македонски',
		mn: 'Монгол',
		ms: 'Bahasa Melayu',
		mt: 'Malti',
		ug: 'ئۇيغۇرچە',
		yue: '粵語',
	}),
);

/** Cached names by locale and code. */
const known = new Map<string, LanguageName>();
/** Codes come from the service too, so the cache is bounded. */
const MOST_KNOWN = 2000;

/** Names of `code` in its own language and in the reader's (`locale`); the code if the platform has no name. */
export function languageName(code: string, locale: string): LanguageName {
	const key = `${locale} ${code}`;
	const before = known.get(key);
	if (before) return before;
	const tag = localeTag(code);
	const local = nameIn(tag, locale) ?? nameIn(baseOf(tag), locale) ?? code;
	const native = OWN_NAMES.get(code) ?? ((hasNamesIn(tag) && nameIn(tag, tag)) || local);
	const english = nameIn(tag, 'en') ?? code;
	const label = folded(native) === folded(local) ? local : `${native} · ${local}`;
	const name = { code, tag, native, local, english, label };
	if (known.size < MOST_KNOWN) known.set(key, name);
	return name;
}

/** `Deutsch · German` in a sentence or heading, isolated so that a right-to-left name reorders no other text. */
export function languageLabel(code: string, locale: string): string {
	const { native, local, label } = languageName(code, locale);
	const turns = label !== local && isRightToLeft(code) !== isRightToLeft(locale);
	return turns ? `\u2068${native}\u2069 · ${local}` : label;
}

/** Without diacritics and capitals, for comparing names. */
export function folded(text: string): string {
	const parts = text.normalize('NFD');
	// Building the set of all scripts' diacritics takes 3 ms, and the first names shown are mostly Latin.
	const bare = /^[\0-\u036f]*$/.test(parts)
		? parts.replace(/[\u0300-\u036f]/g, '')
		: parts.replace(/\p{M}/gu, '');
	return bare.toLowerCase().trim();
}

/** Whether the platform has names in this language; otherwise it would fall back to a third one. */
function hasNamesIn(tag: string): boolean {
	return tag !== 'und' && Intl.DisplayNames.supportedLocalesOf(tag).length > 0;
}

const displayNames = new Map<string, Intl.DisplayNames>();

/** Null: the language does not exist, or the platform does not know it. */
function nameIn(tag: string, locale: string): string | null {
	if (tag === 'und') return null;
	let names = displayNames.get(locale);
	if (!names) {
		const options = { type: 'language', languageDisplay: 'standard', fallback: 'none' } as const;
		try {
			names = new Intl.DisplayNames([locale, 'en'], options);
		} catch {
			names = new Intl.DisplayNames(['en'], options);
		}
		displayNames.set(locale, names);
	}
	try {
		return capitalised(names.of(tag) ?? '', locale) || null;
	} catch {
		return null;
	}
}

function capitalised(name: string, locale: string): string {
	const [first = ''] = name;
	// Georgian uses capital letters only for words in all capitals.
	if (/\p{Script=Georgian}/u.test(first)) return name;
	return first.toLocaleUpperCase(locale) + name.slice(first.length);
}

/** Names of all `codes`, in alphabetical order for `locale`. */
export function languageNames(codes: readonly string[], locale: string): readonly LanguageName[] {
	const collator = new Intl.Collator(locale);
	return codes
		.map((code) => languageName(code, locale))
		.sort((one, other) => collator.compare(one.local, other.local));
}

/** Whether the text matches a language's code, or its name in that language, the reader's or English. */
export function matchesLanguage(language: LanguageName, typed: string): boolean {
	const wanted = folded(typed);
	return language.code.startsWith(wanted) || namesOf(language).some((name) => name.includes(wanted));
}

/** Names that begin with the typed text come first; otherwise the order is unchanged. */
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
