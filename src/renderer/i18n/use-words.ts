import { type ComponentType, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { lazily } from '#renderer/ui/lazily.ts';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';
import { addWords, getI18n, hasWords, type I18n, showLanguage } from './i18n.ts';

/** The language shown: the previous one until the words are loaded, so that direction and words agree. */
export function useWords(i18n: I18n, wanted: InterfaceLanguage): InterfaceLanguage {
	useState(() => hasWords(i18n, wanted) && showLanguage(i18n, wanted));
	useEffect(() => {
		let stillWanted = true;
		// If the words cannot be loaded, the window keeps its language.
		void addWords(i18n, wanted)
			.then(() => stillWanted && showLanguage(i18n, wanted))
			.catch(() => {});
		return () => {
			stillWanted = false;
		};
	}, [i18n, wanted]);
	return useStore(i18n.shown, ({ language }) => language);
}

/** Like `lazily`, for a component whose words are in the second file, with the words of the other pages. */
export function lazilyWithWords<Props extends object>(load: () => Promise<ComponentType<Props>>) {
	return lazily(async () => {
		const [part] = await Promise.all([load(), addShownWords()]);
		return part;
	});
}

/** Fetches all words of the language shown. */
export async function addShownWords(): Promise<void> {
	const i18n = getI18n();
	await addWords(i18n, i18n.shown.getState().language);
}
