import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { Mark } from '#renderer/ui/mark.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useTip } from '#renderer/window/use-tip.ts';
import styles from './app.module.css';
import { LivePill } from './live-pill.tsx';

/** Name, the sandbox warning, and the way to the settings. */
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
			{service === 'sandbox' && (
				<p className={styles.sandbox} role="note">
					<Icon name="flask" size={16} />
					{t('app.sandbox')}
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
