import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import phrases from '#shared/i18n/face-phrases.json';
import { baseOf, isRightToLeft, localeTag } from '#shared/protocol/languages.ts';

export interface HalfWords {
	readonly t: TFunction;
	/** BCP 47 tag of the words, for `lang`; English where there are no others. */
	readonly tag: string;
	readonly direction: 'ltr' | 'rtl';
}

const known: Readonly<Record<string, object>> = phrases;

/** The words of a half in its person's language, where the app has them; otherwise in English, and it says so. */
export function useHalfWords(language: string): HalfWords {
	const { i18n } = useTranslation();
	return useMemo(() => {
		const base = baseOf(language);
		const half = known[base];
		// What a whole catalogue of that language has counts more.
		if (half) i18n.addResourceBundle(base, 'translation', { face: { half } }, true, false);
		const spoken = i18n.exists('face.half.hold', { lng: base, fallbackLng: [] }) ? base : 'en';
		return {
			t: i18n.getFixedT(spoken),
			tag: localeTag(spoken),
			direction: isRightToLeft(spoken) ? 'rtl' : 'ltr',
		};
	}, [i18n, language]);
}
