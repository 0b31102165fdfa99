import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { I18n, Shown, TFunction } from './i18n.ts';

export const I18nContext = createContext<I18n | null>(null);

export function useI18n(): I18n {
	const i18n = useContext(I18nContext);
	if (!i18n) throw new Error('no words above this component');
	return i18n;
}

/** Both change when another language is shown. */
export function useTranslation(): { readonly t: TFunction; readonly i18n: Shown } {
	const shown = useStore(useI18n().shown);
	return { t: shown.t, i18n: shown };
}
