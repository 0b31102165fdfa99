import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { type SystemSilence, systemSilence } from '#shared/sound/system-silence.ts';

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
