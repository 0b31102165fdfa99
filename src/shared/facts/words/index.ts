import { baseOf } from '#shared/protocol/languages.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Words } from './words.ts';

/** The languages whose facts can be found. */
export const words = { ar, de, en, es, fr, ja } as const satisfies Record<string, Words>;

export type FactLanguage = keyof typeof words;

/** The language of facts for a code of the service; null if its facts cannot be found. */
export function factLanguageOf(code: string): FactLanguage | null {
	const base = baseOf(code);
	return Object.hasOwn(words, base) ? (base as FactLanguage) : null;
}
