import { useState } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import { type SystemSilence, systemSilence } from '#shared/sound/system-silence.ts';

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

interface CallWords {
	readonly text: string;
	/** True if the user must act; otherwise the problem resolves by itself. */
	readonly isTrouble: boolean;
}

/** Why the call does not hear the user, in words; null if it does, or without a call. */
export function useCallWords(): CallWords | null {
	const { t, i18n } = useTranslation();
	const { callOutput, routing, systemSound, conversation } = useParts();
	const view = useStore(callOutput);
	const virtual = useStore(routing.store, ({ virtualMicrophone }) => virtualMicrophone);
	const away = useStore(
		systemSound.store,
		(view) => view.problem !== null || (view.way === 'none' && view.revision >= 0),
	);
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const trouble = (text: string): CallWords => ({ text, isTrouble: true });
	if (view.to !== 'nowhere') return null;
	if (view.missing !== '') return trouble(t('legs.callMissing', { name: isolate(view.missing) }));
	switch (virtual.state) {
		case 'failed':
			return trouble(problemWords(virtual.problem, t, i18n.language));
		case 'unsupported':
			return trouble(problemWords({ kind: 'virtual-microphone-unsupported' }, t, i18n.language));
		case 'making':
			return { text: t('callRoute.virtual.making'), isTrouble: false };
		default:
			// Without a sound system, Start creates no device, so do not announce one.
			if (running || away) return trouble(t('legs.callNone'));
			return { text: t('legs.callMade'), isTrouble: false };
	}
}

export interface CallMicrophone {
	/** The microphone to choose in the calling program. */
	readonly name: string;
	/** Whether a program uses the microphone; `unknown` if only the user can tell and has not answered. */
	readonly use: 'none' | 'some' | 'unknown';
}

/** The microphone that carries the translated voice into the call; null without one. */
export function useCallMicrophone(): CallMicrophone | null {
	const { callOutput, routing } = useParts();
	const view = useStore(callOutput);
	const virtual = useStore(routing.store, ({ virtualMicrophone }) => virtualMicrophone);
	const hasSaid = useSetting('setup').call === true;
	if (view.to !== 'call' || view.microphoneLabel === '') return null;
	const isOurs = virtual.state === 'ready' && virtual.microphoneLabel === view.microphoneLabel;
	const recorded = isOurs ? virtual.recorded : undefined;
	const use = recorded === undefined ? (hasSaid ? 'some' : 'unknown') : recorded ? 'some' : 'none';
	return { name: view.microphoneLabel, use };
}

/** Why the others' sound is silent; null: there is sound, or it is not captured now. */
export function useSystemSilence(): SystemSilence | null {
	const { systemSound, legs } = useParts();
	const { way, applications } = useStore(systemSound.store);
	const zeros = useStore(systemSound.zeros, (view) => view.zeros);
	const wanted = useSetting('systemSound');
	const mode = useSetting('mode');
	const isLive = useStore(legs.incoming.conversation.store, (view) => view.phase === 'live' && !view.paused);
	const isOurs = mode === 'listen' || mode === 'meeting';
	// Check only after zeros for a while, so that programs starting and stopping meanwhile are ignored.
	return isOurs && isLive && zeros ? systemSilence({ way, applications, wanted, zeros }) : null;
}
