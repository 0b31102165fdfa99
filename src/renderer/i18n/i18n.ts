import { createStore, type StoreApi } from 'zustand/vanilla';
import type en from '#shared/i18n/en.json';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';

/** A key whose presence shows that the second file is loaded. */
const IN_PAGES = 'settings.foundNone';

/** A text, or texts by name: `t('live.change.applied')`. */
export interface Texts {
	readonly [name: string]: string | Texts;
}

type Words = () => Promise<{ readonly default: object }>;

/** Of `lines_one` and `lines_other` a caller asks for `lines`. */
type Asked<Name extends string> = Name extends `${infer Stem}_${Intl.LDMLPluralRule}` ? Stem : Name;
type KeysOf<Of> = {
	[Name in keyof Of & string]: Of[Name] extends string ? Asked<Name> : `${Name}.${KeysOf<Of[Name]>}`;
}[keyof Of & string];

/**
 * The text of a key in the language shown, with `{{name}}` replaced by its value; `count` also chooses the plural
 * form. Empty while the text is still being loaded; a key that has none is returned itself.
 */
export type TFunction = (key: KeysOf<typeof en>, values?: Readonly<Record<string, unknown>>) => string;

export interface Shown {
	readonly language: InterfaceLanguage;
	readonly t: TFunction;
}

export interface I18n {
	readonly shown: StoreApi<Shown>;
	/** What is loaded, by language. */
	readonly words: Map<InterfaceLanguage, Texts>;
}

/** Two files per language (scripts/bundle/window.ts), about 5 and 22 kB gzip, loaded only for the language in use. */
const catalogues: Readonly<Record<InterfaceLanguage, { readonly first: Words; readonly pages: Words }>> = {
	en: {
		first: () => import('#shared/i18n/en.json?first'),
		pages: () => import('#shared/i18n/en.json?pages'),
	},
	es: {
		first: () => import('#shared/i18n/es.json?first'),
		pages: () => import('#shared/i18n/es.json?pages'),
	},
	fr: {
		first: () => import('#shared/i18n/fr.json?first'),
		pages: () => import('#shared/i18n/fr.json?pages'),
	},
	de: {
		first: () => import('#shared/i18n/de.json?first'),
		pages: () => import('#shared/i18n/de.json?pages'),
	},
	ja: {
		first: async () => {
			const [words] = await Promise.all([import('#shared/i18n/ja.json?first'), loadJapanese()]);
			return words;
		},
		pages: () => import('#shared/i18n/ja.json?pages'),
	},
	ar: {
		first: () => import('#shared/i18n/ar.json?first'),
		pages: () => import('#shared/i18n/ar.json?pages'),
	},
};

/** Loads the font for Japanese, instead of a system font; captions need it in any window language. */
export async function loadJapanese(): Promise<void> {
	await import('#renderer/ui/fonts-japanese.css');
}

let latest: I18n | null = null;

/** The window's own, for code outside its components: the one made last. */
export function getI18n(): I18n {
	if (!latest) throw new Error('no words yet');
	return latest;
}

/** Resolves once the words of the first paint are loaded in this language; `addWords` loads all others. */
export async function createI18n(language: InterfaceLanguage): Promise<I18n> {
	const words = new Map<InterfaceLanguage, Texts>();
	const i18n = { shown: createStore(() => shownIn(words, language)), words };
	latest = i18n;
	const { default: first } = await catalogues[language].first();
	if (!words.has(language)) words.set(language, first as Texts);
	return i18n;
}

/** Whether the live page can be shown in this language at once. */
export function hasWords({ words }: I18n, language: InterfaceLanguage): boolean {
	return words.has(language);
}

/**
 * Fetches all words of a language, unless they are loaded. What is shown in it is then drawn again: it may have asked
 * for one that was missing.
 */
export async function addWords({ words, shown }: I18n, language: InterfaceLanguage): Promise<void> {
	if (textOf(words.get(language), IN_PAGES) !== undefined) return;
	const { first, pages } = catalogues[language];
	const parts = await Promise.all([first(), pages()]);
	const all: Record<string, object> = {};
	// A section may be in both.
	for (const { default: part } of parts)
		for (const [section, texts] of Object.entries(part)) all[section] = { ...all[section], ...texts };
	words.set(language, all as Texts);
	if (shown.getState().language === language) shown.setState(shownIn(words, language));
}

/** Shows a language whose words are loaded. */
export function showLanguage({ shown, words }: I18n, language: InterfaceLanguage): void {
	if (shown.getState().language !== language) shown.setState(shownIn(words, language));
}

function shownIn(words: I18n['words'], language: InterfaceLanguage): Shown {
	return { language, t: translate(() => words.get(language), language) };
}

/** `texts` may grow. */
export function translate(texts: () => Texts | undefined, language: string): TFunction {
	const rules = new Intl.PluralRules(language);
	return (key, values = {}) => {
		const find = (form: string) => textOf(texts(), `${key}${form}`);
		const { count } = values;
		const counted =
			typeof count === 'number' ? (find(`_${rules.select(count)}`) ?? find('_other')) : undefined;
		const text = counted ?? find('') ?? (textOf(texts(), IN_PAGES) === undefined ? '' : key);
		return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
	};
}

export function textOf(texts: Texts | undefined, key: string): string | undefined {
	let at: string | Texts | undefined = texts;
	for (const name of key.split('.'))
		at = typeof at === 'object' && Object.hasOwn(at, name) ? at[name] : undefined;
	return typeof at === 'string' ? at : undefined;
}

/** Puts a text between bidi isolates, so that a name in another script does not reorder the sentence around it. */
export function isolate(text: string): string {
	return `\u2068${text}\u2069`;
}
