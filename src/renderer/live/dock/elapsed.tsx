import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { interpretedAt } from '#renderer/conversation/conversation.ts';
import { stopwatch } from '#renderer/i18n/format.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { useNow } from '#renderer/shell/use-now.ts';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import styles from './dock.module.css';

/** Interpreted time so far, pauses left out: what is billed. */
export function Elapsed() {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const view = useStore(conversation.store);
	const now = useNow(view.countingSinceMs !== null);
	if (view.liveSinceMs === null) return null;
	return (
		<span className={styles.elapsed} data-tooltip={t('live.elapsedHint')}>
			<Icon name="clock" size={16} />
			<span className={hidden.hidden}>{t('live.elapsed')}</span>
			<span>{stopwatch(interpretedAt(view, now), i18n.language)}</span>
		</span>
	);
}
