import { createRoot } from 'react-dom/client';
import { App } from '#renderer/app/app.tsx';
import { preloadPages } from '#renderer/app/pages.tsx';
import { Providers } from '#renderer/app/providers.tsx';
import { createI18n } from '#renderer/window/i18n.ts';
import '#renderer/window.css';
import type { Settings } from '#shared/settings/schema.ts';
import { type WindowState, windowStates } from '#test/support/window-states.ts';

/** `?state=live&theme=dark&language=ar` shows the window in that state, with nothing behind it. */
const query = new URLSearchParams(location.search);
const state = (query.get('state') ?? 'idle') as WindowState;
const language = (query.get('language') ?? 'en') as 'en' | 'es' | 'ar';
const shown = windowStates[state]();

void shown.ready
	.then(() =>
		shown.parts.settings.write({
			interfaceLanguage: language,
			theme: (query.get('theme') ?? 'light') as Settings['theme'],
		}),
	)
	.then(() => preloadPages())
	.then(() => createI18n(language))
	.then((words) => {
		const root = document.getElementById('root');
		if (!root) throw new Error('no #root');
		createRoot(root).render(
			<Providers parts={shown.parts} i18n={words}>
				<App />
			</Providers>,
		);
	});
