import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/**
 * React Aria carries its own words in 34 languages; the window is shown in a few. The words of the others are
 * left out: for one of those React Aria falls back to English, as for a language it does not know.
 */
const OWN: ReadonlySet<string> = new Set(interfaceLanguages);
const WORDS =
	/[\\/](?:react-aria|react-aria-components|react-stately)[\\/].*[\\/]intl[\\/].*?([a-z]{2})-[A-Z]{2}\.m?js$/;

/** What is loaded instead of a file of React Aria's words; null = the file itself. */
export function insteadOf(id: string): string | null {
	const language = WORDS.exec(id)?.[1];
	if (language === undefined || OWN.has(language)) return null;
	return `export { default } from './en-US${id.slice(id.lastIndexOf('.'))}';`;
}

/**
 * Two files of React Aria that use the browser's locale data; loading that takes 30 ms and 10 ms before the first
 * picture. The window always sets its own language, so the browser's is not needed; which languages are
 * written from the right we know ourselves.
 */
const I18N = /[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/](useDefaultLocale|utils)\.mjs$/;
const OURS: Readonly<Record<string, string>> = {
	useDefaultLocale: "export const useDefaultLocale = () => ({ locale: 'en-US', direction: 'ltr' });",
	// Relative to React Aria's own file.
	utils: "export { isRightToLeft as isRTL } from '../../../../../src/shared/protocol/languages.ts';",
};

/** The same for what React Aria asks of the browser's locale data. */
export function ownI18n(id: string): string | null {
	return OURS[I18N.exec(id)?.[1] ?? ''] ?? null;
}

export const ownLocales = {
	name: 'own-locales',
	enforce: 'pre' as const,
	load: (id: string) => ownI18n(id) ?? insteadOf(id),
};
