import { localeTag } from '#shared/protocol/languages.ts';

/** One language as the pickers show it. */
export interface LanguageName {
	/** Service code, lower case. */
	readonly code: string;
	/** BCP 47, for `lang` attributes. */
	readonly tag: string;
	/** What its speakers call it. */
	readonly native: string;
	/** What it is called in the language of the interface. */
	readonly local: string;
}

/** By locale and code. */
const known = new Map<string, LanguageName>();
/** Codes come from the service too: what is remembered has an end. */
const MOST_KNOWN = 2000;

/** Names of `code` in its own language and in `locale`; the code itself when the platform knows none. */
export function languageName(code: string, locale: string): LanguageName {
	const key = `${locale} ${code}`;
	const before = known.get(key);
	if (before) return before;
	const tag = localeTag(code);
	const name = {
		code,
		tag,
		native: capitalised(nameIn(tag, tag), tag),
		local: capitalised(nameIn(tag, locale), locale),
	};
	if (known.size < MOST_KNOWN) known.set(key, name);
	return name;
}

/** Names of all `codes`, in the alphabetical order of `locale`. */
export function languageNames(codes: readonly string[], locale: string): readonly LanguageName[] {
	const collator = new Intl.Collator(locale);
	return codes
		.map((code) => languageName(code, locale))
		.sort((one, other) => collator.compare(one.local, other.local));
}

/** Does what was typed find this language? Native name, interface name or code; accents and case do not matter. */
export function matchesLanguage(language: LanguageName, typed: string): boolean {
	const wanted = folded(typed);
	if (wanted === '') return true;
	return (
		folded(language.native).includes(wanted) ||
		folded(language.local).includes(wanted) ||
		language.code.startsWith(wanted)
	);
}

/** Those that begin with what was typed come first; otherwise the order stays. */
export function searchLanguages(names: readonly LanguageName[], typed: string): readonly LanguageName[] {
	const found = names.filter((name) => matchesLanguage(name, typed));
	const wanted = folded(typed);
	const begins = ({ native, local, code }: LanguageName) =>
		code === wanted || folded(native).startsWith(wanted) || folded(local).startsWith(wanted);
	return [...found.filter(begins), ...found.filter((name) => !begins(name))];
}

function folded(text: string): string {
	return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}

const displayNames = new Map<string, Intl.DisplayNames>();

function nameIn(tag: string, locale: string): string {
	let names = displayNames.get(locale);
	if (!names) {
		try {
			names = new Intl.DisplayNames([locale, 'en'], { type: 'language', languageDisplay: 'standard' });
		} catch {
			names = new Intl.DisplayNames(['en'], { type: 'language' });
		}
		displayNames.set(locale, names);
	}
	try {
		return names.of(tag) ?? tag;
	} catch {
		return tag;
	}
}

function capitalised(name: string, locale: string): string {
	const [first = ''] = name;
	return first.toLocaleUpperCase(locale) + name.slice(first.length);
}
