import { type ReactNode, useEffect, useLayoutEffect } from 'react';
import { I18nProvider } from 'react-aria-components';
import { useStore } from 'zustand';
import type { I18n } from '#renderer/i18n/i18n.ts';
import { I18nContext } from '#renderer/i18n/use-translation.ts';
import { useWords } from '#renderer/i18n/use-words.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import { type Parts, PartsContext } from './parts.ts';

export interface ProvidersProps {
	readonly parts: Parts;
	readonly i18n: I18n;
	readonly children: ReactNode;
}

/** Provides the dependencies, the language and the look to everything below. */
export function Providers({ parts, i18n, children }: ProvidersProps) {
	const setting = useStore(parts.settings.store, (view) => view.values.interfaceLanguage);
	const language = useWords(i18n, interfaceLanguageFor(setting, parts.info.locales));
	useAppearance(parts.settings, language);

	return (
		<PartsContext value={parts}>
			<I18nContext value={i18n}>
				<I18nProvider locale={language}>{children}</I18nProvider>
			</I18nContext>
		</PartsContext>
	);
}

/** Sets theme, contrast, motion, caption size, language and direction on the root element, for CSS. */
function useAppearance(settings: SettingsMirror, language: string): void {
	const theme = useStore(settings.store, (view) => view.values.theme);
	const motion = useStore(settings.store, (view) => view.values.motion);
	const captionSize = useStore(settings.store, (view) => view.values.captionSize);

	useLayoutEffect(() => {
		const root = document.documentElement;
		root.lang = language;
		root.dir = isRightToLeft(language) ? 'rtl' : 'ltr';
		root.dataset['motion'] = motion;
		root.style.setProperty('--caption-size', `${captionSize}px`);
	}, [language, motion, captionSize]);

	useEffect(() => {
		const root = document.documentElement;
		const more = window.matchMedia('(prefers-contrast: more)');
		function apply(): void {
			root.dataset['theme'] = theme;
			// High contrast set in the system applies in every theme.
			const contrast = theme === 'contrast' || more.matches;
			root.dataset['contrast'] = contrast ? 'more' : 'normal';
		}
		apply();
		more.addEventListener('change', apply);
		return () => more.removeEventListener('change', apply);
	}, [theme]);
}
