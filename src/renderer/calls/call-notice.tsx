import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import { useCallMicrophone } from './use-call.ts';

/** In a meeting: no program uses our microphone, or only the user can tell whether one does, and is asked once. */
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
