import { type InterfaceLanguage, interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import ar from '#shared/i18n/shell/ar.json' with { type: 'json' };
import de from '#shared/i18n/shell/de.json' with { type: 'json' };
import en from '#shared/i18n/shell/en.json' with { type: 'json' };
import es from '#shared/i18n/shell/es.json' with { type: 'json' };
import fr from '#shared/i18n/shell/fr.json' with { type: 'json' };
import ja from '#shared/i18n/shell/ja.json' with { type: 'json' };

/** The texts of the shell itself: menus and native dialogs. Every catalogue has this shape. */
export type Words = typeof en;

const catalogues: Readonly<Record<InterfaceLanguage, Words>> = { en, es, fr, de, ja, ar };

/**
 * The catalogue for the chosen interface language; with `system`, for the first of `systemLocales` that has one.
 */
export function wordsFor(language: InterfaceLanguage | 'system', systemLocales: readonly string[]): Words {
	return catalogues[interfaceLanguageFor(language, systemLocales)];
}
