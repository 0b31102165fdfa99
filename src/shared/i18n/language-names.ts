import { baseOf, isRightToLeft, localeTag } from '#shared/protocol/languages.ts';

/** One language, as it is named everywhere: in the window, in saved files and on the command line. */
export interface LanguageName {
	/** Service code, lower case. */
	readonly code: string;
	/** BCP 47, for `lang` attributes. */
	readonly tag: string;
	/** What its speakers call it; what the reader calls it where the platform does not know that. */
	readonly native: string;
	/** What the reader calls it. */
	readonly local: string;
	readonly english: string;
	/** `Deutsch · German`; the name alone where both are the same. */
	readonly label: string;
}

/** Where the platform has the name of the country in place of the language, or (Chromium) no name of its own at all. Codes come from outside: `__proto__` is none of these. */
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

/** By locale and code. */
const known = new Map<string, LanguageName>();
/** Codes come from the service too: what is remembered has an end. */
const MOST_KNOWN = 2000;

/** Names of `code` in its own language and for who reads `locale`; the code itself when the platform knows none. */
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

/** `Deutsch · German` in a sentence or a heading; what is written the other way round turns nothing beside it. */
export function languageLabel(code: string, locale: string): string {
	const { native, local, label } = languageName(code, locale);
	const turns = label !== local && isRightToLeft(code) !== isRightToLeft(locale);
	return turns ? `\u2068${native}\u2069 · ${local}` : label;
}

/** Without marks and capitals: how names are compared. */
export function folded(text: string): string {
	const parts = text.normalize('NFD');
	// Marks of all scripts are a set that takes 3 ms to make, and the first names that are shown are mostly Latin.
	const bare = /^[\0-\u036f]*$/.test(parts)
		? parts.replace(/[\u0300-\u036f]/g, '')
		: parts.replace(/\p{M}/gu, '');
	return bare.toLowerCase().trim();
}

/** Otherwise the names come in a language that is neither. */
function hasNamesIn(tag: string): boolean {
	return tag !== 'und' && Intl.DisplayNames.supportedLocalesOf(tag).length > 0;
}

const displayNames = new Map<string, Intl.DisplayNames>();

/** Null: there is no such language, or the platform does not know it. */
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
	// Georgian has capital letters, for whole words in capitals alone.
	if (/\p{Script=Georgian}/u.test(first)) return name;
	return first.toLocaleUpperCase(locale) + name.slice(first.length);
}
