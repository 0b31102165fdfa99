import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { type CallMicrophone, useCallMicrophone } from '#renderer/calls/use-call-microphone.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import type { Settings } from '#shared/settings/schema.ts';
import { CaptionLog } from './caption-log.tsx';
import styles from './captions-region.module.css';

/** Everything said so far, source and translation in step; `said` shows it, once there is something. */
export function CaptionsRegion({ said }: { readonly said: ReactNode }) {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const { store } = conversation.captions;
	const nothingSaid = useStore(store, ({ rows }) => rows === 0);
	const isAway = useStore(store, ({ away }) => away);
	const announce = useSetting('announceCaptions');

	return (
		<section id="captions" className={styles.region} aria-label={t('captions.title')}>
			{nothingSaid ? (
				<div className={styles.stage}>
					<Empty />
					{isAway && said}
				</div>
			) : (
				said
			)}
			{announce && <CaptionLog />}
		</section>
	);
}

function Empty() {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const running = isRunning(phase);
	const mode = useSetting('mode');
	const words = emptyWords[mode];
	const call = useCallMicrophone();
	const microphone = mode === 'meeting' && (running || call?.use === 'none') ? call : null;
	// Speech is lost until the interpreter listens.
	if (phase === 'preparing' || phase === 'connecting' || phase === 'starting')
		return (
			<EmptyState icon="captions" title={t('phase.preparing')}>
				{t('captions.notYetHint')}
			</EmptyState>
		);
	return (
		<EmptyState
			icon="captions"
			title={t(running ? 'captions.listening' : words.title)}
			action={
				running && (
					<Button look="quiet" onPress={() => navigation.showGuests(true)}>
						{t('guests.open')}
					</Button>
				)
			}
		>
			{microphone ? <CallMicrophoneWords {...microphone} /> : t(running ? words.listening : words.hint)}
		</EmptyState>
	);
}

/** What to choose in the calling program, until one uses it. */
function CallMicrophoneWords({ name, use }: CallMicrophone) {
	const { t } = useTranslation();
	if (use !== 'some') return t('legs.callChoose', { name: isolate(name) });
	return (
		<>
			<Icon name="check" size={16} /> {t('legs.callUsed', { name: isolate(name) })}{' '}
			{t('captions.listeningMeetingHint')}
		</>
	);
}

const spoken = {
	title: 'captions.empty',
	hint: 'captions.emptyHint',
	listening: 'captions.listeningHint',
} as const;

/** What happens next, in each mode. Typing and face to face have their own page while they run. */
const emptyWords = {
	solo: spoken,
	type: spoken,
	meeting: {
		title: 'captions.emptyMeeting',
		hint: 'captions.emptyMeetingHint',
		listening: 'captions.listeningMeetingHint',
	},
	listen: {
		title: 'captions.emptyListen',
		hint: 'captions.emptyListenHint',
		listening: 'captions.listeningOthersHint',
	},
	face: spoken,
	captions: {
		title: 'captions.emptyWritten',
		hint: 'captions.emptyHintWritten',
		listening: 'captions.listeningWrittenHint',
	},
} as const satisfies Record<Settings['mode'], Record<keyof typeof spoken, string>>;
