import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';

/** Whether the two halves replace the live page, including its boxes for devices and languages. */
export function useFacing(): boolean {
	const { conversation } = useParts();
	const mode = useSetting('mode');
	const talking = useStore(conversation.store, ({ phase }) => isUnderWay(phase));
	return mode === 'face' && talking;
}
