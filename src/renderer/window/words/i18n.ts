import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';
import { createTranslations, type I18n } from './translation.ts';

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
export async function createI18n(language: InterfaceLanguage): Promise<I18n> {
	const i18n = createTranslations(language);
	await addWords(i18n, language);
	return i18n;
}

/** Fetches the words of a language unless they are there. */
export async function addWords(i18n: I18n, language: InterfaceLanguage): Promise<void> {
	if (i18n.has(language)) return;
	const { default: words } = await catalogues[language]();
	i18n.add(language, words);
}

/** Between bidi isolates, so that a name in another script does not turn the sentence around it. */
export function isolate(text: string): string {
	return `\u2068${text}\u2069`;
}
