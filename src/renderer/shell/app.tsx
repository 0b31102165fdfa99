import { StrictMode, startTransition, useEffect, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import type { createI18n } from '#renderer/i18n/i18n.ts';
import { useCommands } from '#renderer/keys/use-commands.ts';
import { LanguageFrame } from '#renderer/languages/language-frame.tsx';
import { LivePage } from '#renderer/live/live-page.tsx';
import { Notices } from '#renderer/live/notices/notices.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { RecordingLine } from '#renderer/recording/recording-line.tsx';
import { SetupBanner, useOfferSetup } from '#renderer/setup/setup.tsx';
import { Button } from '#renderer/ui/button.tsx';
import styles from './app.module.css';
import { takeFirstPicture } from './first-picture.ts';
import { Lazy } from './lazy-page.tsx';
import {
	facePage,
	faceSetup,
	focusTip,
	guestsDialog,
	Loading,
	lastMinute,
	liveParts,
	noticesElsewhere,
	ShownPage,
	shortcutSheet,
	typePage,
} from './pages.tsx';
import type { Parts } from './parts.ts';
import { useParts } from './parts.ts';
import { Providers } from './providers.tsx';
import { TopBar } from './top-bar.tsx';
import { useTravel } from './use-page-travel.ts';
import { WindowFailure } from './window-failure.tsx';

/** The window. A failure while rendering still leaves a Stop button. */
export function App() {
	return (
		<WindowFailure>
			<Window />
		</WindowFailure>
	);
}

/** Shows the current page under one bar. */
function Window() {
	const { t } = useTranslation();
	const { host, account, settings, navigation } = useParts();
	const accountLoaded = useStore(account.store, (view) => view.loaded);
	const settingsLoaded = useStore(settings.store, (view) => view.loaded);
	const accountProblem = useStore(account.store, (view) => view.problem);
	const service = useStore(account.store, (view) => view.status.service);
	const page = useStore(navigation.store, (view) => view.page);
	const inviting = useStore(navigation.store, (view) => view.inviting);
	const facing = useFacing();
	useCommands();
	useOfferSetup();
	const isUsable = accountLoaded && settingsLoaded;
	useTravel(isUsable && service === 'unset' && page === 'live' ? 'welcome' : page);
	// Remove the first picture on every page; if the Start button is shown, it has already done so
	// (`main-button.tsx`).
	useLayoutEffect(() => void takeFirstPicture(), []);
	useEffect(() => {
		if (isUsable) void host.ask('app.usable', undefined);
	}, [host, isUsable]);

	if (!accountLoaded || !settingsLoaded) return <Loading />;
	if (accountProblem) {
		return (
			<main className={styles.loading}>
				<div className={styles.unread}>
					<ProblemNotice problem={accountProblem} />
					<Button look="primary" onPress={() => void account.load()}>
						{t('recovery.retry')}
					</Button>
				</div>
			</main>
		);
	}
	if (service === 'unset' && page === 'live')
		return (
			<>
				<SafeModeNotice />
				<ShownPage page="welcome" />
				<Lazy page={shortcutSheet} with={{}} />
			</>
		);
	// Both people look at the two halves of the window, so show nothing else.
	if (facing && page === 'live') {
		const notices = (
			<>
				<Notices />
				<RecordingLine />
			</>
		);
		return (
			<div className={styles.app}>
				<Lazy page={facePage} with={{ notices }} meanwhile={<Loading />} />
				<Lazy page={shortcutSheet} with={{}} />
				<Lazy page={lastMinute} with={{}} />
				{inviting && <Lazy page={guestsDialog} with={{}} />}
				<Lazy page={focusTip} with={{}} />
			</div>
		);
	}
	return (
		<div className={styles.app}>
			<TopBar />
			<SafeModeNotice />
			{page === 'live' && <SetupBanner />}
			{page === 'live' && (
				<LivePage
					typing={(panel) => <Lazy page={typePage} with={panel} />}
					facing={<Lazy page={faceSetup} with={{}} />}
					languages={<Lazy page={liveParts.languages} with={{}} meanwhile={<LanguageFrame />} />}
					sound={<Lazy page={liveParts.sound} with={{}} />}
					said={<Lazy page={liveParts.said} with={{}} />}
					typeBox={<Lazy page={liveParts.typeBox} with={{}} />}
				/>
			)}
			{page !== 'live' && (
				<>
					<ShownPage page={page} />
					{/* Below the page, which shrinks, so that its controls do not move. */}
					<Lazy page={noticesElsewhere} with={{}} />
				</>
			)}
			<Lazy page={shortcutSheet} with={{}} />
			<Lazy page={lastMinute} with={{}} />
			{inviting && <Lazy page={guestsDialog} with={{}} />}
			<Lazy page={focusTip} with={{}} />
		</div>
	);
}

/** Shows that the program runs in safe mode, which features are off, and how to leave it. */
function SafeModeNotice() {
	const { t } = useTranslation();
	const { host, info } = useParts();
	if (!info.safeMode) return null;
	return (
		<NoticeLine
			tone="info"
			text={t('safeMode.text')}
			action={{ label: t('safeMode.restart'), take: () => void host.ask('app.restart', undefined) }}
		/>
	);
}

/** Renders in slices, so that the page responds meanwhile; rendering in one go would freeze it until done. */
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
