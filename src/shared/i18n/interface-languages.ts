/**
 * The languages of the interface by their own names, in the order in which they are offered. To add one: a line
 * here, its texts beside this file, in `shell/` and in `settings-search/`, and the imports that the compiler
 * then requires.
 */
export const interfaceLanguageNames = {
	en: 'English',
	es: 'Español',
	fr: 'Français',
	de: 'Deutsch',
	ja: '日本語',
	ar: 'العربية',
} as const;

export type InterfaceLanguage = keyof typeof interfaceLanguageNames;

export const interfaceLanguages = Object.keys(interfaceLanguageNames) as InterfaceLanguage[];

/** The interface language for a setting and the system's languages (BCP 47); English if none fits. */
export function interfaceLanguageFor(
	setting: InterfaceLanguage | 'system',
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
