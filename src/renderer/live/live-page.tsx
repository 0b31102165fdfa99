import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { CallNotice, SystemSoundNotice } from '#renderer/calls/call-notices.tsx';
import { CaptionsHead, CaptionsRegion } from '#renderer/captions/captions-region.tsx';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import { RecordingLine } from '#renderer/recording/recording-line.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { canTypeAlong } from '#renderer/typing/typed-speech.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { RowOrList } from '#renderer/ui/segmented.tsx';
import type { Settings } from '#shared/settings/schema.ts';
import { Dock } from './dock/dock.tsx';
import styles from './live-page.module.css';
import modePickerStyles from './mode-picker.module.css';

const modes = [
	{ value: 'solo', icon: 'speaker' },
	{ value: 'meeting', icon: 'call' },
	{ value: 'listen', icon: 'headphones' },
	{ value: 'face', icon: 'pair' },
	{ value: 'captions', icon: 'captions' },
	{ value: 'type', icon: 'keyboard' },
] as const;

/** Lazy, so that no start waits for them. */
const Notices = lazilyWithWords(async () => (await import('./notices/notices.tsx')).Notices);
const EchoNotice = lazilyWithWords(async () => (await import('./notices/notices.tsx')).EchoNotice);
const HistoryNotices = lazilyWithWords(
	async () => (await import('#renderer/history/history-notices.tsx')).HistoryNotices,
);

export interface LivePageProps {
	/** Shown when the user types instead of holding a conversation. */
	readonly typing: (page: {
		readonly panelOpen: boolean;
		onPanel(open: boolean): void;
		readonly notices: ReactNode;
	}) => ReactNode;
	/** Face-to-face mode: how two people share the machine. */
	readonly facing: ReactNode;
	/** This and the following elements are not needed for the first paint. */
	readonly languages: ReactNode;
	readonly sound: ReactNode;
	readonly said: ReactNode;
	readonly typeBox: ReactNode;
}

/** The one screen: who speaks what, the captions, and the controls. */
export function LivePage({ typing, facing, languages, sound, said, typeBox }: LivePageProps) {
	const { t } = useTranslation();
	const { conversation, drafts, navigation, settings } = useParts();
	const mode = useSetting('mode');
	const isBoxOpen = useStore(drafts, (draft) => draft.isOpen);
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const underWay = useStore(conversation.store, (view) => isUnderWay(view.phase));
	// Selects only whether rows exist: with the rows themselves the whole page would re-render for every caption.
	const nothingSaid = useStore(conversation.captions.store, ({ rows }) => rows === 0);
	const isAway = useStore(conversation.captions.store, ({ away }) => away);
	const place = useStore(navigation.store, (view) => view.place);
	const asked = useStore(navigation.store, (view) => view.ask);
	const isOpen = useSetting('soundOpen');
	const open = useCallback((soundOpen: boolean) => void settings.write({ soundOpen }), [settings]);
	const [head, setHead] = useState<HTMLElement | null>(null);
	const isTyping = mode === 'type' && !running;
	// There is nothing to read yet, and sharing the machine has nothing to do with the sound panel.
	const isSettingUpFace = mode === 'face' && !running && nothingSaid;

	useEffect(() => {
		const isServed = asked <= navigation.store.getState().served;
		if (!isServed && (place === 'microphone' || place === 'output')) open(true);
	}, [asked, place, open, navigation]);

	const notices = (
		<div className={styles.notices} ref={followHeight}>
			<Suspense fallback={null}>
				<Notices />
				<EchoNotice />
			</Suspense>
			<RecordingLine />
			<SystemSoundNotice />
			<CallNotice />
			<Suspense fallback={null}>
				<HistoryNotices />
			</Suspense>
		</div>
	);

	return (
		<main
			className={styles.page}
			aria-label={t('live.title')}
			data-floats={(running && !isOpen) || undefined}
		>
			<div
				className={styles.head}
				ref={setHead}
				data-strip={underWay ? 'running' : nothingSaid || isTyping ? undefined : 'stopped'}
			>
				<ModePicker />
				{!isTyping && languages}
			</div>
			<div
				className={`${styles.middle} ${isTyping ? styles.typing : nothingSaid && !running ? styles.settingUp : ''}`}
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
					<CaptionsHead value={head}>
						<CaptionsRegion said={said} />
					</CaptionsHead>
				)}
				<PausedStrip />
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
					{canTypeAlong(mode) && isBoxOpen && typeBox}
					<Dock panelOpen={isOpen} onPanel={open} />
				</div>
			)}
		</main>
	);
}

/** Sets the height of the notices on the page, px: notices that float over the captions must not cover their end. */
function followHeight(notices: HTMLElement | null): (() => void) | undefined {
	const page = notices?.closest('main');
	if (!notices || !page) return undefined;
	const observer = new ResizeObserver(() => {
		page.style.setProperty('--notices', `${notices.offsetHeight}px`);
	});
	observer.observe(notices);
	return () => observer.disconnect();
}

/** Shown over the captions during a pause: explains that nothing is interpreted, and what the pause costs. */
function PausedStrip() {
	const { t } = useTranslation();
	const { account, conversation, quiet } = useParts();
	// A pause by itself has a notice that says the same, and why.
	const isExplained = useStore(quiet, ({ quietMs }) => quietMs !== null);
	const isPaused = useStore(conversation.store, ({ phase, paused }) => phase === 'live' && paused);
	const isBilled = useStore(account.store, ({ status }) => status.service === 'service');
	if (!isPaused || isExplained) return null;
	return (
		<p className={styles.paused}>
			<Icon name="pause" size={16} />
			{t(isBilled ? 'live.pausedUnbilled' : 'phase.paused')}
		</p>
	);
}

/**
 * The choice of mode, and one line that says who hears what. While a conversation runs, the mode is fixed,
 * because each mode has its own route, and is shown as a word before the languages. After Stop, the modes fold to
 * one button there, to leave room for the captions.
 */
function ModePicker() {
	const { t } = useTranslation();
	const { settings, conversation } = useParts();
	const mode = useSetting('mode');
	const phase = useStore(conversation.store, (view) => view.phase);
	const folded = useStore(conversation.captions.store, ({ rows }) => rows > 0);
	if (isUnderWay(phase)) {
		const name = t(`mode.${mode}`);
		return (
			<p className={modePickerStyles.settledMode} data-settled>
				<Icon name={modes.find(({ value }) => value === mode)?.icon ?? 'speaker'} size={16} />
				<span className={modePickerStyles.settledName}>{name}</span>
				{/* While the conversation ends, there is no control left to explain. */}
				{phase !== 'ending' && <span className={hidden.hidden}>{t('mode.settled')}</span>}
			</p>
		);
	}
	return (
		<section className={modePickerStyles.mode} data-modes>
			<RowOrList<Settings['mode']>
				label={t('mode.title')}
				options={modes.map(({ value, icon }) => ({
					value,
					icon,
					label: t(`mode.${value}`),
					hint: t(`mode.${value}Hint`),
				}))}
				value={mode}
				onChange={(next) => void settings.write({ mode: next })}
				folded={folded}
			/>
			{/* Hidden after Stop, and on a small screen, to leave room for the captions; the list has it too. */}
			<p
				className={`${modePickerStyles.hint} ${folded ? hidden.hidden : hidden.whenSmall}`}
				aria-live="polite"
			>
				{t(`mode.${mode}Hint`)}
			</p>
		</section>
	);
}
