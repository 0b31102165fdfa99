import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import { type StartBlock, startBlock } from './start-block.ts';

/** Why Start cannot work now; null when it can. */
export function useStartBlock(): StartBlock | null {
	const { settings, account, sound } = useParts();
	const values = useStore(settings.store, (view) => view.values);
	const status = useStore(account.store, (view) => view.status);
	return startBlock(values, status, useStore(sound.store));
}
