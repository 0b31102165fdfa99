import { useEffect, useState } from 'react';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';
import { addWords } from './i18n.ts';
import type { I18n } from './translation.ts';

/**
 * The words that are shown: the wanted ones once they are there, until then those before. Direction and words so
 * change together.
 */
export function useWords(i18n: I18n, wanted: InterfaceLanguage): I18n {
	const [shown, setShown] = useState(() => (i18n.has(wanted) ? i18n.in(wanted) : i18n));
	useEffect(() => {
		let stillWanted = true;
		// Without its words the window stays as it is.
		void addWords(i18n, wanted)
			.then(() => {
				if (stillWanted) setShown(i18n.in(wanted));
			})
			.catch(() => {});
		return () => {
			stillWanted = false;
		};
	}, [i18n, wanted]);
	return shown;
}
