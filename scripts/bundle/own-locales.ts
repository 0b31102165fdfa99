import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/**
 * React Aria carries its own words in 34 languages; the window is shown in a few. The words of the others are
 * left out: whoever asks for one of them gets English, as for a language React Aria does not know.
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

export const ownLocales = { name: 'own-locales', enforce: 'pre' as const, load: insteadOf };
