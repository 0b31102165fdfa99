import type { i18n } from 'i18next';
import { type ComponentType, useEffect, useState } from 'react';
import { getI18n } from 'react-i18next';
import { lazily } from '#renderer/ui/lazily.ts';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';
import { addWords, hasWords } from './i18n.ts';

/**
 * The language shown: the wanted one once its words are loaded, until then the previous one, so that direction
 * and words change together.
 */
export function useWords(i18n: i18n, wanted: InterfaceLanguage): InterfaceLanguage {
	const [shown, setShown] = useState(() =>
		hasWords(i18n, wanted) ? wanted : (i18n.language as InterfaceLanguage),
	);
	useEffect(() => {
		let stillWanted = true;
		// If the words cannot be loaded, the window keeps its language.
		void addWords(i18n, wanted)
			.then(async () => {
				if (!stillWanted) return;
				await i18n.changeLanguage(wanted);
				setShown(wanted);
			})
			.catch(() => {});
		return () => {
			stillWanted = false;
		};
	}, [i18n, wanted]);
	return shown;
}

/** Like `lazily`, for a component whose words are in the second file, with the words of the other pages. */
export function lazilyWithWords<Props extends object>(load: () => Promise<ComponentType<Props>>) {
	return lazily(async () => {
		const i18n = getI18n();
		const [part] = await Promise.all([load(), addWords(i18n, i18n.language as InterfaceLanguage)]);
		return part;
	});
}
