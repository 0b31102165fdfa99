import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from './parts.ts';
import { isolate } from './words/i18n.ts';

/** Why the call hears nothing of us, in words; null when it does, or there is no call. */
export function useCallWords(): string | null {
	const { t } = useTranslation();
	const { callOutput, routing } = useParts();
	const view = useStore(callOutput);
	const { state } = useStore(routing.store, ({ virtualMicrophone }) => virtualMicrophone);
	if (view.to !== 'nowhere') return null;
	if (view.missing !== '') return t('legs.callMissing', { name: isolate(view.missing) });
	return t(state === 'none' || state === 'making' ? 'legs.callMade' : 'legs.callNone');
}
