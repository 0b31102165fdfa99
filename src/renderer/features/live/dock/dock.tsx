import { Suspense } from 'react';
import { ToggleButton } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { lazily } from '#renderer/ui/lazily.ts';
import { LevelMeter } from '#renderer/ui/level-meter.tsx';
import { tooltip } from '#renderer/ui/tooltip.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useTwoLegs } from '#renderer/window/use-legs.ts';
import { useTip } from '#renderer/window/use-tip.ts';
import delay from './delay-gauge.module.css';
import { CatchUp, DelayText } from './delay-gauge.tsx';
import styles from './dock.module.css';
import { Elapsed } from './elapsed.tsx';
import { MainButton } from './main-button.tsx';
import { StartReason } from './start-reason.tsx';
import { StatusLine } from './status-line.tsx';

/** Lazy, so that no start waits for them. */
const RunningRows = lazily(async () => (await import('./running-rows.tsx')).RunningRows);
const CreditUsed = lazily(async () => (await import('./credit-used.tsx')).CreditUsed);

export interface DockProps {
	readonly panelOpen: boolean;
	readonly onPanel: (open: boolean) => void;
}

/** Every control of the conversation in one place at the foot of the window. */
export function Dock({ panelOpen, onPanel }: DockProps) {
	const { t } = useTranslation();
	const { conversation, creditUse, sound, clock } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const paused = useStore(conversation.store, (view) => view.paused);
	const muted = useStore(conversation.store, (view) => view.muted);
	const hasUsed = useStore(creditUse, (view) => view.used !== null);
	const tip = useTip();
	const running = isRunning(phase);
	const twoLegs = useTwoLegs();
	const isListening = useSetting('mode') === 'listen';
	// Two directions have a row each, with a delay and a microphone of its own.
	const hasVoice = useSetting('mode') !== 'captions' && !twoLegs;

	return (
		<section className={styles.dock} aria-label={t('live.controls')}>
			<StartReason />
			{running && (
				<Suspense fallback={null}>
					<RunningRows />
				</Suspense>
			)}
			<div className={styles.controls}>
				<div className={styles.start}>
					{!(running && twoLegs) && (
						<ToggleButton
							{...tooltip(isListening ? t('legs.listenSource') : tip(t('live.mute'), 'mute'))}
							className={styles.toggle ?? ''}
							aria-label={t(isListening ? 'legs.listenSource' : 'live.mute')}
							isSelected={muted}
							onChange={(next) => conversation.setMuted(next)}
						>
							<Icon name={muted ? 'microphone-off' : 'microphone'} />
							<span className={styles.toggleText}>{t('live.muteShort')}</span>
						</ToggleButton>
					)}
					{running && !isListening && (
						<div className={styles.level}>
							<LevelMeter
								label={t('sound.microphoneLevel')}
								level={sound.microphoneLevel}
								active={!muted && !paused}
								clock={clock}
							/>
						</div>
					)}
				</div>
				<div className={styles.center}>
					{running && (
						<Button
							large
							isDisabled={phase !== 'live'}
							aria-label={t(paused ? 'live.resume' : 'live.pause')}
							tip={tip(t(paused ? 'live.resume' : 'live.pause'), 'pause')}
							onPress={() => (paused ? conversation.resume() : conversation.pause())}
						>
							<Icon name={paused ? 'resume' : 'pause'} />
							<span className={styles.pauseText}>{t(paused ? 'live.resume' : 'live.pause')}</span>
						</Button>
					)}
					<MainButton />
				</div>
				<div className={styles.end}>
					{running && hasVoice && (
						<div className={delay.wide}>
							<DelayText />
						</div>
					)}
					{running && (hasVoice || twoLegs) && <CatchUp />}
					<ToggleButton
						{...tooltip(t('sound.open'))}
						className={styles.toggle ?? ''}
						aria-label={t('sound.open')}
						isSelected={panelOpen}
						onChange={onPanel}
					>
						<Icon name="speaker" />
						<span className={styles.toggleText}>{t('sound.title')}</span>
					</ToggleButton>
				</div>
			</div>
			<div className={styles.status}>
				<StatusLine />
				<div className={styles.figures}>
					{running && hasVoice && (
						<div className={delay.narrow}>
							<DelayText />
						</div>
					)}
					{hasUsed && (
						<div className={running ? delay.wide : undefined}>
							<Suspense fallback={null}>
								<CreditUsed />
							</Suspense>
						</div>
					)}
					<Elapsed />
				</div>
			</div>
		</section>
	);
}
