import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import type { createI18n } from '#renderer/i18n/i18n.ts';
import { App } from './app.tsx';
import type { Parts } from './parts.ts';
import { Providers } from './providers.tsx';

/** Renders in slices, between which the page responds: in one go it would freeze until the whole window is built. */
export function showWindow(parts: Parts, i18n: Awaited<ReturnType<typeof createI18n>>): void {
	const root = document.getElementById('root');
	if (!root) throw new Error('index.html has no #root');
	startTransition(() =>
		createRoot(root).render(
			<StrictMode>
				<Providers parts={parts} i18n={i18n}>
					<App />
				</Providers>
			</StrictMode>,
		),
	);
}
