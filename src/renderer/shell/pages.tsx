import { loadJapanese } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import type { ServiceOnlyProps } from '#renderer/models/service-only.tsx';
import { preloadLivekit } from '#renderer/transport/livekit.ts';
import type { Clock } from '#shared/lib/clock.ts';
import styles from './app.module.css';
import { Lazy, type LazyPage, lazyPage } from './lazy-page.tsx';
import type { Page } from './navigation.ts';
import { useIsLocal } from './parts.ts';

/** Every page but the live one, which is painted first. */
const pages: Readonly<Record<Exclude<Page, 'live'> | 'welcome', LazyPage<object>>> = {
	settings: lazyPage(
		'settings',
		async () => (await import('#renderer/settings/settings-page.tsx')).SettingsPage,
	),
	history: lazyPage('history', async () => (await import('#renderer/history/history-page.tsx')).HistoryPage),
	voices: lazyPage('voices', async () => (await import('#renderer/voices/voices-page.tsx')).VoicesPage),
	glossaries: lazyPage(
		'glossaries',
		async () => (await import('#renderer/glossaries/glossaries-page.tsx')).GlossariesPage,
	),
	sessions: lazyPage(
		'sessions',
		async () => (await import('#renderer/sessions/sessions-page.tsx')).SessionsPage,
	),
	diagnostics: lazyPage(
		'diagnostics',
		async () => (await import('#renderer/diagnosis/diagnosis-page.tsx')).DiagnosticsPage,
	),
	setup: lazyPage('setup', async () => (await import('#renderer/setup/setup-page.tsx')).SetupPage),
	welcome: lazyPage('welcome', async () => (await import('#renderer/setup/welcome-page.tsx')).WelcomePage),
};

/** Replaces pages about a service while this computer interprets. */
const serviceOnly = lazyPage(
	'service-only',
	async () => (await import('#renderer/models/service-only.tsx')).ServiceOnly,
);
const ofService: ReadonlySet<string> = new Set([
	'sessions',
	'voices',
	'glossaries',
] satisfies ServiceOnlyProps['of'][]);
const isOfService = (page: string): page is ServiceOnlyProps['of'] => ofService.has(page);

/** Pages that some modes show in the live page, or instead of it. */
export const typePage = lazyPage(
	'type',
	async () => (await import('#renderer/typing/type-page.tsx')).TypePage,
	'part',
);
export const facePage = lazyPage(
	'face',
	async () => (await import('#renderer/face-to-face/face-page.tsx')).FacePage,
);
export const faceSetup = lazyPage(
	'face-setup',
	async () => (await import('#renderer/face-to-face/face-setup.tsx')).FaceSetup,
	'part',
);

/** Parts of the live page that load a moment later: the first paint and Start do not wait for them. */
export const liveParts = {
	languages: lazyPage(
		'languages',
		async () => (await import('#renderer/languages/language-bar.tsx')).LanguageBar,
		'part',
	),
	sound: lazyPage('sound', async () => (await import('#renderer/sound/sound-panel.tsx')).SoundSide, 'part'),
	said: lazyPage(
		'captions',
		async () => (await import('#renderer/captions/caption-list.tsx')).CaptionList,
		'part',
	),
	typeBox: lazyPage('type-box', async () => (await import('#renderer/typing/type-box.tsx')).TypeBox, 'part'),
};
export const shortcutSheet = lazyPage(
	'shortcuts',
	async () => (await import('#renderer/keys/shortcut-sheet.tsx')).ShortcutSheet,
	'part',
);

export const lastMinute = lazyPage(
	'last-minute',
	async () => (await import('#renderer/replay/last-minute.tsx')).LastMinute,
	'part',
);

export const guestsDialog = lazyPage(
	'guests',
	async () => (await import('#renderer/guests/guests-dialog.tsx')).GuestsDialog,
	'part',
);

export const noticesElsewhere = lazyPage(
	'notices',
	async () => (await import('#renderer/live/notices/notices-elsewhere.tsx')).NoticesElsewhere,
	'part',
);

export const focusTip = lazyPage('tip', async () => (await import('./focus-tip.tsx')).FocusTip, 'part');

export function ShownPage({ page }: { readonly page: keyof typeof pages }) {
	const isLocal = useIsLocal();
	if (isLocal && isOfService(page))
		return <Lazy key={`no ${page}`} page={serviceOnly} with={{ of: page }} meanwhile={<Loading />} />;
	return <Lazy key={page} page={pages[page]} with={{}} meanwhile={<Loading />} />;
}

/** The placeholder until the page to show is known. */
export function Loading() {
	const { t } = useTranslation();
	return (
		<main className={styles.loading}>
			<p role="status">{t('app.loading')}</p>
		</main>
	);
}

/** Loads one page after the other, so that loading never blocks the user. Never rejects. */
export async function preloadPages(): Promise<void> {
	const parts = [
		...Object.values(liveParts),
		shortcutSheet,
		lastMinute,
		guestsDialog,
		noticesElsewhere,
		focusTip,
		typePage,
		faceSetup,
		facePage,
		serviceOnly,
	];
	for (const page of [...parts, ...Object.values(pages)]) await page.preload();
}

/** Preloading waits for the first paint. */
const PRELOAD_AFTER_MS = 500;

/** Loads code that the first paint does not need; makes the first Start 100 ms faster. */
export function preloadLater(clock: Clock): void {
	clock.after(
		PRELOAD_AFTER_MS,
		() =>
			void loadJapanese()
				.then(preloadLivekit)
				.catch(() => {})
				.then(preloadPages),
	);
}
