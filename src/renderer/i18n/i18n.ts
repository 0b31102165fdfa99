import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';

/** A key whose presence shows that the second file is loaded. */
const IN_PAGES = 'settings.foundNone';

type Words = () => Promise<{ readonly default: object }>;

/** Two files per language (scripts/bundle/window.ts), about 15 and 6 kB gzip, loaded only for the language in use. */
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

/** Loads the font for Japanese, in place of a system font; captions in any language may need it. */
export async function loadJapanese(): Promise<void> {
	await import('#renderer/ui/fonts-japanese.css');
}

/**
 * Resolves once the words of the live page are loaded in this language; `addWords` loads the words of the other
 * pages; other languages are loaded when they are chosen.
 */
export async function createI18n(language: InterfaceLanguage): Promise<i18n> {
	const instance = createInstance();
	const { default: words } = await catalogues[language].first();
	await instance.use(initReactI18next).init({
		lng: language,
		fallbackLng: 'en',
		initAsync: false,
		resources: { [language]: { translation: words } },
		// React escapes what it renders; escaping twice would show entities.
		interpolation: { escapeValue: false },
		returnNull: false,
	});
	return instance;
}

/** Whether the live page can be shown in this language at once. */
export function hasWords(instance: i18n, language: InterfaceLanguage): boolean {
	return instance.hasResourceBundle(language, 'translation');
}

/** Fetches all words of a language, unless they are loaded. */
export async function addWords(instance: i18n, language: InterfaceLanguage): Promise<void> {
	if (instance.exists(IN_PAGES, { lng: language, fallbackLng: [] })) return;
	const { first, pages } = catalogues[language];
	for (const { default: words } of await Promise.all([first(), pages()]))
		instance.addResourceBundle(language, 'translation', words, true);
}

/** Puts a text between bidi isolates, so that a name in another script does not reorder the sentence around it. */
export function isolate(text: string): string {
	return `\u2068${text}\u2069`;
}
