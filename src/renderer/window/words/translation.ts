import { createContext, use } from 'react';
import type en from '#shared/i18n/en.json';
import { isRightToLeft } from '#shared/protocol/languages.ts';

/** `file` for `file_one` and `file_other`: whoever asks gives the `count`. */
type Singular<Key extends string> = Key extends `${infer Base}_${Intl.LDMLPluralRule}` ? Base : Key;
type KeysOf<Words, Before extends string = ''> = {
	[Key in keyof Words & string]: Words[Key] extends string
		? `${Before}${Singular<Key>}`
		: KeysOf<Words[Key], `${Before}${Key}.`>;
}[keyof Words & string];

/** A place in the catalogues: `captions.saveAs.srt`. */
export type WordKey = KeysOf<typeof en>;

/** The words at a place with these facts in their `{{gaps}}`; `count` also chooses between plural forms. */
export type TFunction = (key: WordKey, facts?: Readonly<Record<string, unknown>>) => string;

/** The words of one language, and the way to those of the others. */
export interface I18n {
	/** BCP 47. */
	readonly language: string;
	/** Words that this language does not have are English where those are loaded, otherwise the key. */
	readonly t: TFunction;
	dir(): 'ltr' | 'rtl';
	/** The same in another language; always the same object for one language. */
	in(language: string): I18n;
	/** Whether words of this language were added. */
	has(language: string): boolean;
	/** Adds the words of a language, or replaces them: a catalogue, or a part of one in its place. */
	add(language: string, words: object): void;
}

/** Holds the catalogues that are loaded; nothing is shown in a language before its words were added. */
export function createTranslations(language: string): I18n {
	const catalogues = new Map<string, object>();
	const made = new Map<string, I18n>();

	function find(of: string, key: string, count: unknown): string | undefined {
		const words = catalogues.get(of);
		if (!words) return undefined;
		const plain = at(words, key);
		if (plain !== undefined || typeof count !== 'number') return plain;
		return at(words, `${key}_${new Intl.PluralRules(of).select(count)}`) ?? at(words, `${key}_other`);
	}

	function inLanguage(of: string): I18n {
		const before = made.get(of);
		if (before) return before;
		const one: I18n = {
			language: of,
			t(key, facts = {}) {
				const words = find(of, key, facts.count) ?? find('en', key, facts.count) ?? key;
				// Once over: what a fact says is never read as a gap.
				return words.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(facts[name] ?? ''));
			},
			dir: () => (isRightToLeft(of) ? 'rtl' : 'ltr'),
			in: inLanguage,
			has: (other) => catalogues.has(other),
			add: (other, words) => void catalogues.set(other, words),
		};
		made.set(of, one);
		return one;
	}
	return inLanguage(language);
}

function at(words: object, key: string): string | undefined {
	let found: unknown = words;
	for (const part of key.split('.')) {
		if (typeof found !== 'object' || found === null) return undefined;
		found = Reflect.get(found, part);
	}
	return typeof found === 'string' ? found : undefined;
}

export const WordsContext = createContext<I18n | null>(null);

/** The words of the language that is shown. Throws outside of `WordsContext`. */
export function useTranslation(): { readonly t: TFunction; readonly i18n: I18n } {
	const i18n = use(WordsContext);
	if (!i18n) throw new Error('no words above this component');
	return { t: i18n.t, i18n };
}
