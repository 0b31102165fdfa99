import { StrictMode } from 'react';
import { createHost } from '#renderer/host.ts';
import { addWords, createI18n, loadJapanese } from '#renderer/i18n/i18n.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { interfaceLanguageFor } from '#shared/i18n/interface-languages.ts';
import { overlayNames } from '#shared/overlay/style.ts';
import { createOverlayMirror } from './overlay-mirror.ts';
import { keepDrawn, OverlayPage } from './overlay-page.tsx';
import '#renderer/ui/fonts.css';
import '#renderer/ui/theme.css';
import './overlay.css';

/** The composition root of the captions over other windows. */
async function main(): Promise<void> {
	const host = createHost(window.dragoman);
	const which = overlayNames.find((name) => location.hash === `#${name}`) ?? 'mine';
	const mirror = createOverlayMirror(host, which);
	const root = document.getElementById('root');
	if (!root) throw new Error('overlay/index.html has no #root');
	await mirror.load();
	const look = mirror.store.getState().look;
	const language = look ? interfaceLanguageFor(look.interfaceLanguage, look.locales) : 'en';
	const i18n = await createI18n(language);
	await addWords(i18n, language);
	void loadJapanese();
	keepDrawn(
		root,
		<StrictMode>
			<OverlayPage host={host} mirror={mirror} i18n={i18n} />
		</StrictMode>,
		systemClock,
	);
}

void main();
