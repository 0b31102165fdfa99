import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';

export interface CallWords {
	readonly text: string;
	/** The person must act; otherwise it resolves by itself. */
	readonly isTrouble: boolean;
}

/** Why the call hears nothing of us, in words; null when it does, or there is no call. */
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
			// Without a sound system Start makes no device, so that is not announced.
			if (running || away) return trouble(t('legs.callNone'));
			return { text: t('legs.callMade'), isTrouble: false };
	}
}
