import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { useStore } from 'zustand';
import { type Parts, PartsContext } from '#renderer/window/parts.ts';
import { type I18n, WordsContext } from '#renderer/window/words/translation.ts';
import { useWords } from '#renderer/window/words/use-words.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { useAppearance } from './use-appearance.ts';

export interface ProvidersProps {
	readonly parts: Parts;
	readonly i18n: I18n;
	readonly children: ReactNode;
}

/** Hands the parts, the language and the look to everything below. */
export function Providers({ parts, i18n, children }: ProvidersProps) {
	const setting = useStore(parts.settings.store, (view) => view.values.interfaceLanguage);
	const words = useWords(i18n, interfaceLanguageFor(setting, parts.info.locales));
	useAppearance(parts.settings, words.language);

	return (
		<PartsContext value={parts}>
			<WordsContext value={words}>
				<I18nProvider locale={words.language}>{children}</I18nProvider>
			</WordsContext>
		</PartsContext>
	);
}
