import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { DiagnosticsPage } from '#renderer/features/diagnostics/diagnostics-page.tsx';
import { FacePage } from '#renderer/features/face-to-face/face-page.tsx';
import { FaceSetup } from '#renderer/features/face-to-face/face-setup.tsx';
import { HistoryPage } from '#renderer/features/history/history-page.tsx';
import { LivePage } from '#renderer/features/live/live-page.tsx';
import { Notices } from '#renderer/features/live/notices.tsx';
import { SetupBanner } from '#renderer/features/onboarding/setup-banner.tsx';
import { SetupPage } from '#renderer/features/onboarding/setup-page.tsx';
import { WelcomePage } from '#renderer/features/onboarding/welcome-page.tsx';
import { SessionsPage } from '#renderer/features/sessions/sessions-page.tsx';
import { SettingsPage } from '#renderer/features/settings/settings-page.tsx';
import { TypePage } from '#renderer/features/type-to-speak/type-page.tsx';
import { VoicesPage } from '#renderer/features/voices/voices-page.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { ProblemNotice } from '#renderer/window/problem-notice.tsx';
import styles from './app.module.css';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { TopBar } from './top-bar.tsx';
import { useCommands } from './use-commands.ts';

/** Which page, under one bar. */
export function App() {
	const { t } = useTranslation();
	const { account, settings, navigation, conversation } = useParts();
	const accountLoaded = useStore(account.store, (view) => view.loaded);
	const settingsLoaded = useStore(settings.store, (view) => view.loaded);
	const accountProblem = useStore(account.store, (view) => view.problem);
	const service = useStore(account.store, (view) => view.status.service);
	const page = useStore(navigation.store, (view) => view.page);
	const mode = useSetting('mode');
	const talking = useStore(conversation.store, ({ phase }) => isRunning(phase) || phase === 'ending');
	useCommands();

	if (!accountLoaded || !settingsLoaded) {
		return (
			<main className={styles.loading}>
				<p role="status">{t('app.loading')}</p>
			</main>
		);
	}
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
	if (service === 'unset' && page === 'live') return <WelcomePage />;
	// Nothing but the two halves: both people look at them.
	if (mode === 'face' && talking && page === 'live') {
		return (
			<div className={styles.app}>
				<FacePage notices={<Notices />} />
			</div>
		);
	}
	return (
		<div className={styles.app}>
			<TopBar />
			{page === 'live' && <SetupBanner />}
			{page === 'live' && <LivePage typing={(panel) => <TypePage {...panel} />} facing={<FaceSetup />} />}
			{page === 'settings' && <SettingsPage />}
			{page === 'sessions' && <SessionsPage />}
			{page === 'history' && <HistoryPage />}
			{page === 'voices' && <VoicesPage />}
			{page === 'diagnostics' && <DiagnosticsPage />}
			{page === 'setup' && <SetupPage />}
			<ShortcutSheet />
		</div>
	);
}
