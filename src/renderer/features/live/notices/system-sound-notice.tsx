import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { type SystemSilence, systemSilence } from '#shared/audio/system-silence.ts';
import styles from './notices.module.css';

/** While others are listened to and only silence comes: why, and what to do. */
export function SystemSoundNotice() {
	const { systemSound, legs } = useParts();
	const { way, applications } = useStore(systemSound.store);
	const zeros = useStore(systemSound.zeros, (view) => view.zeros);
	const wanted = useSetting('systemSound');
	const mode = useSetting('mode');
	const isLive = useStore(legs.incoming.conversation.store, (view) => view.phase === 'live' && !view.paused);
	const isOurs = mode === 'listen' || mode === 'meeting';
	// Zeros for a while: what starts and stops in the meantime is no news.
	const why = isOurs && isLive && zeros ? systemSilence({ way, applications, wanted, zeros }) : null;
	return why && <Told key={why} why={why} />;
}

function Told({ why }: { readonly why: SystemSilence }) {
	const { t } = useTranslation();
	const { settings, systemSound } = useParts();
	const way = useStore(systemSound.store, (view) => view.way);
	const name = useSetting('systemSound');
	const [isRead, setRead] = useState(false);
	if (isRead) return null;
	const hearAll = { label: t('others.hearAll'), take: () => void settings.write({ systemSound: null }) };
	return (
		<div className={styles.notices} data-system-silence={why}>
			<NoticeLine
				tone={why === 'nothing-playing' ? 'info' : 'warning'}
				text={
					way === 'loopback'
						? t('others.silentLoopback')
						: t(`others.silent.${why}`, { name: isolate(name ?? '') })
				}
				action={name === null ? undefined : hearAll}
				dismiss={{ label: t('notice.dismiss'), take: () => setRead(true) }}
			/>
		</div>
	);
}
