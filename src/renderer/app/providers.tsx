import type { i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { I18nextProvider } from 'react-i18next';
import { useStore } from 'zustand';
import { type Parts, PartsContext } from '#renderer/window/parts.ts';
import { useWords } from '#renderer/window/words/use-words.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { useAppearance } from './use-appearance.ts';

export interface ProvidersProps {
	readonly parts: Parts;
	readonly i18n: i18n;
	readonly children: ReactNode;
}

/** Hands the parts, the language and the look to everything below. */
export function Providers({ parts, i18n, children }: ProvidersProps) {
	const setting = useStore(parts.settings.store, (view) => view.values.interfaceLanguage);
	const language = useWords(i18n, interfaceLanguageFor(setting, parts.info.locales));
	useAppearance(parts.settings, language);

	return (
		<PartsContext value={parts}>
			<I18nextProvider i18n={i18n}>
				<I18nProvider locale={language}>{children}</I18nProvider>
			</I18nextProvider>
		</PartsContext>
	);
}
