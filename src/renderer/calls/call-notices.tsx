import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import type { SystemSilence } from '#shared/sound/system-silence.ts';
import { useCallMicrophone, useSystemSilence } from './use-call.ts';

/** In a meeting: warns that no program uses our microphone, or, if only the user can tell, asks once. */
export function CallNotice() {
	const { t } = useTranslation();
	const { conversation, settings } = useParts();
	const isLive = useStore(conversation.store, ({ phase }) => phase === 'live');
	const isMeeting = useSetting('mode') === 'meeting';
	const setup = useSetting('setup');
	const microphone = useCallMicrophone();
	const [isRead, setRead] = useState(false);
	if (!isLive || !isMeeting || !microphone || microphone.use === 'some' || isRead) return null;
	const name = isolate(microphone.name);
	const answered = () => void settings.write({ setup: { ...setup, call: true } });
	return (
		<div className={bar.notices} data-call-microphone={microphone.use}>
			<NoticeLine
				tone="warning"
				text={t(microphone.use === 'none' ? 'legs.callChoose' : 'legs.callAsk', { name })}
				action={microphone.use === 'none' ? undefined : { label: t('legs.callYes'), take: answered }}
				dismiss={{ label: t('notice.dismiss'), take: () => setRead(true) }}
			/>
		</div>
	);
}

/** Shown while the others' sound is silent: the reason, and what to do. */
export function SystemSoundNotice() {
	const twoLegs = useTwoLegs();
	const wanted = useSetting('systemSound');
	const why = useSystemSilence();
	// The user cannot do anything about this silence, so the label beside the direction is enough.
	if (why === 'nothing-playing' && twoLegs && wanted === null) return null;
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
		<div className={bar.notices} data-system-silence={why}>
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
