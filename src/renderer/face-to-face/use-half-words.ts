import type { TFunction } from 'i18next';
import { useEffect, useMemo, useReducer } from 'react';
import { useTranslation } from 'react-i18next';
import { addWords } from '#renderer/i18n/i18n.ts';
import phrases from '#shared/i18n/face-phrases.json';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { baseOf, isRightToLeft, localeTag } from '#shared/protocol/languages.ts';

export interface HalfWords {
	readonly t: TFunction;
	/** BCP 47 tag of the words, for `lang`; English where there are no others. */
	readonly tag: string;
	readonly direction: 'ltr' | 'rtl';
}

const known: Readonly<Record<string, object>> = phrases;

/**
 * The words of a half in its person's language, where the app has them; otherwise in English, and it says so.
 * A catalogue that is not loaded yet is fetched; until it is there, the words are the interface's.
 */
export function useHalfWords(language: string): HalfWords {
	const { i18n } = useTranslation();
	const [loads, loaded] = useReducer((count: number) => count + 1, 0);
	const base = baseOf(language);
	const half = known[base];
	const catalogue = half ? undefined : interfaceLanguageFor('system', [base]);

	useEffect(() => {
		if (catalogue) void addWords(i18n, catalogue).then(loaded, () => {});
	}, [i18n, catalogue]);

	// biome-ignore lint/correctness/useExhaustiveDependencies: `loads` says that a catalogue has come behind the same object
	return useMemo(() => {
		if (half) i18n.addResourceBundle(base, 'translation', { face: { half } }, true, false);
		const has = (tag: string) => i18n.exists('face.half.hold', { lng: tag, fallbackLng: [] });
		const spoken = [base, 'en'].find(has) ?? i18n.language;
		return {
			t: i18n.getFixedT(spoken),
			tag: localeTag(spoken),
			direction: isRightToLeft(spoken) ? 'rtl' : 'ltr',
		};
	}, [i18n, base, half, loads]);
}
