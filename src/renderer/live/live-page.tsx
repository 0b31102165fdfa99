import { type ReactNode, Suspense, useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { SystemSoundNotice } from '#renderer/calls/system-sound-notice.tsx';
import { CaptionsRegion } from '#renderer/captions/captions-region.tsx';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { RecordingLine } from '#renderer/recording/recording-line.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { EchoNotice } from '#renderer/sound/echo-notice.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { lazily } from '#renderer/ui/lazily.ts';
import { Dock } from './dock/dock.tsx';
import styles from './live-page.module.css';
import { ModePicker } from './mode-picker.tsx';
import { Notices } from './notices/notices.tsx';

/** Lazy, so that no start waits for them. */
const CallNotice = lazily(async () => (await import('#renderer/calls/call-notice.tsx')).CallNotice);
const HistoryNotices = lazily(
	async () => (await import('#renderer/history/history-notices.tsx')).HistoryNotices,
);

export interface LivePageProps {
	/** Shown when a person types instead of holding a conversation. */
	readonly typing: (page: {
		readonly panelOpen: boolean;
		onPanel(open: boolean): void;
		readonly notices: ReactNode;
	}) => ReactNode;
	/** How two people share the machine, in the mode for that. */
	readonly facing: ReactNode;
	/** These parts are not needed for the first paint. */
	readonly languages: ReactNode;
	readonly sound: ReactNode;
	readonly said: ReactNode;
	readonly typeBox: ReactNode;
}

/** The one screen: who speaks what, the captions, and the controls. */
export function LivePage({ typing, facing, languages, sound, said, typeBox }: LivePageProps) {
	const { t } = useTranslation();
	const { conversation, navigation, settings } = useParts();
	const mode = useSetting('mode');
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	// Selects only that: with the rows themselves the whole page would re-render for every caption.
	const nothingSaid = useStore(conversation.captions.store, ({ rows }) => rows === 0);
	const isAway = useStore(conversation.captions.store, ({ away }) => away);
	const place = useStore(navigation.store, (view) => view.place);
	const asked = useStore(navigation.store, (view) => view.ask);
	const isOpen = useSetting('soundOpen');
	const open = useCallback((soundOpen: boolean) => void settings.write({ soundOpen }), [settings]);
	const isTyping = mode === 'type' && !running;
	// There is nothing to read yet, and sharing the machine has nothing to do with the sound panel.
	const isSettingUpFace = mode === 'face' && !running && nothingSaid;

	useEffect(() => {
		const isServed = asked <= navigation.store.getState().served;
		if (!isServed && (place === 'microphone' || place === 'output')) open(true);
	}, [asked, place, open, navigation]);

	/** Above what stands at the foot and below the captions, which give way: nothing that can be pressed moves. */
	const notices = (
		<div className={styles.notices}>
			<Notices />
			<EchoNotice />
			<RecordingLine />
			<SystemSoundNotice />
			<Suspense fallback={null}>
				<CallNotice />
			</Suspense>
			<Suspense fallback={null}>
				<HistoryNotices />
			</Suspense>
		</div>
	);

	return (
		<main className={styles.page} aria-label={t('live.title')}>
			<ModePicker />
			{!isTyping && languages}
			<div
				className={`${styles.middle} ${isTyping ? styles.typing : nothingSaid ? (running ? '' : styles.settingUp) : styles.said}`}
			>
				{isTyping ? (
					typing({ panelOpen: isOpen, onPanel: open, notices })
				) : isSettingUpFace ? (
					<section id="captions" className={styles.facing} aria-label={t('captions.title')}>
						<h2>{t('captions.emptyFace')}</h2>
						<p>{t('captions.emptyFaceHint')}</p>
						{isAway && said}
						{facing}
					</section>
				) : (
					<CaptionsRegion said={said} />
				)}
				{isOpen && (
					<aside className={styles.panel} aria-label={t('sound.open')}>
						<div className={styles.panelHead}>
							<h2>{t('sound.open')}</h2>
							<Button look="quiet" square aria-label={t('app.close')} onPress={() => open(false)}>
								<Icon name="close" />
							</Button>
						</div>
						{mode === 'face' && !isSettingUpFace && facing}
						{sound}
					</aside>
				)}
			</div>
			{!isTyping && (
				<div className={styles.foot}>
					{notices}
					{(mode === 'solo' || mode === 'meeting') && typeBox}
					<Dock panelOpen={isOpen} onPanel={open} />
				</div>
			)}
		</main>
	);
}
