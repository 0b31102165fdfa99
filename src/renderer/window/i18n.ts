import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import ar from '#shared/i18n/ar.json';
import de from '#shared/i18n/de.json';
import en from '#shared/i18n/en.json';
import es from '#shared/i18n/es.json';
import fr from '#shared/i18n/fr.json';
import ja from '#shared/i18n/ja.json';
import type { Settings } from '#shared/settings/schema.ts';

export type InterfaceLanguage = Exclude<Settings['interfaceLanguage'], 'system'>;

export const interfaceLanguages: readonly InterfaceLanguage[] = ['en', 'es', 'fr', 'de', 'ja', 'ar'];

/** The interface language for a setting and the system's languages (BCP 47, first preferred); English when none fits. */
export function interfaceLanguageFor(
	setting: Settings['interfaceLanguage'],
	locales: readonly string[],
): InterfaceLanguage {
	if (setting !== 'system') return setting;
	for (const locale of locales) {
		const base = locale.toLowerCase().split('-')[0];
		const known = interfaceLanguages.find((language) => language === base);
		if (known) return known;
	}
	return 'en';
}

/** Ready at once: the catalogues are part of the program. */
export function createI18n(language: string): i18n {
	const instance = createInstance();
	void instance.use(initReactI18next).init({
		lng: language,
		fallbackLng: 'en',
		initAsync: false,
		resources: {
			en: { translation: en },
			es: { translation: es },
			fr: { translation: fr },
			de: { translation: de },
			ja: { translation: ja },
			ar: { translation: ar },
		},
		// React escapes what it renders; escaping twice would show entities.
		interpolation: { escapeValue: false },
		returnNull: false,
	});
	return instance;
}

/** Between bidi isolates, so that a name in another script does not turn the sentence around it. */
export function isolate(text: string): string {
	return `\u2068${text}\u2069`;
}
