import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { type StartBlock, startBlock } from './start-block.ts';

/** Why Start cannot work now; null when it can. */
export function useStartBlock(): StartBlock | null {
	const parts = useParts();
	return startBlock({
		settings: useStore(parts.settings.store, (view) => view.values),
		account: useStore(parts.account.store, (view) => view.status),
		models: useStore(parts.models.store),
		sound: useStore(parts.sound.store),
		systemSound: useStore(parts.systemSound.store),
		routing: useStore(parts.routing.store),
		callOutput: useStore(parts.callOutput),
	});
}
