import { addWords, createI18n, type I18n } from '#renderer/i18n/i18n.ts';
import { type InterfaceLanguage, interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/** The words of every language at once, so that no test waits for them. */
export async function allWords(language: InterfaceLanguage): Promise<I18n> {
	const words = await createI18n(language);
	for (const other of interfaceLanguages) await addWords(words, other);
	return words;
}
