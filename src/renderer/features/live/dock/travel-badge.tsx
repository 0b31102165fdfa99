import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import styles from './travel-badge.module.css';

/** Says that the conversation goes by WebSocket, and, where it had to, why, with the way back. */
export function TravelBadge() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const route = useStore(conversation.store, (view) => view.travel?.route ?? null);
	const fellBack = useStore(conversation.store, (view) => view.travel?.fellBack ?? null);
	const isLive = useStore(conversation.store, (view) => view.phase === 'live');
	const mode = useSetting('mode');
	// Captions-only mode has no other route.
	if (route !== 'websocket' || mode === 'captions') return null;
	return (
		<span className={styles.badge} data-testid="travel">
			<span role="status">{t(fellBack ? 'travel.fellBack' : 'travel.websocket')}</span>
			{fellBack && isLive && (
				<Button look="quiet" onPress={() => conversation.backToWebrtc()}>
					{t('travel.back')}
				</Button>
			)}
		</span>
	);
}
