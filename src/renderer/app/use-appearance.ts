import { useEffect, useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import type { SettingsMirror } from '#renderer/window/mirrors/settings-mirror.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';

/** Theme, contrast, motion, caption size, language and direction, on the root element where CSS finds them. */
export function useAppearance(settings: SettingsMirror, language: string): void {
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
			// High contrast requested of the system applies in every theme.
			const contrast = theme === 'contrast' || more.matches;
			root.dataset['contrast'] = contrast ? 'more' : 'normal';
		}
		apply();
		more.addEventListener('change', apply);
		return () => more.removeEventListener('change', apply);
	}, [theme]);
}
