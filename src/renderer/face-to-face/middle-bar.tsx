import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useTip } from '#renderer/keys/use-tip.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { FilledIcon, Icon } from '#renderer/ui/icon.tsx';
import styles from './face-page.module.css';
import { useFullScreen } from './use-full-screen.ts';

/** Between the halves, for whoever owns the machine: the way out first. */
export function MiddleBar() {
	const { t } = useTranslation();
	const { conversation, settings } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const paused = useStore(conversation.store, (view) => view.paused);
	const layout = useSetting('faceLayout');
	const talk = useSetting('faceTalk');
	const oneSession = useSetting('faceOneSession');
	const tip = useTip();
	const screen = useFullScreen();
	const ending = phase === 'ending';
	const isTurned = layout === 'turned';

	return (
		<section className={styles.bar} aria-label={t('live.controls')}>
			<div className={styles.buttons}>
				<Button look="danger" onPress={() => (ending ? void conversation.stopNow() : conversation.stop())}>
					<FilledIcon name="stop" />
					{t(ending ? 'live.stopNow' : 'live.stop')}
				</Button>
				<Button
					square
					isDisabled={phase !== 'live'}
					aria-label={t(paused ? 'live.resume' : 'live.pause')}
					tip={tip(t(paused ? 'live.resume' : 'live.pause'), 'pause')}
					onPress={() => (paused ? conversation.resume() : conversation.pause())}
				>
					<Icon name={paused ? 'resume' : 'pause'} />
				</Button>
				<Button
					square
					aria-label={`${t('face.layout')}: ${t(isTurned ? 'face.layoutTurned' : 'face.layoutBeside')}`}
					onPress={() => void settings.write({ faceLayout: isTurned ? 'beside' : 'turned' })}
				>
					<Icon name={isTurned ? 'under' : 'beside'} />
				</Button>
				<Button
					square
					aria-label={t(screen.isFull ? 'face.leaveFullScreen' : 'face.fullScreen')}
					onPress={screen.toggle}
				>
					<Icon name={screen.isFull ? 'part-screen' : 'full-screen'} />
				</Button>
			</div>
			{talk === 'hold' && oneSession && <p className={styles.note}>{t('face.oneSessionNow')}</p>}
		</section>
	);
}
