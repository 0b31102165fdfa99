import { Button as AriaButton } from 'react-aria-components';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useStartStop } from '#renderer/conversation/use-start.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { Elapsed, StateDot, stateWords } from '#renderer/live/dock/status-line.tsx';
import { Button, ToggleButton } from '#renderer/ui/button.tsx';
import { Icon, Mark } from '#renderer/ui/icon.tsx';
import { isFree } from '#shared/settings/schema.ts';
import styles from './app.module.css';
import livePillStyles from './live-pill.module.css';
import { useParts, useSetting } from './parts.ts';

/** The name of the program, the interpreter if it is not a service, and the button for the settings. */
export function TopBar() {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const tip = useTip();
	const service = useStore(account.store, (view) => view.status.service);
	const page = useStore(navigation.store, (view) => view.page);
	const hasCaptions = useSetting('mode') !== 'type';
	return (
		<header className={styles.bar}>
			{page === 'live' && hasCaptions && (
				<a className={styles.skip} href="#captions">
					{t('app.skip')}
				</a>
			)}
			{page === 'live' ? (
				<h1 className={styles.name}>
					<Mark />
					<bdi>{t('app.name')}</bdi>
				</h1>
			) : (
				<Button look="quiet" onPress={() => navigation.back()}>
					<Icon name="back" />
					{t('app.back')}
				</Button>
			)}
			{isFree(service) && (
				<p className={`${styles.badge} ${service === 'sandbox' ? styles.sandbox : ''}`} role="note">
					<AriaButton onPress={() => navigation.go('settings', 'account')}>
						<Icon name={service === 'local' ? 'computer' : 'flask'} size={16} />
						{t(`app.${service}`)}
					</AriaButton>
				</p>
			)}
			<span className={styles.grow} />
			<LivePill />
			{page === 'live' && (
				<Button look="quiet" square aria-label={t('history.open')} onPress={() => navigation.read(null)}>
					<Icon name="clock" />
				</Button>
			)}
			{page === 'live' && (
				<Button look="quiet" square aria-label={t('voices.open')} onPress={() => navigation.go('voices')}>
					<Icon name="voice" />
				</Button>
			)}
			{page === 'live' && (
				<Button
					look="quiet"
					square
					aria-label={t('app.settings')}
					tip={tip(t('app.settings'), 'settings')}
					onPress={() => navigation.go('settings')}
				>
					<Icon name="settings" />
				</Button>
			)}
		</header>
	);
}

/** Shows, on other pages than the live one, the running conversation's state and time, with mute and stop. */
function LivePill() {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const view = useStore(conversation.store);
	const page = useStore(navigation.store, ({ page }) => page);
	const isListening = useSetting('mode') === 'listen';
	const tip = useTip();
	const stop = useStartStop();
	if (page === 'live' || !isUnderWay(view.phase)) return null;
	const isEnding = view.phase === 'ending';
	const stopWords = t(isEnding ? 'live.stopNow' : 'live.stop');
	return (
		<section aria-label={t('live.title')} className={livePillStyles.pill}>
			<Button look="quiet" onPress={() => navigation.go('live')}>
				<StateDot view={view} />
				<span className={livePillStyles.words}>
					{stateWords(view, t, isListening ? 'computer' : 'microphone')}
				</span>
				<Elapsed />
			</Button>
			{!isEnding && (
				<ToggleButton
					label={t(isListening ? 'legs.listenSource' : 'live.mute')}
					tip={isListening ? t('legs.listenSource') : tip(t('live.mute'), 'mute')}
					icon={view.muted ? 'microphone-off' : 'microphone'}
					isOn={view.muted}
					onChange={conversation.setMuted}
				/>
			)}
			<Button look="danger" tip={tip(stopWords, 'start-stop')} onPress={stop}>
				{stopWords}
			</Button>
		</section>
	);
}
