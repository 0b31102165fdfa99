import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { landAfterDialog } from '#renderer/ui/landing.ts';
import { FaceHalf } from './face-half.tsx';
import styles from './face-page.module.css';
import { faceLanguages } from './face-sides.ts';
import { MiddleBar } from './middle-bar.tsx';
import { SidesDown } from './side-down.tsx';
import { useDisplayAwake } from './use-display-awake.ts';
import { useHoldKeys } from './use-hold-keys.ts';
import { useTurnSound } from './use-turn-sound.ts';

/** One machine between two people: each has a half in their own language. `notices` are for whoever owns the machine. */
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
	// The button pressed to come here is gone, and later the one pressed to leave.
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

/** In the half of whoever owns the machine, and in the window's language. */
function OwnNotices({ notices }: { readonly notices: ReactNode }) {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const muted = useStore(conversation.store, (view) => view.muted);
	return (
		<div className={styles.notices} lang={i18n.language} dir={i18n.dir()}>
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
