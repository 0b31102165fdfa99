import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import styles from './setup-page.module.css';
import { setupSteps, useSetup } from './use-setup.ts';

/** After the first run: one line that leads to the rest of the setup, until it is done or dismissed. */
export function SetupBanner() {
	const { t } = useTranslation();
	const { navigation, conversation } = useParts();
	const { setup, putAway } = useSetup();
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const isDone = setupSteps.every((step) => setup.done.includes(step));
	if (!setup.offered || isDone || running) return null;
	return (
		<section className={styles.banner} aria-label={t('setup.title')}>
			<p>{t('setup.banner')}</p>
			<Button onPress={() => navigation.go('setup')}>{t('setup.continue')}</Button>
			<Button look="quiet" square aria-label={t('setup.notNow')} onPress={putAway}>
				<Icon name="close" />
			</Button>
		</section>
	);
}
