import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { NoticeLine, problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { FilledIcon, Icon } from '#renderer/ui/icon.tsx';
import { landAfterDialog } from '#renderer/ui/restore-focus.ts';
import { type FaceSide, sides } from '#shared/face-to-face/turn-rules.ts';
import { directionOf } from '#shared/protocol/languages.ts';
import { turnTone } from '#shared/sound/tones.ts';
import { FaceHalf } from './face-half.tsx';
import styles from './face-page.module.css';
import { faceLanguages } from './face-sides.ts';
import { legOf, useHoldKeys, useSideDown } from './use-side-keys.ts';

/** One device between two people: each has a half in their own language. `notices` are for the owner of the device. */
export function FacePage({ notices }: { readonly notices: ReactNode }) {
	const { t } = useTranslation();
	const { settings } = useParts();
	const speak = useSetting('speak');
	const hear = useStore(settings.store, ({ values }) => values.hear);
	const voiceOf = useSetting('voiceOf');
	const layout = useSetting('faceLayout');
	const talk = useSetting('faceTalk');
	useHoldKeys(talk === 'hold');
	useTurnSound();
	useDisplayAwake();
	const page = useRef<HTMLElement>(null);
	// Move the focus, because the button that was pressed disappears, both on opening and on leaving this page.
	useEffect(() => {
		page.current?.focus();
		return landAfterDialog;
	}, []);
	const languages = faceLanguages({ speak, hear, voiceOf });

	return (
		<main ref={page} tabIndex={-1} className={styles.page} data-layout={layout} aria-label={t('face.title')}>
			<h1 className={hidden.hidden}>{t('face.title')}</h1>
			<FaceHalf side="partner" languages={languages} turned={layout === 'turned'} />
			<MiddleBar />
			<FaceHalf side="me" languages={languages} turned={false} notices={<OwnNotices notices={notices} />} />
		</main>
	);
}

/** Shown in the half of the device's owner, in the window's language. */
function OwnNotices({ notices }: { readonly notices: ReactNode }) {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const muted = useStore(conversation.store, (view) => view.muted);
	return (
		<div className={styles.notices} lang={i18n.language} dir={directionOf(i18n.language)}>
			{muted && (
				<p className={styles.note} role="status" data-notice>
					{t('phase.mutedLive')}{' '}
					<Button onPress={() => conversation.setMuted(false)}>{t('notice.unmute')}</Button>
				</p>
			)}
			<SidesDown />
			{notices}
		</div>
	);
}

/** The bar between the halves, for the owner of the device: the button to leave comes first. */
function MiddleBar() {
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

/** Shows the two halves full screen, until the user leaves it or the conversation ends. */
function useFullScreen(): { readonly isFull: boolean; toggle(): void } {
	const [isFull, setFull] = useState(document.fullscreenElement !== null);

	useEffect(() => {
		const changed = () => setFull(document.fullscreenElement !== null);
		document.addEventListener('fullscreenchange', changed);
		return () => {
			document.removeEventListener('fullscreenchange', changed);
			if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
		};
	}, []);

	const toggle = useCallback(() => {
		const done = document.fullscreenElement
			? document.exitFullscreen()
			: document.documentElement.requestFullscreen();
		// If the browser refuses, nothing changes, and the button keeps its label.
		done.catch(() => {});
	}, []);
	return { isFull, toggle };
}

/** A direction that stopped while the other is running, with a button to restart it. */
function SidesDown() {
	return sides.map((side) => <SideDown key={side} side={side} />);
}

function SideDown({ side }: { readonly side: FaceSide }) {
	const { t, i18n } = useTranslation();
	const { conversation, legs } = useParts();
	const leg = legs[legOf[side]];
	const problem = useStore(leg.conversation.store, (view) => view.problem);
	// A restarted direction would run while the other one is paused.
	const paused = useStore(conversation.store, (whole) => whole.paused);
	if (!useSideDown(side)) return null;
	const why = problem ? problemWords(problem, t, i18n.language) : t('phase.failed');
	return (
		<NoticeLine
			tone="problem"
			text={`${t(`legs.${legOf[side]}`)}: ${why}`}
			action={paused ? undefined : { label: t('recovery.retry'), take: leg.again }}
		/>
	);
}

/** Keeps the display on while this page is shown, because nobody touches the device while the other person speaks. */
function useDisplayAwake(): void {
	const { host } = useParts();
	useEffect(() => {
		void host.ask('display.keep-awake', { on: true });
		return () => void host.ask('display.keep-awake', { on: false });
	}, [host]);
}

/** Plays a soft sound when the voice has ended and a person's turn begins. */
function useTurnSound(): void {
	const { turns, sound } = useParts();
	const wanted = useSetting('faceCue');
	useEffect(() => {
		if (!wanted) return;
		const abort = new AbortController();
		const end = turns.store.subscribe(({ cues }, before) => {
			const begins = sides.some((side) => cues[side] === 'your-turn' && before.cues[side] !== 'your-turn');
			// A device that fails to play is reported elsewhere.
			if (begins) void sound.play(turnTone(), abort.signal);
		});
		return () => {
			end();
			abort.abort();
		};
	}, [turns, sound, wanted]);
}
