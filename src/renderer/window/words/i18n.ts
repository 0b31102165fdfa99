import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';

/** Each a file of its own: 20 kB gzip that only those who read the language load. */
const catalogues: Readonly<Record<InterfaceLanguage, () => Promise<{ readonly default: object }>>> = {
	en: () => import('#shared/i18n/en.json'),
	es: () => import('#shared/i18n/es.json'),
	fr: () => import('#shared/i18n/fr.json'),
	de: () => import('#shared/i18n/de.json'),
	ja: async () => {
		const [words] = await Promise.all([import('#shared/i18n/ja.json'), loadJapanese()]);
		return words;
	},
	ar: () => import('#shared/i18n/ar.json'),
};

/** The font of Japanese, without which it would be shown in one of the system: also for captions, in whatever language the window is. */
export async function loadJapanese(): Promise<void> {
	await import('#renderer/ui/fonts-japanese.css');
}

/** Fetches the words of a language, so that they are there when they are used. */
export async function loadWords(language: InterfaceLanguage): Promise<void> {
	await catalogues[language]();
}

/** Resolves once the words of this language are there; the others come when they are chosen. */
export async function createI18n(language: InterfaceLanguage): Promise<i18n> {
	const instance = createInstance();
	const { default: words } = await catalogues[language]();
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

/** Whether this language can be shown at once. */
export function hasWords(instance: i18n, language: InterfaceLanguage): boolean {
	return instance.hasResourceBundle(language, 'translation');
}

/** Fetches the words of a language unless they are there. */
export async function addWords(instance: i18n, language: InterfaceLanguage): Promise<void> {
	if (hasWords(instance, language)) return;
	const { default: words } = await catalogues[language]();
	instance.addResourceBundle(language, 'translation', words);
}

/** Between bidi isolates, so that a name in another script does not turn the sentence around it. */
export function isolate(text: string): string {
	return `\u2068${text}\u2069`;
}
