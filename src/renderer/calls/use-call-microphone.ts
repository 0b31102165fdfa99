import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/shell/parts.ts';

export interface CallMicrophone {
	/** What to choose in the calling program. */
	readonly name: string;
	/** Whether a program records from it; `unknown` where only the user can tell, and has not yet. */
	readonly use: 'none' | 'some' | 'unknown';
}

/** The microphone that carries our voice into the call; null while there is none. */
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
