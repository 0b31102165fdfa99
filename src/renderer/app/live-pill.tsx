import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Elapsed } from '#renderer/features/live/dock/elapsed.tsx';
import { StateDot, stateWords } from '#renderer/features/live/dock/status-line.tsx';
import { useStartStop } from '#renderer/features/live/dock/use-start-stop.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ToggleButton } from '#renderer/ui/toggle-button.tsx';
import { isUnderWay } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useTip } from '#renderer/window/use-tip.ts';
import styles from './live-pill.module.css';

/**
 * Shown on every page but the live one while a conversation runs: its state, its duration, and buttons to mute and stop
 * it.
 */
export function LivePill() {
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
		<section aria-label={t('live.title')} className={styles.pill}>
			<Button look="quiet" onPress={() => navigation.go('live')}>
				<StateDot view={view} />
				<span className={styles.words}>{stateWords(view, t, isListening ? 'computer' : 'microphone')}</span>
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
